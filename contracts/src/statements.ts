import { z } from 'zod'
import { corrects, writeResult } from './changes.ts'
import {
  contentId,
  itemId,
  itemVersion,
  json,
  listQuery,
  newContentId,
  pageResult,
  provenance,
  provenanceInput,
  stateQuery,
  stateResult,
  stateVersion,
  timeInput,
  timestamp,
} from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { previewErrors, statementErrors, writeErrors } from './error-codes.ts'
import { forModels } from './for-models.ts'
import { predicate, recordRef } from './records.ts'

export const statementObject = z
  .union([z.strictObject({ record: recordRef.describe('The record.') }), z.strictObject({ value: json })], {
    error: 'object is { record: { id, kind } } or { value }.',
  })
  .describe('The object of a statement: another record, or a plain value.')

export const statementSource = z
  .object({
    document: z.string().min(1).max(200).describe('The document.'),
    version: z.int().min(1).optional().describe('The version. Each change to the item makes the next one.'),
    quote: z.string().max(5000).optional().describe('The words of the document that support the statement.'),
  })
  .describe('A document that supports a statement, with the version and the words that were read.')

export const statement = z
  .object({
    id: itemId,
    version: itemVersion,
    subject: recordRef.describe('The record that the statement is about.'),
    predicate: z.string().describe('The name of the relation.'),
    object: statementObject.describe('The object of the statement: a value, or another record.'),
    validFrom: timestamp.nullable().describe('From when on the statement is true; null if always.'),
    validTo: timestamp.nullable().describe('Until when the statement is true; null if there is no end.'),
    confidence: z.number().nullable().describe('How sure the writer is, from 0 to 1; null if nothing was said.'),
    sources: z.array(statementSource).describe('The documents, and the quotes in them, that support the statement.'),
    stateVersion,
    provenance: provenance.describe('The origin of this version.'),
    assertedAt: timestamp,
    retractedAt: timestamp.nullable().describe('When the statement was retracted; null if it is not.'),
    retraction: z
      .object({
        stateVersion,
        change: z.string().describe('The id of the change that retracted it.'),
        reason: z.string().nullable().describe('Why, for people.'),
      })
      .nullable()
      .describe('The retraction of the statement; null if it is not retracted.'),
  })
  .describe(
    'A claim about a record, on two timelines: `validFrom`/`validTo` in the world, `assertedAt`/`retractedAt` in the ' +
      'Brain. Asserting it again with another `validTo`, `confidence` or `sources` makes its next version: ' +
      '`assertedAt`, `provenance` and `stateVersion`, the Brain state in which that was asserted, are those of the ' +
      'version.',
  )
export type Statement = z.infer<typeof statement>

export const newStatement = z
  .object({
    id: newContentId.optional(),
    subject: recordRef.describe('The record that the statement is about.'),
    predicate,
    object: statementObject.describe('The object of the statement: a value, or another record.'),
    validFrom: timeInput.optional().describe('From when on the statement is true; without it, always.'),
    validTo: timeInput.nullable().optional().describe('Until when the statement is true; null if there is no end.'),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .optional()
      .describe('How sure the writer is, from 0 to 1; null if nothing was said.'),
    sources: z
      .array(statementSource)
      .max(100)
      .optional()
      .describe('The documents, and the quotes in them, that support the statement.'),
    provenance: provenanceInput.optional().describe('The origin of this version.'),
  })
  .describe(
    'The content of a statement to assert, in a POST or a batch. If a live one has the same subject, predicate, ' +
      'object and `validFrom`, omitted properties stay as they are, and `validTo` or `confidence` null removes it.',
  )

export const assertStatement = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/statements',
  summary: 'Assert a statement',
  description:
    'Asserts a statement. A live one with the same subject, predicate, object and `validFrom` is the same statement: ' +
    'it is returned, and another `validTo`, `confidence` or `sources` makes its next version. So `validTo` ends a live ' +
    'statement in the world. A pending write returns its id; a caller without read gets id and version, ' +
    'and nothing else that is stored.',
  access: { capabilities: ['write'] },
  body: newStatement.extend({ corrects }),
  idempotencyKey: 'header',
  errors: statementErrors,
  status: [201, 200, 202],
  result: z
    .object({
      ...writeResult,
      statement: z
        .union([
          statement,
          z.object({
            id: itemId,
            version: z.int().optional().describe('The version. Each change to the item makes the next one.'),
          }),
        ])
        .describe('The statement.'),
    })
    .describe('The outcome of the write, and the statement.'),
})

export const retractStatement = defineEndpoint({
  method: 'DELETE',
  path: '/v1/brains/{handle}/statements/{id}',
  summary: 'Retract a statement',
  description: 'Retracts a statement. It can still be read with `retracted=true` or `asOf`.',
  access: { capabilities: ['write'] },
  body: z.object({ reason: z.string().max(2000).optional().describe('Why, for people.'), corrects }),
  bodyOptional: true,
  idempotencyKey: 'header',
  errors: writeErrors,
  status: [200, 202],
  result: z
    .object({ ...writeResult, statement: z.object({ id: itemId }).describe('The statement.') })
    .describe('The outcome of the write, and the statement that it retracts.'),
})

export const getStatement = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/statements/{id}',
  summary: 'Read a statement',
  description:
    'Reads a statement, now or `asOf` an earlier stateVersion. A retracted one is read with `retracted=true`.',
  access: { capabilities: ['read'] },
  query: z.object({
    retracted: z.stringbool().optional().describe('Whether retracted statements are listed instead of live ones.'),
    ...stateQuery,
  }),
  errors: previewErrors,
  status: [200],
  result: z.object({ statement: statement.describe('The statement.'), ...stateResult }),
})

export const listStatements = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/statements',
  summary: 'List statements',
  description:
    'Lists statements by id: of a subject, a predicate, or a record that is their object; valid at a time, or the ' +
    'retracted ones (`retracted=true`).',
  access: { capabilities: ['read'] },
  query: z.object({
    subject: contentId.optional().describe('Only statements about this record, by id.'),
    predicate: predicate.optional().describe('Only those with this predicate.'),
    object: contentId.optional().meta(forModels('The id of a record: statements that it is the object of')),
    validAt: timeInput.optional().describe('Only statements that are true at this time.'),
    retracted: z.stringbool().optional().describe('Whether retracted statements are listed instead of live ones.'),
    ...listQuery,
    ...stateQuery,
  }),
  errors: previewErrors,
  status: [200],
  list: 'statements',
  result: z.object({
    statements: z.array(statement).describe('The statements of this page.'),
    ...pageResult,
    ...stateResult,
  }),
})
