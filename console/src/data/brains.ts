import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

// The queries of Brains. The pattern of every file here: functions that make the options of a query of a session,
// so that a view, a preload and an invalidation speak of the same key. A key begins with the organization; a Brain's goes
// on with 'brain', its handle and the kind of what is read, which is what its live stream invalidates by.

/** The Brains of the organization by handle, page by page. */
export const brainsQuery = ({ organization, client }: Session) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brains', 'list'],
    queryFn: ({ pageParam, signal }) => client.brains.list({ after: pageParam, limit: 200 }, { signal }),
    ...paging,
  })

/** One Brain, with its counts. */
export const brainQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'brain'],
    queryFn: ({ signal }) => client.brains.get(handle, { signal }),
  })
