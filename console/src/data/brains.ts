import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

// The queries of Brains. All files of this folder follow the same pattern: functions return the options of a query for a session,
// so that a view, a preload and an invalidation use the same key. A key starts with the organization. The key of a Brain
// continues with 'brain', its handle and the kind of data, by which its live stream invalidates it.

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
