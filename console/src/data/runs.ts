import type { Operation } from '@noema/contracts/activity.ts'
import type { Run } from '@noema/contracts/runs.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

// The queries of runs. A run has a stream that invalidates its data; the pages poll lists of runs.

/** The interval at which a visible page polls lists without a stream. */
export const askAgain = 10_000

const pageSize = 500
/** More than a person reads; the page shows the number of the others. */
const maxOperations = 5_000

export type RunFilter = {
  agentId?: string | undefined
  state?: Run['state'] | undefined
  conversationId?: string | undefined
  triggerId?: string | undefined
  scheduleId?: string | undefined
  projectId?: string | undefined
  text?: string | undefined
  from?: string | undefined
  until?: string | undefined
}

const toKey = ({ organization }: Session, id: string, ...rest: string[]) => [
  organization.id,
  'runs',
  'run',
  id,
  ...rest,
]

/** The prefix of all queries of one run. */
export const runKey = (session: Session, id: string) => toKey(session, id)

export const hasEnded = ({ completedAt }: Pick<Run, 'completedAt'>): boolean => completedAt !== null

export const runQuery = (session: Session, id: string) =>
  queryOptions({
    queryKey: toKey(session, id, 'run'),
    queryFn: ({ signal }) => session.client.runs.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data && hasEnded(state.data.run) ? false : askAgain),
  })

/** The operations of a run, oldest first. */
export const operationsQuery = (session: Session, id: string) =>
  queryOptions({
    queryKey: toKey(session, id, 'operations'),
    queryFn: async ({ signal }) => {
      const operations: Operation[] = []
      let page: { cursor: string; hasMore: boolean } | undefined
      while ((!page || page.hasMore) && operations.length < maxOperations) {
        const read = await session.client.runs.operations(id, { after: page?.cursor, limit: pageSize }, { signal })
        operations.push(...read.operations)
        page = read
      }
      return { operations, hasMore: page?.hasMore === true }
    },
  })

export const messagesQuery = (session: Session, id: string) =>
  queryOptions({
    queryKey: toKey(session, id, 'messages'),
    queryFn: async ({ signal }) => (await session.client.runs.messages(id, { limit: pageSize }, { signal })).messages,
  })

/** The open questions of a run. */
export const runTasksQuery = (session: Session, id: string) =>
  queryOptions({
    queryKey: toKey(session, id, 'tasks'),
    queryFn: async ({ signal }) =>
      (await session.client.tasks.list({ runId: id, state: 'open', limit: 20 }, { signal })).tasks,
  })

/** The organization's runs, newest first. */
export const runsQuery = ({ organization, client }: Session, filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'runs', 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      client.runs.list({ ...filter, order: 'desc', after: pageParam, limit: 100 }, { signal }),
    // A search looks at thousands of runs.
    refetchInterval: filter.text === undefined ? askAgain : false,
    ...paging,
  })

/** Runs by their ids, at most a hundred. */
export const runsByIdQuery = ({ organization, client }: Session, ids: readonly string[]) =>
  queryOptions({
    queryKey: [organization.id, 'runs', 'ids', ids],
    queryFn: async ({ signal }) => {
      const { runs } = await client.runs.list({ ids, limit: Math.max(1, ids.length) }, { signal })
      return new Map(runs.map((run) => [run.runId, run]))
    },
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  })
