import type { EvalRun } from '@noema/contracts/eval-runs.ts'
import type { Eval, EvalCase } from '@noema/contracts/evals.ts'
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

/** An eval with all its cases: at most a thousand. */
export type EvalWithCases = { tested: Eval; cases: readonly EvalCase[] }

/** The newest version of an eval with its cases, read again for each use. */
export const evalWithCasesQuery = ({ organization, client }: Session, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'evals', 'with-cases', id],
    queryFn: async ({ signal }): Promise<EvalWithCases> => {
      const { eval: tested } = await client.evals.get(id, { signal })
      const cases: EvalCase[] = []
      for await (const one of client.evals.cases(id, { limit: 500 }, { signal })) cases.push(one)
      return { tested, cases }
    },
    staleTime: 0,
    gcTime: 0,
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

/** The results of a run: all of them, those that failed, or those of flipped cases. They are read again while it goes on. */
export const resultsQuery = (
  { organization, client }: Session,
  { id, completedAt }: Pick<EvalRun, 'id' | 'completedAt'>,
  filter: ResultFilter,
) =>
  infiniteQueryOptions({
    // Flipped cases are known only when the run has ended.
    queryKey: [organization.id, 'evals', 'run', id, completedAt, filter ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      client.evalRuns.cases(
        id,
        { ...(filter === undefined ? {} : { filter }), after: pageParam, limit: 50 },
        { signal },
      ),
    refetchInterval: completedAt === null ? pollMilliseconds : false,
    ...paging,
  })
