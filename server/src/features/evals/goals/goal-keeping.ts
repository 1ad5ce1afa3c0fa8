import type { Db } from '../../../storage/database.ts'
import { forgetAfterDays, type Retention } from '../../agents/run-keeping/run-keeping.ts'
import type { RunKey } from '../../agents/runs/types.ts'
import { deleteOldGoals, eraseAttemptsOfRuns } from './keeping-queries.ts'

// The retention of goals, and what deleting a Brain erases of them.

const maxAtOnce = 20

/** Deletes goals as long after their end as runs of agents. */
export const forgetGoals = (deps: Retention) => forgetAfterDays(deps, maxAtOnce, deleteOldGoals)

/** Erases what goals hold of runs whose contents are erased: their grades may quote answers. */
export const eraseAttempts = (db: Db, runs: readonly RunKey[]): Promise<void> =>
  db.transaction().execute((tx) => eraseAttemptsOfRuns(tx, runs))
