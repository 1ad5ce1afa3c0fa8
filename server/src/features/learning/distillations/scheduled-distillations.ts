import type { ScheduledDistillation } from '@noema/contracts/distillations.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'
import { openTarget } from './check-target.ts'
import { findInto, findModel, refuseSingleRuns } from './distillations.ts'

// Distillations that a schedule starts by `beginInto`. The runs that one reads are looked up at each start, and so is who may read their Brains.

const at = ['distillation'] as const

/** Refuses a distillation that a person could not start; answers the id of the Brain that gets what it finds. */
export const checkScheduledDistillation = async (
  db: Queryable,
  acting: { organizationId: string; viewer: Viewer },
  request: ScheduledDistillation,
): Promise<string> => {
  refuseSingleRuns(request, at)
  const brain = await findInto(db, acting, request, at)
  await openTarget(db, { ...acting, brain })
  if (request.model !== undefined) await findModel(db, acting, request.model, at)
  return brain
}
