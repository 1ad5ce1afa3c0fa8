import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

/** The filter of receipts: a consumer, or a served item. */
export type ReceiptFilter = {
  consumerId?: string | undefined
  record?: string | undefined
  statement?: string | undefined
  document?: string | undefined
}

/** Receipts of reads, newest first, page by page. */
export const receiptPagesQuery = ({ organization, client }: Session, handle: string, filter: ReceiptFilter) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'receipts', 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      client.brain(handle).receipts.list({ ...filter, after: pageParam, limit: 100, order: 'desc' }, { signal }),
    ...paging,
  })

/** One receipt, with the changes to its items since. */
export const receiptQuery = ({ organization, client }: Session, handle: string, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'receipts', 'one', id],
    queryFn: async ({ signal }) => (await client.brain(handle).receipts.get(id, { signal })).receipt,
  })
