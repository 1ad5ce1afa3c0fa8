import { z } from 'zod'
import { contentId, itemId, itemVersion, listQuery, pageResult, stateVersion, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/** The reader, in the caller's own words: an agent, a user, a run. Lists of receipts can be filtered by it. */
export const consumerId = z
  .string()
  .min(1, 'A consumerId has 1 to 200 characters.')
  .max(200, 'A consumerId has 1 to 200 characters.')
  .describe('Your name for who reads. Receipts can be listed by it.')

/**
 * The reads that store a receipt. `read`: by id or as a list, by a tool of MCP or of a run; over HTTP such reads store none.
 */
export const receiptOperation = z.enum(['search', 'context', 'query', 'read'])

/** A version of an item that a read returned. */
export const servedVersion = z
  .object({ id: itemId, version: itemVersion })
  .describe('A version of an item that was served.')

/** The items of a read: versions of records, statements and documents, in the order of the response. */
export const served = z.object({
  records: z.array(servedVersion).describe('The records that were served, by id and version.'),
  statements: z.array(servedVersion).describe('The statements that were served, by id and version.'),
  documents: z.array(servedVersion).describe('The documents that were served, by id and version.'),
})
export type Served = z.infer<typeof served>

/**
 * A returned item that has changed since: `from` is the version that was returned, `to` the one that is live now (null if it
 * is deleted, retracted or retired), and `change` the change that did it.
 */
export const moved = z.object({
  ref: z
    .object({ type: z.enum(['record', 'statement', 'document']).describe('The type.'), id: itemId })
    .describe('The changed item: its type and id.'),
  from: z.int().min(1).describe('The version that was served.'),
  to: z.int().min(1).nullable().describe('The current version; null if the item is gone.'),
  change: z.string().describe('The id of the change that moved it.'),
})
export type Moved = z.infer<typeof moved>

export const receipt = z
  .object({
    id: itemId,
    consumerId: z.string().nullable().describe('Your name for who reads. Receipts can be listed by it.'),
    operation: receiptOperation.describe('The operation.'),
    at: timestamp,
    stateVersion,
    change: z.string().optional().describe('The pending change that was read as if it were applied, if any.'),
    served: served.describe('The returned items, by id and version; never text.'),
    current: z.boolean().describe('True if everything that was served is still current.'),
    moved: z.array(moved).describe('The served items that have changed since.'),
  })
  .describe(
    'The items that one read returned, and their stateVersion. `current`: nothing has changed since; otherwise ' +
      '`moved` lists the changed items.',
  )
export type Receipt = z.infer<typeof receipt>

const path = '/v1/brains/{handle}/receipts' as const
const access = { capabilities: ['read'] } as const

export const getReceipt = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a receipt',
  description: 'Reads a receipt: the items that were returned, and those that have changed since.',
  access,
  status: [200],
  result: z.object({
    receipt: receipt.describe('The receipt: the items that you were given, by address and version.'),
    stateVersion,
  }),
})

export const listReceipts = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List receipts, by consumer and by what was returned',
  description:
    'Lists receipts: of a consumer, or of reads that returned a record, statement or document, or of all that are ' +
    'given. A page with several filters may have fewer than `limit` receipts while `hasMore` is true.',
  access,
  query: z.object({
    consumerId: consumerId.optional(),
    record: contentId.optional().describe('Only those about this record, by id.'),
    statement: contentId.optional().describe('Only those about this statement, by id.'),
    document: contentId.optional().describe('Only those about this document, by id.'),
    ...listQuery,
  }),
  status: [200],
  list: 'receipts',
  result: z.object({ receipts: z.array(receipt).describe('The receipts of this page.'), ...pageResult, stateVersion }),
})
