import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

// What the home page reads. None of it has a stream: it is asked again while the page is seen.

const often = 10_000
const minute = 60_000

/** What waits for the person, with the numbers of all that does. */
export const openNotificationsQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'notifications', 'open'],
    queryFn: ({ signal }) => client.notifications.list({ state: 'open', order: 'desc', limit: 20 }, { signal }),
    refetchInterval: often,
  })

/** What the organization has. */
export const overviewQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'overview'],
    queryFn: ({ signal }) => client.overview({ signal }),
    refetchInterval: often,
  })

/** What happened on each of the last thirty days, by the days of the person's own time zone. */
export const activityDaysQuery = ({ organization, client }: Session) => {
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions()
  return queryOptions({
    queryKey: [organization.id, 'activity', 'days', timezone],
    queryFn: ({ signal }) => client.activityDays({ timezone }, { signal }),
    refetchInterval: minute,
  })
}

/** The newest runs of all agents. */
export const newestRunsQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'runs', 'newest'],
    queryFn: ({ signal }) => client.runs.list({ order: 'desc', limit: 12 }, { signal }),
    refetchInterval: often,
  })
