import { z } from 'zod'
import { changeRef, corrects, writeResult } from './changes.ts'
import {
  asOf,
  contentId,
  json,
  listQuery,
  pageResult,
  provenance,
  provenanceInput,
  stateVersion,
  timestamp,
} from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { recordErrors, writeErrors } from './error-codes.ts'

/** The kind of entity that a record is: `person`, `invoice`, … */
export const kind = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9._-]{0,127}$/,
    'A kind has 1 to 128 of A-Z, a-z, 0-9, ., _ and -, and begins with a letter.',
  )

/** A name for a record, unique among the live records of its kind. */
export const slug = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,127}$/,
    'A slug has 1 to 128 of a-z, 0-9, ., _ and -, and begins with a letter or digit.',
  )

/** The name of a record's field: any text of 1 to 128 characters. */
export const fieldName = z
  .string()
  .min(1, 'A field name has 1 to 128 characters.')
  .max(128, 'A field name has 1 to 128 characters.')

/** Field names to any JSON values. */
export const fields = z.record(fieldName, json)

/** The name of the relation of a link or statement. */
export const predicate = z.string().min(1).max(128)

/** A named reference to another record, by id. */
export const link = z.object({ predicate, to: z.string().min(1).max(200) })
const links = z.array(link).max(1000, 'A record has at most 1,000 links.')

/** In a PATCH: links replace those of the same predicates; `to: null` removes a predicate's links. */
const linkPatch = z.array(z.object({ predicate, to: z.string().min(1).max(200).nullable() })).max(1000)

/** How statements and events refer to a record. */
export const recordRef = z.object({ id: z.string(), kind: z.string() })

/** One version of a record. `stateVersion` is the Brain state that made this version. */
export const record = z.object({
  id: z.string(),
  kind: z.string(),
  slug: z.string().nullable(),
  fields: z.record(z.string(), json),
  links: z.array(link),
  version: z.int().min(1),
  stateVersion,
  provenance,
  createdAt: timestamp,
  updatedAt: timestamp,
})
export type BrainRecord = z.infer<typeof record>

/** The content of a new record, in a POST, a PUT or a batch. */
export const newRecord = z.object({
  kind,
  slug: slug.optional(),
  fields: fields.optional(),
  links: links.optional(),
  provenance: provenanceInput.optional(),
})

/** What a PATCH changes: fields are merged according to RFC 7396, null removes a field. */
export const recordPatch = z.object({
  kind: kind.optional(),
  slug: slug.nullable().optional(),
  fields: fields.optional(),
  links: linkPatch.optional(),
  provenance: provenanceInput.optional(),
})

/**
 * What a write returns of its record: the record as it is now; its id and kind alone while the write is pending; and its id,
 * kind and version to a caller without read, who gets nothing that is stored.
 */
const written = z.object({
  ...writeResult,
  record: z.union([record, recordRef.extend({ version: z.int().min(1).optional() })]),
})

/** Creates a record under a new id. */
export const createRecord = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/records',
  summary: 'Create a record',
  access: { capabilities: ['write'] },
  body: newRecord.extend({ corrects }),
  idempotencyKey: 'header',
  errors: recordErrors,
  status: [201, 202],
  result: written,
})

/** Creates the record with this id, or replaces it completely. */
export const putRecord = defineEndpoint({
  method: 'PUT',
  path: '/v1/brains/{handle}/records/{id}',
  summary: 'Create or replace a record',
  access: { capabilities: ['write'] },
  body: newRecord.extend({ corrects }),
  idempotencyKey: 'header',
  ifMatch: true,
  errors: recordErrors,
  status: [200, 201, 202],
  result: written,
})

/** Changes parts of a record. A new `kind` changes its kind. */
export const patchRecord = defineEndpoint({
  method: 'PATCH',
  path: '/v1/brains/{handle}/records/{id}',
  summary: 'Change parts of a record',
  access: { capabilities: ['write'] },
  body: recordPatch.extend({ corrects }),
  idempotencyKey: 'header',
  ifMatch: true,
  errors: recordErrors,
  status: [200, 202],
  result: written,
})

/** Deletes a record and retracts the statements about it. Its history can still be read. */
export const deleteRecord = defineEndpoint({
  method: 'DELETE',
  path: '/v1/brains/{handle}/records/{id}',
  summary: 'Delete a record',
  access: { capabilities: ['write'] },
  idempotencyKey: 'header',
  ifMatch: true,
  errors: writeErrors,
  status: [200, 202],
  result: z.object({ ...writeResult, record: recordRef }),
})

/** Reads a record, now or `asOf` an earlier stateVersion. */
export const getRecord = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/records/{id}',
  summary: 'Read a record',
  access: { capabilities: ['read'] },
  query: z.object({ asOf }),
  status: [200],
  result: z.object({ record, stateVersion }),
})

/**
 * Lists records by id: all, of one kind or slug, or those that link to a record (`linksTo`), by one `predicate` or any.
 */
export const listRecords = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/records',
  summary: 'List records',
  access: { capabilities: ['read'] },
  query: z.object({
    kind: kind.optional(),
    slug: slug.optional(),
    linksTo: contentId.optional().meta({ description: 'The id of a record: those that link to it' }),
    predicate: predicate.optional().meta({ description: 'With linksTo: those that link to it by this predicate' }),
    ...listQuery,
    asOf,
  }),
  status: [200],
  list: 'records',
  result: z.object({ records: z.array(record), ...pageResult, stateVersion }),
})

/** Lists every version of a record, and how each ended. */
export const listRecordHistory = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/records/{id}/history',
  summary: 'List the versions of a record',
  access: { capabilities: ['read'] },
  query: z.object(listQuery),
  status: [200],
  list: 'versions',
  result: z.object({
    versions: z.array(
      z.object({
        record,
        ended: z
          .object({ stateVersion, at: timestamp, change: changeRef.shape.id, deleted: z.boolean() })
          .nullable()
          .meta({ description: 'What ended this version; null while it is current' }),
      }),
    ),
    ...pageResult,
    stateVersion,
  }),
})
