import type { Clock } from '../../../shared/clock.ts'
import { forbidden } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import { isStarterAllowed } from './starter-queries.ts'
import type { LeasedEvalRun } from './types.ts'

/** The person to whom reads of a run are limited. Throws if the starter of the run has lost access to the organization. */
export const findStarter = async (
  { db, clock }: { db: Db; clock: Clock },
  { organization, startedBy }: Pick<LeasedEvalRun, 'organization' | 'startedBy'>,
): Promise<{ viewer: Viewer }> => {
  if (!(await isStarterAllowed(db, organization, startedBy, clock.now())))
    throw forbidden('The access of the person or key that started this run has ended.')
  return { viewer: startedBy.type === 'session' ? startedBy.id : startedBy.userId }
}
