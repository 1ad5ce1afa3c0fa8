import { z } from 'zod'
import { contentId, listQuery, pageResult, stateVersion, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/** Who reads, in the caller's own words: an agent, a user, a run. Receipts can be listed by it. */
export const consumerId = z
  .string()
  .min(1, 'A consumerId has 1 to 200 characters.')
  .max(200, 'A consumerId has 1 to 200 characters.')

/**
 * The reads that store a receipt. `read`: by id or as a list, by a tool of MCP or of a run; over HTTP such reads store none.
 */
export const receiptOperation = z.enum(['search', 'context', 'query', 'read'])

const version = z.object({ id: z.string(), version: z.int().min(1) })

/** What a read returned: versions of records, statements and documents, in the order of the response. */
export const served = z.object({
  records: z.array(version),
  statements: z.array(version),
  documents: z.array(version),
})
export type Served = z.infer<typeof served>

/**
 * A returned item that has changed since: `from` is the version that was returned, `to` the one that is live now (null if it
 * is deleted, retracted or retired), and `change` the change that did it.
 */
export const moved = z.object({
  ref: z.object({ type: z.enum(['record', 'statement', 'document']), id: z.string() }),
  from: z.int().min(1),
  to: z.int().min(1).nullable(),
  change: z.string(),
})
export type Moved = z.infer<typeof moved>

/** What one read returned, and at which stateVersion. `current`: nothing has changed since; otherwise `moved` lists what has. */
export const receipt = z.object({
  id: z.string(),
  consumerId: z.string().nullable(),
  operation: receiptOperation,
  at: timestamp,
  stateVersion,
  served,
  current: z.boolean(),
  moved: z.array(moved),
})
export type Receipt = z.infer<typeof receipt>

const path = '/v1/brains/{handle}/receipts' as const
const access = { capabilities: ['read'] } as const

/** Reads a receipt: what was returned, and what of it has changed since. */
export const getReceipt = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a receipt',
  access,
  status: [200],
  result: z.object({ receipt, stateVersion }),
})

/**
 * Lists receipts: of a consumer, or of reads that returned a record, statement or document, or of all that are
 * given. A page with several filters may have fewer than `limit` receipts while `hasMore` is true.
 */
export const listReceipts = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List receipts, by consumer and by what was returned',
  access,
  query: z.object({
    consumerId: consumerId.optional(),
    record: contentId.optional(),
    statement: contentId.optional(),
    document: contentId.optional(),
    ...listQuery,
  }),
  status: [200],
  list: 'receipts',
  result: z.object({ receipts: z.array(receipt), ...pageResult, stateVersion }),
})
