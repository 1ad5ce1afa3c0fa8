import type { Run } from '@noema/contracts/runs.ts'
import { awaitTopic, runEndTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { endSearch } from '../../platform/cursors/search-queries.ts'
import { type RunFilter, searchRuns, selectRuns } from './list-queries.ts'
import { selectRun, selectRunsOfAgent } from './run-queries.ts'
import type { RunStore } from './run-store.ts'
import { runView } from './run-view.ts'
import type { RunKey, RunRow } from './types.ts'

// Runs of agents. A run is a row with a journal: each operation is stored as it is done, and any node with its lease goes on from
// there.

type Deps = { db: Db }
type KeyedDeps = { keyedDb: Db }

/** The refusal of an id that no run of the organization has. */
export const noSuchRun = (id: string) => notFound(`This organization has no run ${JSON.stringify(id)}.`)

/** A run of an organization; throws where it is not there. */
export const findRun = async ({ keyedDb }: KeyedDeps, place: RunKey): Promise<RunRow> => {
  const found = await selectRun(keyedDb, place)
  if (!found) throw noSuchRun(place.id)
  return found
}

/** A page of an organization's runs, the place of its end, and whether there are more. */
export const listRunPage = async (
  { db }: Deps,
  organizationId: string,
  { text, projectId, viewer, ...filter }: RunFilter,
  { limit, ...page }: PageRequest<string>,
) => {
  // One more than the page has says that there are others.
  const requested = { ...page, limit: limit + 1 }
  if (text !== undefined || projectId !== undefined || viewer !== undefined)
    return endSearch(await searchRuns(db, organizationId, { ...filter, text, projectId, viewer }, requested), limit)
  const { rows, found } = await selectRuns(db, organizationId, filter, requested)
  const shown = rows.slice(0, limit)
  return { shown, last: shown.at(-1)?.id, hasMore: found > shown.length }
}

/** Cancels a run: it is abandoned with those that it started, and what they are doing stops. */
export const cancelRun = async (
  deps: KeyedDeps & { runs: Pick<RunStore, 'end'> },
  place: RunKey,
  reason: string,
): Promise<Run> => {
  await findRun(deps, place)
  const isEnded = await deps.runs.end({ ...place, ending: { state: 'abandoned', reason } })
  const run = await findRun(deps, place)
  if (!isEnded) throw conflict(`This run has ended already: it is ${run.state}.`, { code: 'run_ended' })
  return runView(run)
}

const maxEndedAtOnce = 200

/** Ends the runs of an agent that was archived. */
export const endRunsOfAgent = async (
  { db, runs }: Deps & { runs: Pick<RunStore, 'end'> },
  organizationId: string,
  agentId: string,
): Promise<void> => {
  const ending = { state: 'abandoned', reason: 'The agent was archived.' } as const
  for (;;) {
    const open = await selectRunsOfAgent(db, organizationId, agentId, maxEndedAtOnce)
    await Promise.all(open.map((run) => runs.end({ ...run, ending })))
    if (open.length < maxEndedAtOnce) return
  }
}

const pollMilliseconds = 2_000

/**
 * Waits for the end of a run, as long as the signal lets it, and returns the run as it is then. The run's topic wakes it on any
 * node, and it also polls; `isNew` says that the run had not ended a moment ago.
 */
export const awaitEnd = async (
  { runs, topics }: { runs: Pick<RunStore, 'find'>; topics: Pick<Topics, 'subscribe'> },
  place: RunKey,
  { signal, isNew }: { signal: AbortSignal; isNew: boolean },
): Promise<RunRow> => {
  let isFresh = isNew
  for (;;) {
    const wait = awaitTopic(topics, runEndTopic(place.id), { pollMilliseconds, signal })
    try {
      const run = isFresh && !signal.aborted ? undefined : await runs.find(place)
      if (!run && !isFresh) throw noSuchRun(place.id)
      if (run && (run.completedAt !== null || signal.aborted)) return run
      isFresh = false
      await wait.published
    } finally {
      wait.stop()
    }
  }
}
