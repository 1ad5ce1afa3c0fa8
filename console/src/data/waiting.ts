import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

/** The interval at which a visible page polls queries that have no stream. */
const askAgainMilliseconds = 10_000

/** The person's open items in the organization: unread notifications, changes to review, tasks to answer. */
export const waitingQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'waiting'],
    queryFn: async ({ signal }) => (await client.notifications.waiting({ signal })).waiting,
    refetchInterval: askAgainMilliseconds,
  })
