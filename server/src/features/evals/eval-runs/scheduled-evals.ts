import type { Actor } from '../../../shared/actor.ts'
import { unknownReference } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { ScheduledFor } from '../../agents/schedules/targets.ts'
import { archivedEval } from '../evals/definitions.ts'
import { isEvalShown, selectEval } from '../evals/eval-queries.ts'
import { beginEvalRun } from './eval-runs.ts'
import { refuseGiven } from './pin.ts'

// Evals that a schedule runs.

type ScheduledEval = { evalId: string; trials?: number }

/** Refuses an eval that a person could not run. */
export const checkScheduledEval = async (
  db: Queryable,
  { organizationId, viewer }: { organizationId: string; viewer: Viewer },
  { evalId, trials = 1 }: ScheduledEval,
): Promise<void> => {
  const key = { organizationId, id: evalId }
  const found = await selectEval(db, key)
  if (!found || !(await isEvalShown(db, key, viewer)))
    throw unknownReference(['evalId'], `This organization has no eval ${JSON.stringify(evalId)}.`)
  if (found.archivedAt !== null) throw archivedEval()
  refuseGiven(found.definition.target, { trials })
}

/** Runs an eval for an instant of a schedule; answers the id of the run. */
export const startScheduledEval = async (
  deps: Parameters<typeof beginEvalRun>[0],
  { organizationId, by, viewer }: { organizationId: string; by: Actor; viewer: Viewer },
  scheduled: ScheduledFor,
  { evalId, trials = 1 }: ScheduledEval,
): Promise<string> => {
  await checkScheduledEval(deps.db, { organizationId, viewer }, { evalId, trials })
  const run = await beginEvalRun(deps, { organizationId, evalId, by, viewer }, { trials }, { scheduled })
  return run.id
}
