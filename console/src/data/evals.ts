import type { EvalRun } from '@noema/contracts/eval-runs.ts'
import type { Eval } from '@noema/contracts/evals.ts'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

/** The organization's evals that are not archived, by id. */
export const evalsQuery = ({ organization, client }: Session) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'evals', 'list'],
    queryFn: ({ pageParam, signal }) =>
      client.evals.list({ archived: 'false', after: pageParam, limit: 500 }, { signal }),
    ...paging,
  })

export const evalQuery = ({ organization, client }: Session, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'evals', 'eval', id],
    queryFn: async ({ signal }) => (await client.evals.get(id, { signal })).eval,
  })

/** The cases of an eval in its newest version, by id. */
export const casesQuery = ({ organization, client }: Session, { id, version }: Pick<Eval, 'id' | 'version'>) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'evals', 'eval', id, 'cases', version],
    queryFn: ({ pageParam, signal }) => client.evals.cases(id, { after: pageParam, limit: 50 }, { signal }),
    ...paging,
  })

const pollMilliseconds = 2_000

const isOver = ({ completedAt }: EvalRun): boolean => completedAt !== null

/** The latest runs of an eval, the newest first. They are read again while one goes on. */
export const evalRunsQuery = ({ organization, client }: Session, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'evals', 'eval', id, 'runs'],
    queryFn: async ({ signal }) => (await client.evals.runs(id, { order: 'desc', limit: 50 }, { signal })).runs,
    refetchInterval: ({ state }) => (state.data?.every(isOver) ? false : pollMilliseconds),
  })

export type ResultFilter = 'failed' | 'flipped' | undefined

/** The results of a run: all of them, those that failed, or those of flipped cases. */
export const resultsQuery = (
  { organization, client }: Session,
  { id, done }: Pick<EvalRun, 'id' | 'done'>,
  filter: ResultFilter,
) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'evals', 'run', id, done, filter ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      client.evalRuns.cases(
        id,
        { ...(filter === undefined ? {} : { filter }), after: pageParam, limit: 100 },
        { signal },
      ),
    ...paging,
  })
