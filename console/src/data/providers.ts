import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

/** The prefix of all queries of providers. */
export const providersKey = ({ organization }: Session) => [organization.id, 'providers']

/** The organization's providers of language models and those that the service shares. There are at most fifty. */
export const providersQuery = (session: Session) =>
  queryOptions({
    queryKey: providersKey(session),
    queryFn: ({ signal }) => session.client.providers.list({ limit: 500 }, { signal }),
  })
