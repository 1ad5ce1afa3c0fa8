import type { Db } from '../../../storage/database.ts'
import { forgetAfterDays, type Retention } from '../../agents/run-keeping/run-keeping.ts'
import { deleteEvalsOfBrain, deleteOldEvalRuns, deleteRunsOfBrain, deleteVersionsOfBrain } from './keeping-queries.ts'

// The retention of runs of evals, and what deleting a Brain erases of them.

const maxAtOnce = 5

/** Deletes runs of evals as long after their end as runs of agents. */
export const forgetEvalRuns = (deps: Retention) => forgetAfterDays(deps, maxAtOnce, deleteOldEvalRuns)

/**
 * Deletes the evals that are about a deleted Brain, earlier versions of others that were, and the runs of others whose results may have
 * content of it. False where the turn is over before.
 */
export const eraseEvalsOfBrain = async (
  { db }: { db: Db },
  brainId: number,
  turn: { stopping: AbortSignal; renew(): Promise<boolean> },
): Promise<boolean> => {
  for (;;) {
    if (turn.stopping.aborted || !(await turn.renew())) return false
    if ((await deleteRunsOfBrain(db, brainId, maxAtOnce)) < maxAtOnce) break
  }
  while ((await deleteEvalsOfBrain(db, brainId, maxAtOnce)) === maxAtOnce)
    if (turn.stopping.aborted || !(await turn.renew())) return false
  await deleteVersionsOfBrain(db, brainId)
  return true
}
