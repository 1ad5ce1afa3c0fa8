import { infiniteQueryOptions, type QueryClient } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

const keysKey = ({ organization }: Session) => [organization.id, 'management-keys'] as const

/** The organization's management keys, newest first. */
export const managementKeysQuery = (session: Session) =>
  infiniteQueryOptions({
    queryKey: [...keysKey(session), 'list'],
    queryFn: ({ pageParam, signal }) =>
      session.client.keys.list({ after: pageParam, limit: 100, order: 'desc' }, { signal }),
    ...paging,
  })

/** Reloads the keys. */
export const refreshKeys = (queries: QueryClient, session: Session) =>
  queries.invalidateQueries({ queryKey: keysKey(session) })
