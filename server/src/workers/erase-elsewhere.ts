import type { AppDeps } from '../api/app-deps.ts'
import { eraseRunsOfBrain } from '../features/agents/run-keeping/run-keeping.ts'
import { revokeSharesOfRuns } from '../features/agents/run-shares/ending-queries.ts'
import type { RunKey } from '../features/agents/runs/types.ts'
import { eraseDeliveries } from '../features/delivery/organization-webhooks/delivery-queries.ts'
import { eraseEvalsOfBrain } from '../features/evals/eval-runs/eval-keeping.ts'
import { eraseAttempts } from '../features/evals/goals/goal-keeping.ts'
import type { EraseElsewhere } from '../features/knowledge/erasing/erasing.ts'
import { eraseDistillationsOfBrain } from '../features/learning/distillations/distillations.ts'

type Deps = Pick<AppDeps, 'db' | 'clock' | 'runs'>

/** Erases what was made of runs whose contents are erased: deliveries, the grades of goals, and links. */
const eraseReports = async ({ db, clock }: Deps, runs: readonly RunKey[]): Promise<void> => {
  await eraseDeliveries(db, runs)
  await eraseAttempts(db, runs)
  await revokeSharesOfRuns(db, runs, clock.now())
}

/**
 * Erases what other features hold of a deleted Brain. Runs come first: work that reads one until then is stored with its Brains, and is
 * deleted after it.
 */
export const createEraseElsewhere =
  (deps: Deps): EraseElsewhere =>
  async (brainId, turn) =>
    (await eraseRunsOfBrain({ ...deps, eraseReports: (runs) => eraseReports(deps, runs) }, brainId, turn)) &&
    (await eraseEvalsOfBrain(deps, brainId, turn)) &&
    eraseDistillationsOfBrain(deps, brainId, turn)
