import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

/** How often what has no stream is asked again while the page is seen. */
const askAgainMilliseconds = 10_000

/** What waits for the person in the organization: unread notifications, changes to review, tasks to answer. */
export const waitingQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'waiting'],
    queryFn: async ({ signal }) => (await client.notifications.waiting({ signal })).waiting,
    refetchInterval: askAgainMilliseconds,
  })
