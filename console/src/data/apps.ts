import { infiniteQueryOptions, type QueryClient } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

const appsKey = ({ organization }: Session) => [organization.id, 'apps'] as const

/** The apps that members of the organization let in. */
export const appsQuery = (session: Session) =>
  infiniteQueryOptions({
    queryKey: [...appsKey(session), 'list'],
    queryFn: ({ pageParam, signal }) => session.client.apps.list({ after: pageParam, limit: 100 }, { signal }),
    ...paging,
  })

/** Reloads the apps. */
export const refreshApps = (queries: QueryClient, session: Session) =>
  queries.invalidateQueries({ queryKey: appsKey(session) })
