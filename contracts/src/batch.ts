import { z } from 'zod'
import { corrects, writeResult } from './changes.ts'
import { largeBodyLimit } from './common.ts'
import { newDocument } from './documents.ts'
import { defineEndpoint } from './endpoint.ts'
import { contentErrors } from './error-codes.ts'
import { newRecord, recordPatch } from './records.ts'
import { newStatement } from './statements.ts'

/** Names an operation's result inside its batch; `"$ref:name"` stands for its id wherever a later operation takes an id. */
const ref = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'A ref has 1 to 64 of A-Z, a-z, 0-9, ., _ and -.')
  .optional()
const id = z.string().min(1, 'An id has 1 to 200 characters.').max(200, 'An id has 1 to 200 characters.')
const ifMatch = z.int().min(1).optional().meta({ description: 'The version that must be current' })

/** One operation of a batch, chosen by `op`. */
export const operation = z.discriminatedUnion('op', [
  newRecord.extend({ op: z.literal('record.create'), ref }),
  newRecord.extend({ op: z.literal('record.put'), ref, id, ifMatch }),
  recordPatch.extend({ op: z.literal('record.patch'), ref, id, ifMatch }),
  z.object({ op: z.literal('record.delete'), id, ifMatch }),
  newStatement.extend({ op: z.literal('statement.assert'), ref }),
  z.object({ op: z.literal('statement.retract'), id, reason: z.string().max(2000).optional() }),
  newDocument.extend({ op: z.literal('document.put'), ref, ifMatch }),
  z.object({ op: z.literal('document.retire'), id, ifMatch }),
])
export type Operation = z.infer<typeof operation>

/** What one operation did. `changed` is false if everything was as it should be already. */
export const operationResult = z.object({
  op: z.string(),
  ref: z.string().optional(),
  id: z.string(),
  version: z.int().optional(),
  changed: z.boolean(),
})
export type OperationResult = z.infer<typeof operationResult>

/**
 * Up to 1,000 operations, all or nothing: one change, one stateVersion. With `review` the change waits for a decision, also in
 * a Brain whose mode is direct.
 */
export const batch = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/batch',
  summary: 'Write up to 1,000 operations as one change',
  access: { capabilities: ['write'] },
  body: z.object({
    operations: z
      .array(operation)
      .min(1, 'A batch has 1 to 1,000 operations.')
      .max(1000, 'A batch has 1 to 1,000 operations.'),
    corrects,
    review: z
      .boolean()
      .optional()
      .meta({ description: 'true: the change waits for review, also where writes are applied' }),
  }),
  bodyLimit: largeBodyLimit,
  idempotencyKey: 'header',
  errors: contentErrors,
  status: [200, 202],
  result: z.object({ ...writeResult, results: z.array(operationResult) }),
})
