import type { Schedule } from '@noema/contracts/schedules.ts'
import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { askAgain } from './runs.ts'

// Triggers and schedules. Neither list has a stream, and both are short: an organization has a limited number.

const toKey = ({ organization }: Session, ...rest: unknown[]) => [organization.id, 'automations', ...rest]

/** The prefix of all queries of triggers and schedules. */
export const automationsKey = (session: Session) => toKey(session)

/** The organization's triggers, by id. */
export const triggersQuery = (session: Session) =>
  queryOptions({
    queryKey: toKey(session, 'triggers'),
    queryFn: async ({ signal }) => (await session.client.triggers.list({ signal })).triggers,
    refetchInterval: askAgain,
  })

const pageSize = 500

/** The organization's schedules, by id. */
export const schedulesQuery = (session: Session) =>
  queryOptions({
    queryKey: toKey(session, 'schedules'),
    queryFn: async ({ signal }) => {
      const schedules: Schedule[] = []
      let page: { cursor: string; hasMore: boolean } | undefined
      while (!page || page.hasMore) {
        const read = await session.client.schedules.list({ after: page?.cursor, limit: pageSize }, { signal })
        schedules.push(...read.schedules)
        page = read
      }
      return schedules
    },
    refetchInterval: askAgain,
  })

/** The runs of a trigger, or those of a schedule. */
export type Starter = { triggerId: string } | { scheduleId: string }

/** The number of runs that are checked to count consecutive failures. */
export const maxFailuresSeen = 10

/** The latest runs of one of them, reloaded when it starts another, and while the last one is open. */
export const startedRunsQuery = ({ organization, client }: Session, starter: Starter, lastRunId: string) =>
  queryOptions({
    queryKey: [organization.id, 'runs', 'started', starter, lastRunId],
    queryFn: async ({ signal }) =>
      (await client.runs.list({ ...starter, order: 'desc', limit: maxFailuresSeen }, { signal })).runs,
    refetchInterval: ({ state }) => (state.data?.[0]?.completedAt === null ? askAgain : false),
  })
