import { z } from 'zod'
import { corrects, writeResult } from './changes.ts'
import { itemId, largeBodyLimit, toNewId } from './common.ts'
import { documentArtifact, newDocument } from './documents.ts'
import { defineEndpoint } from './endpoint.ts'
import { contentErrors } from './error-codes.ts'
import { forModels } from './for-models.ts'
import { newRecord, recordPatch } from './records.ts'
import { newStatement } from './statements.ts'

/** Names an operation's result inside its batch; `"$ref:name"` is its id in every later operation that takes an id. */
const ref = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'A ref has 1 to 64 of A-Z, a-z, 0-9, ., _ and -.')
  .optional()
  .describe('The name under which later operations of the batch can refer to this one, as `$ref:name`.')
const id = z.string().min(1, 'An id has 1 to 200 characters.').max(200, 'An id has 1 to 200 characters.')
const ifMatch = z.int().min(1).optional().meta(forModels('The version that must be current'))

const recordPut = newRecord.extend({
  op: z.literal('record.put').describe('The operation.'),
  ref,
  id: toNewId(id).describe('The id. It never changes.'),
  ifMatch,
})

const recordDelete = z.object({
  op: z.literal('record.delete').describe('The operation.'),
  id: id.describe('The id. It never changes.'),
  ifMatch,
})

const documentPut = newDocument.extend({ op: z.literal('document.put').describe('The operation.'), ref, ifMatch })

export const operation = z
  .discriminatedUnion('op', [
    newRecord.extend({ op: z.literal('record.create').describe('The operation.'), ref }),
    recordPut,
    recordPatch.extend({
      op: z.literal('record.patch').describe('The operation.'),
      ref,
      id: id.describe('The id. It never changes.'),
      ifMatch,
    }),
    recordDelete,
    newStatement.extend({ op: z.literal('statement.assert').describe('The operation.'), ref }),
    z.object({
      op: z.literal('statement.retract').describe('The operation.'),
      id: id.describe('The id. It never changes.'),
      reason: z.string().max(2000).optional().describe('Why, for people.'),
    }),
    documentPut,
    z.object({
      op: z.literal('document.retire').describe('The operation.'),
      id: id.describe('The id. It never changes.'),
      ifMatch,
    }),
  ])
  .describe('One operation of a batch, chosen by `op`.')

/**
 * An operation as changes keep it, with names that no caller can send: the file that the text of a document was extracted from, the
 * record that a deleted one was merged into, and that of a merge which a written record undoes.
 */
export const storedOperation = operation.and(
  z.object({
    artifact: documentArtifact.optional().describe('The file that the text of a document is from.'),
    mergedInto: z.string().optional().describe('What a deleted record was merged into.'),
    undoesMerge: z.string().optional().describe('The record of a merge that this undoes.'),
  }),
)
export type Operation = z.infer<typeof storedOperation>

export const operationResult = z
  .object({
    op: z.string().describe('The operation.'),
    ref: z
      .string()
      .optional()
      .describe('The name under which later operations of the batch can refer to this one, as `$ref:name`.'),
    id: itemId,
    version: z.int().optional().describe('The version. Each change to the item makes the next one.'),
    changed: z.boolean().describe('True if the operation changed anything.'),
  })
  .describe('The result of one operation. `changed` is false if it had nothing to change.')
export type OperationResult = z.infer<typeof operationResult>

export const batch = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/batch',
  summary: 'Write up to 1,000 operations as one change',
  description:
    'Up to 1,000 operations, all or nothing: one change, one stateVersion. With `review` the change waits for a ' +
    'decision, also in a Brain whose mode is direct.',
  access: { capabilities: ['write'] },
  body: z.object({
    operations: z
      .array(operation)
      .min(1, 'A batch has 1 to 1,000 operations.')
      .max(1000, 'A batch has 1 to 1,000 operations.')
      .describe('The operations, in their order.'),
    corrects,
    reason: z.string().min(1).max(2000).optional().meta(forModels('Why, for reviewers and for readers of the history')),
    review: z.boolean().optional().meta(forModels('true: the change waits for review, also where writes are applied')),
  }),
  bodyLimit: largeBodyLimit,
  idempotencyKey: 'header',
  errors: [...contentErrors, 'stale_version'],
  status: [200, 202],
  result: z
    .object({
      ...writeResult,
      results: z.array(operationResult).describe('The result of each operation, in the order of the request.'),
    })
    .describe('The outcome of the batch, and the result of each operation.'),
})
