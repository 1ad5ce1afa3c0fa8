import { z } from 'zod'
import { changeRef, corrects, writeResult } from './changes.ts'
import {
  contentId,
  expiresAt,
  expiresAtInput,
  fieldName,
  itemId,
  itemVersion,
  json,
  listQuery,
  pageResult,
  provenance,
  provenanceInput,
  stateQuery,
  stateResult,
  stateVersion,
  timestamp,
} from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { contentErrors, previewErrors, recordErrors, writeErrors } from './error-codes.ts'
import { forModels } from './for-models.ts'

/** The kind of entity that a record is: `person`, `invoice`, … */
export const kind = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9._-]{0,127}$/,
    'A kind has 1 to 128 of A-Z, a-z, 0-9, ., _ and -, and begins with a letter.',
  )
  .describe('The kind.')

/** A name for a record, unique among the live records of its kind. */
export const slug = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,127}$/,
    'A slug has 1 to 128 of a-z, 0-9, ., _ and -, and begins with a letter or digit.',
  )

/** Field names to any JSON values. */
export const fields = z.record(fieldName, json).describe('The fields and their values.')

/** The name of the relation of a link or statement. */
export const predicate = z.string().min(1).max(128).describe('The name of the relation.')

export const link = z
  .object({ predicate, to: z.string().min(1).max(200).describe('The id of the record that is pointed to.') })
  .describe('A named reference to another record, by id.')
const links = z.array(link).max(1000, 'A record has at most 1,000 links.')

/** In a PATCH: links replace those of the same predicates; `to: null` removes a predicate's links. */
const linkPatch = z
  .array(
    z.object({
      predicate,
      to: z
        .string()
        .min(1)
        .max(200)
        .nullable()
        .describe('The id of the record that is pointed to; null removes the link.'),
    }),
  )
  .max(1000)

export const recordRef = z
  .object({ id: itemId, kind: z.string().describe('The kind.') })
  .describe('How statements and events refer to a record.')

export const record = z
  .object({
    id: itemId,
    kind: z.string().describe('The kind.'),
    slug: z.string().nullable().describe('A readable name, unique among the live records of its kind.'),
    fields: z.record(z.string(), json).describe('The fields and their values.'),
    links: z.array(link).describe('The references to other records.'),
    expiresAt,
    version: itemVersion,
    stateVersion,
    provenance: provenance.describe('The origin of this version.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .describe('One version of a record. `stateVersion` is the Brain state that made this version.')
export type BrainRecord = z.infer<typeof record>

export const newRecord = z
  .object({
    kind,
    slug: slug.optional().describe('A readable name, unique among the live records of its kind.'),
    fields: fields.optional(),
    links: links.optional().describe('The references to other records.'),
    expiresAt: expiresAtInput,
    provenance: provenanceInput.optional().describe('The origin of this version.'),
  })
  .describe(
    'The content of a new record, in a POST, a PUT or a batch: at most 5,000 fields and 1 MiB as JSON, unless the service is set otherwise.',
  )

export const recordPatch = z
  .object({
    kind: kind.optional(),
    slug: slug.nullable().optional().describe('A readable name, unique among the live records of its kind.'),
    fields: fields.optional(),
    links: linkPatch.optional().describe('The references to other records.'),
    expiresAt: expiresAtInput,
    provenance: provenanceInput.optional().describe('The origin of this version.'),
  })
  .describe(
    'The changes of a PATCH: fields are merged according to RFC 7396, null removes a field. The record keeps within the limits of a new one.',
  )

/**
 * A write's answer about its record: the current record; its id and kind while the write is pending; and its id, kind and
 * version to a caller without read, who gets no stored content.
 */
const written = z
  .object({
    ...writeResult,
    record: z
      .union([
        record,
        recordRef.extend({
          version: z.int().min(1).optional().describe('The version. Each change to the item makes the next one.'),
        }),
      ])
      .describe('The record.'),
  })
  .describe('The outcome of the write, and the record.')

/** The body of a request that writes a whole record. */
export const newRecordBody = newRecord
  .extend({ corrects })
  .describe('A record, and the change that it corrects, if it does.')

/** The result of a merge. */
export const recordMerge = z
  .object({ ...writeResult, record: recordRef.describe('The record that remains.') })
  .describe('The outcome of the merge, and the record that remains.')

export const createRecord = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/records',
  summary: 'Create a record',
  description: 'Creates a record under a new id.',
  access: { capabilities: ['write'] },
  body: newRecordBody,
  idempotencyKey: 'header',
  errors: recordErrors,
  status: [201, 202],
  result: written,
})

export const putRecord = defineEndpoint({
  method: 'PUT',
  path: '/v1/brains/{handle}/records/{id}',
  summary: 'Create or replace a record',
  description: 'Creates the record with this id, or replaces it completely.',
  access: { capabilities: ['write'] },
  body: newRecordBody,
  idempotencyKey: 'header',
  ifMatch: true,
  errors: recordErrors,
  status: [200, 201, 202],
  result: written,
})

export const patchRecord = defineEndpoint({
  method: 'PATCH',
  path: '/v1/brains/{handle}/records/{id}',
  summary: 'Change parts of a record',
  description: 'Changes parts of a record. A new `kind` changes its kind.',
  access: { capabilities: ['write'] },
  body: recordPatch.extend({ corrects }),
  idempotencyKey: 'header',
  ifMatch: true,
  errors: recordErrors,
  status: [200, 202],
  result: written,
})

export const deleteRecord = defineEndpoint({
  method: 'DELETE',
  path: '/v1/brains/{handle}/records/{id}',
  summary: 'Delete a record',
  description: 'Deletes a record and retracts the statements about it. Its history can still be read.',
  access: { capabilities: ['write'] },
  idempotencyKey: 'header',
  ifMatch: true,
  errors: writeErrors,
  status: [200, 202],
  result: z
    .object({ ...writeResult, record: recordRef.describe('The record.') })
    .describe('The outcome of the write, and the record that it deletes.'),
})

export const mergeRecord = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/records/{id}/merge',
  summary: 'Merge a record into another one',
  description:
    'Moves all of a record to `into` as one change: fields that it lacks, links of and to it, and statements about it, ' +
    'up to 1,000 items. Its id then leads to `into`, whose history has its versions.',
  access: { capabilities: ['read', 'write'] },
  body: z.object({
    into: contentId.describe('The id of the record that remains.'),
    keep: z
      .record(fieldName, z.enum(['into', 'from']))
      .optional()
      .describe(
        'Whose value of a field stays, by field: that of `into` (the default), or that of the merged record (`from`).',
      ),
    reason: z.string().min(1).max(2000).optional().describe('Why, for people.'),
  }),
  idempotencyKey: 'header',
  ifMatch: true,
  errors: [...contentErrors, 'kinds_differ', 'stale_version'],
  status: [200, 202],
  result: recordMerge,
})

export const getRecord = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/records/{id}',
  summary: 'Read a record',
  description:
    'Reads a record, now or `asOf` an earlier stateVersion. The id of a record that was merged returns the record that remains.',
  access: { capabilities: ['read'] },
  query: z.object(stateQuery),
  errors: previewErrors,
  status: [200],
  result: z.object({
    record: record.describe('The record.'),
    redirectedFrom: z.string().optional().describe('The requested id, if that record was merged into this one.'),
    ...stateResult,
  }),
})

export const listRecords = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/records',
  summary: 'List records',
  description:
    'Lists records by id: all, of one kind or slug, or those that link to one (`linksTo`), by a `predicate` or any.',
  access: { capabilities: ['read'] },
  query: z.object({
    kind: kind.optional().describe('Only those of this kind.'),
    slug: slug.optional().describe('Only the record with this slug.'),
    linksTo: contentId.optional().meta(forModels('The id of a record: those that link to it')),
    predicate: predicate.optional().describe('With linksTo: those that link to it by this predicate'),
    ...listQuery,
    ...stateQuery,
  }),
  errors: previewErrors,
  status: [200],
  list: 'records',
  result: z.object({
    records: z.array(record).describe('The records of this page.'),
    ...pageResult,
    ...stateResult,
  }),
})

export const listRecordHistory = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/records/{id}/history',
  summary: 'List the versions of a record',
  description: 'Lists every version of a record, and of the records that were merged into it, and how each ended.',
  access: { capabilities: ['read'] },
  query: z.object(listQuery),
  status: [200],
  list: 'versions',
  result: z.object({
    versions: z
      .array(
        z.object({
          record: record.describe('The record.'),
          ended: z
            .object({
              stateVersion,
              at: timestamp,
              change: changeRef.shape.id.describe('The id of the change that ended this version.'),
              deleted: z.boolean().describe('True if the record was deleted, false if a newer version followed.'),
              mergedInto: z.string().optional().describe('The id of the record that it was merged into, if it was.'),
            })
            .nullable()
            .describe('How this version ended; null while it is current'),
        }),
      )
      .describe('The versions of this page.'),
    ...pageResult,
    stateVersion,
  }),
})
