import type { OperationStatus, OperationType } from '@noema/contracts/activity.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { askAgain } from './runs.ts'

/** The activity of each of the last 30 days. */
export const activityDaysQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'activity', 'days'],
    queryFn: async ({ signal }) => (await client.activityDays({}, { signal })).days,
    staleTime: 60_000,
  })

export type ActivityFilter = {
  type?: OperationType | undefined
  status?: OperationStatus | undefined
  text?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

/** The number of operations that a search looks at, as the contract has it. */
export const maxSearched = 2_000

/** The number of operations that are shown: as many as runs can be named for at once. */
export const maxOperations = 100

/** The latest operations of runs, newest first. */
export const activityQuery = ({ organization, client }: Session, filter: ActivityFilter) =>
  queryOptions({
    queryKey: [organization.id, 'activity', 'list', filter],
    queryFn: async ({ signal }) => (await client.activity({ ...filter, limit: maxOperations }, { signal })).operations,
    refetchInterval: filter.text === undefined ? askAgain : false,
    placeholderData: keepPreviousData,
  })
