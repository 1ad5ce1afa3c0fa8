import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

/** The prefix of all queries of connectors. */
export const connectorsKey = ({ organization }: Session) => [organization.id, 'connectors']

/** The organization's connectors, by id. There are at most fifty. */
export const connectorsQuery = (session: Session) =>
  queryOptions({
    queryKey: [...connectorsKey(session), 'list'],
    queryFn: async ({ signal }) => (await session.client.connectors.list({ limit: 500 }, { signal })).connectors,
  })

/** One connector with the tools that its server offered last. */
export const connectorQuery = (session: Session, id: string) =>
  queryOptions({
    queryKey: [...connectorsKey(session), 'connector', id],
    queryFn: async ({ signal }) => (await session.client.connectors.get(id, { signal })).connector,
  })
