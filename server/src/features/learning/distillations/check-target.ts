import type { Clock } from '../../../shared/clock.ts'
import { conflict, forbidden, notFound } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'
import { type BrainRow, selectBrainById } from '../../kernel/brains/brain-queries.ts'
import { findWiderReaders, mayWriteTo, selectBrainsBehind } from './source-queries.ts'

// The Brain that gets what a distillation finds: its starter may write to it, and unless they allowed it, no one can read it who cannot
// read each Brain behind the runs. Both are checked when it begins, and again before anything is staged.

const reasons = {
  members: 'It is open to members who cannot read every Brain of these runs.',
  keys: 'It has a key or an app that can read it, and that cannot read the other Brains of these runs.',
}

/** Refuses a Brain with more readers than some others. */
export const checkReaders = async (
  { db, clock }: { db: Queryable; clock: Clock },
  { into, sources, allowWider }: { into: number; sources: readonly number[]; allowWider: boolean },
): Promise<void> => {
  const wider = allowWider ? undefined : await findWiderReaders(db, { into, sources, now: clock.now() })
  if (wider)
    throw conflict(
      `${reasons[wider]} Choose another Brain or other runs, or send allowWider if its readers may know.`,
      {
        code: 'wider_readers',
      },
    )
}

/** The Brain of an id, if a person may write to it. */
export const openTarget = async (
  db: Queryable,
  { organizationId, brain: id, viewer }: { organizationId: string; brain: string; viewer: Viewer },
): Promise<BrainRow> => {
  const brain = await selectBrainById(db, organizationId, id, viewer)
  if (!brain) throw notFound('The Brain that gets the items is not there any more, or is not open to you.')
  if (!(await mayWriteTo(db, brain.brainId, viewer)))
    throw forbidden(`You need the role writer in the Brain ${JSON.stringify(brain.handle)}.`)
  return brain
}

/** Refuses to bring what some runs wrote into a Brain with more readers than the Brains behind these runs. */
export const checkReadersOfRuns = async (
  deps: { db: Queryable; clock: Clock },
  { organizationId, into, runIds }: { organizationId: string; into: number; runIds: readonly string[] },
): Promise<void> => {
  const sources = await selectBrainsBehind(deps.db, organizationId, runIds)
  await checkReaders(deps, { into, sources, allowWider: false })
}
