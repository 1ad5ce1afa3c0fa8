import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { readTimeZone } from '../time-zone.ts'

// The queries of the home page. None of them has a stream, so a visible page polls them.

const often = 10_000
const minute = 60_000

/** The person's open items, with the number of each kind. */
export const openNotificationsQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'notifications', 'open'],
    queryFn: ({ signal }) => client.notifications.list({ state: 'open', order: 'desc', limit: 20 }, { signal }),
    refetchInterval: often,
  })

/** The counts of the organization. */
export const overviewQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'overview'],
    queryFn: ({ signal }) => client.overview({ signal }),
    refetchInterval: often,
  })

/** The activity of each of the last thirty days, by the person's own time zone. */
export const activityDaysQuery = ({ organization, client }: Session) => {
  const timezone = readTimeZone()
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
