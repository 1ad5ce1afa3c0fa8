import type { Clock } from '../../../shared/clock.ts'
import type { Db } from '../../../storage/database.ts'
import { endClaimed } from '../../agents/runs/end-claimed.ts'
import type { RunStore } from '../../agents/runs/run-store.ts'
import { expireTasks, selectEvalRun } from './run-queries.ts'
import type { EvalRunKey } from './types.ts'

// Canceling a run of an eval ends all that it has started, also runs that a node began and could not store.

export type EndDeps = { db: Db; keyedDb: Db; clock: Clock; runs: Pick<RunStore, 'end'> }

/** The sender of the idempotency keys of runs of agents and judges. */
export const toSender = (id: string): string => `eval ${id}`

const ending = { state: 'abandoned', reason: 'The run of its eval was canceled.' } as const

/** Ends the runs of agents and judges, and the tasks of people, of a run that was canceled. */
export const endStarted = async (deps: EndDeps, key: EvalRunKey): Promise<void> => {
  const { organizationId, id } = key
  await expireTasks(deps.db, key, deps.clock.now())
  await endClaimed(deps, { organizationId, sender: toSender(id) }, ending)
}

/** Ends all that a run has started if it was canceled: the node that worked on it has lost its lease. */
export const endIfCanceled = async (deps: EndDeps, key: EvalRunKey): Promise<void> => {
  if ((await selectEvalRun(deps.db, key))?.state === 'canceled') await endStarted(deps, key)
}
