import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

/** The organization's agents, by id; archived ones on request. */
export const agentsQuery = ({ organization, client }: Session, archived: 'true' | 'false' = 'false') =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'agents', 'list', archived],
    queryFn: ({ pageParam, signal }) => client.agents.list({ archived, after: pageParam, limit: 500 }, { signal }),
    ...paging,
  })

export const agentQuery = ({ organization, client }: Session, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'agents', 'agent', id],
    queryFn: async ({ signal }) => (await client.agents.get(id, { signal })).agent,
  })

/** The versions of an agent, newest first. */
export const versionsQuery = ({ organization, client }: Session, id: string) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'agents', 'agent', id, 'versions'],
    queryFn: ({ pageParam, signal }) =>
      client.agents.versions(id, { order: 'desc', after: pageParam, limit: 50 }, { signal }),
    ...paging,
  })
