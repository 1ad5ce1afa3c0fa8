import type { OperationStatus, OperationType } from '@noema/contracts/activity.ts'
import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { askAgain } from './runs.ts'

/** The activity of each of the last 30 days. */
export const activityDaysQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'activity', 'days'],
    queryFn: async ({ signal }) => (await client.activityDays({}, { signal })).days,
    staleTime: 60_000,
  })

export type ActivityFilter = { type?: OperationType | undefined; status?: OperationStatus | undefined }

/** The latest operations of runs, newest first. */
export const activityQuery = ({ organization, client }: Session, filter: ActivityFilter) =>
  queryOptions({
    queryKey: [organization.id, 'activity', 'list', filter],
    queryFn: async ({ signal }) => (await client.activity({ ...filter, limit: 200 }, { signal })).operations,
    refetchInterval: askAgain,
  })
