import { NotFoundError } from '@noema/sdk/errors.ts'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { type Packed, pack } from './packed-pages.ts'
import { paging } from './paging.ts'
import { type RecordFilter, toCall } from './record-filter.ts'

// The queries of records and their relations.

/** The reader, as receipts name it. */
export const consumerId = 'noema-console'

/** A page of records, from either endpoint. */
export type RecordPage = { records: Packed; cursor: string; hasMore: boolean; stateVersion: number }

export type Order = 'asc' | 'desc'

/** The first page is small, so that it arrives soon; later ones have the maximum size. */
const firstPage = 100
const furtherPages = 500

/**
 * Filtered records, page by page. The live stream does not invalidate this key: it may have hundreds of pages, all of which would
 * be reloaded. The page itself checks whether the Brain has changed.
 */
export const recordPagesQuery = (
  { organization, client }: Session,
  handle: string,
  filter: RecordFilter,
  order: Order,
) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'record-pages', filter, order],
    queryFn: async ({ pageParam, signal }): Promise<RecordPage> => {
      const call = toCall(filter)
      const page = { after: pageParam, limit: pageParam === undefined ? firstPage : furtherPages, order }
      const brain = client.brain(handle)
      const { records, cursor, hasMore, stateVersion } =
        call.by === 'list'
          ? await brain.records.list({ ...call.query, ...page }, { signal })
          : await brain.query({ ...call.body, ...page, consumerId }, { signal })
      return { records: pack(records), cursor, hasMore, stateVersion }
    },
    ...paging,
    // Comparing a hundred thousand records with the previous ones would block the page.
    structuralSharing: false,
    refetchOnWindowFocus: false,
    staleTime: 60_000,
  })

/** The number of records of a kind that a filter finds. It is counted again when the list is read at another state. */
export const recordCountQuery = (
  { organization, client }: Session,
  handle: string,
  { filter, stateVersion }: { filter: RecordFilter & { kind: string }; stateVersion: number },
) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'record-pages', 'count', filter, stateVersion],
    queryFn: async ({ signal }) => {
      const { kind, slug, where, asOf } = filter
      const conditions = { ...(slug !== undefined && { slug }), ...where }
      // Conditions on fields are about the current state, as they are in the list.
      const at = where === undefined ? asOf : undefined
      const body = { kind, where: conditions, asOf: at, count: true, limit: 1, consumerId }
      const { count } = await client.brain(handle).query(body, { signal })
      return count ?? null
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** One record, now or at an earlier state. */
export const recordQuery = ({ organization, client }: Session, handle: string, id: string, asOf?: number) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'records', 'one', id, asOf],
    queryFn: ({ signal }) => client.brain(handle).records.get(id, { asOf }, { signal }),
  })

/** Every version of a record, newest first. */
export const recordHistoryQuery = ({ organization, client }: Session, handle: string, id: string) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'records', 'history', id],
    queryFn: ({ pageParam, signal }) =>
      client.brain(handle).records.history(id, { after: pageParam, limit: 100, order: 'desc' }, { signal }),
    ...paging,
  })

/** The records that link to a record. */
export const linkingRecordsQuery = ({ organization, client }: Session, handle: string, id: string, asOf?: number) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'records', 'linking', id, asOf],
    queryFn: ({ pageParam, signal }) =>
      client.brain(handle).records.list({ linksTo: id, asOf, after: pageParam, limit: 50 }, { signal }),
    ...paging,
  })

/** Statements that have a record as their subject, or as their object. */
export const statementsQuery = (
  { organization, client }: Session,
  handle: string,
  about: { subject: string } | { object: string },
  asOf?: number,
) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'statements', about, asOf],
    queryFn: ({ pageParam, signal }) =>
      client.brain(handle).statements.list({ ...about, asOf, after: pageParam, limit: 50 }, { signal }),
    ...paging,
  })

/** The filter of the list of statements. */
export type StatementFilter = {
  subject?: string | undefined
  predicate?: string | undefined
  object?: string | undefined
  retracted?: true | undefined
}

/** Statements by a filter, newest first, page by page. */
export const statementPagesQuery = ({ organization, client }: Session, handle: string, filter: StatementFilter) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'statements', 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      client.brain(handle).statements.list({ ...filter, after: pageParam, limit: 100, order: 'desc' }, { signal }),
    ...paging,
  })

/** The versions of a statement, newest first: each is read at the state before the next one. */
export const statementVersionsQuery = (
  { organization, client }: Session,
  handle: string,
  { id, stateVersion }: { id: string; stateVersion: number },
) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'statements', 'versions', id, stateVersion],
    queryFn: async ({ pageParam: asOf, signal }) =>
      (await client.brain(handle).statements.get(id, { asOf }, { signal })).statement,
    initialPageParam: stateVersion,
    getNextPageParam: ({ version, stateVersion }) => (version > 1 ? stateVersion - 1 : undefined),
    // A state does not change.
    staleTime: Number.POSITIVE_INFINITY,
  })

/** One statement, also a retracted one, now or at an earlier state. */
export const statementQuery = ({ organization, client }: Session, handle: string, id: string, asOf?: number) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'statements', 'one', id, asOf],
    queryFn: async ({ signal }) => {
      const { statements } = client.brain(handle)
      if (asOf !== undefined) return statements.get(id, { asOf }, { signal })
      try {
        return await statements.get(id, {}, { signal })
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error
        return statements.get(id, { retracted: true }, { signal })
      }
    },
  })
