import type { Hold } from '@noema/contracts/brains.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { runStatement } from '../../../storage/statements.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain, onBrainOfHandle, toAct } from '../../kernel/brains/brains.ts'
import type { BrainLocks } from '../../kernel/locks/locks.ts'
import { insertEvents } from '../../kernel/stream/event-queries.ts'
import { positionEvents } from '../../kernel/stream/stream.ts'
import { addAudit, addAuditOfChange } from '../../platform/audit/audit.ts'
import { type StandingHold, selectHold, updateHold } from './queries.ts'

// A hold stops writes to a Brain, under the lock that writes take too: a write either commits before the hold, with its
// events before availability.changed, or it finds the hold and is refused. A Brain that was never written to emits the
// event too, because a reader that waits for its first event must learn that none may come.

type Deps = { db: Db; clock: Clock; brainLocks: BrainLocks }
type Target = { organizationId: string; handle: string; by: Actor }
type Held = { brain: BrainRow; hold: Hold | null; changed: boolean }

const holdView = ({ reason, since, by }: StandingHold): Hold => ({
  reason,
  since: since.toISOString(),
  by: by.id,
  ...(by.type === 'key' ? {} : { byActor: summarizeActor(by) }),
})

/** Why, since when and by whom a Brain is held; null where it is not. */
export const readHold = async ({ db }: { db: Db }, { brainId }: BrainRow): Promise<Hold | null> => {
  const hold = await selectHold(db, brainId)
  return hold && holdView(hold)
}

/** Changes the availability of a locked Brain, with an event for its readers. */
const changeAvailability = async (
  tx: Tx,
  brain: BrainRow,
  { hold, now }: { hold: StandingHold | null; now: Date },
): Promise<BrainRow> => {
  const to = hold ? 'held' : 'active'
  const events = positionEvents(brain, brain.position, now.toISOString(), [
    { type: 'availability.changed', data: { from: brain.availability, to } },
  ])
  await runStatement(tx, insertEvents(brain.brainId, events))
  return updateHold(tx, { ...brain, availability: to, position: brain.position + events.length }, hold, now)
}

const onLockedBrain = (
  deps: Deps,
  { organizationId, handle }: Target,
  act: (tx: Tx, brain: BrainRow) => Promise<Held>,
) =>
  onBrainOfHandle(deps, { organizationId, handle }, (tx, brain) => {
    if (!brain) throw noSuchBrain(handle)
    return act(tx, brain)
  })

/** Holds a Brain. If it is held already, the reason is replaced and nothing is emitted. */
export const holdBrainByHandle = (deps: Deps, target: Target, given: { reason: string }): Promise<Held> =>
  onLockedBrain(deps, target, async (tx, brain) => {
    const now = deps.clock.now()
    const standing = await selectHold(tx, brain.brainId)
    if (standing) {
      const hold = { ...standing, reason: given.reason }
      const isRepeat = hold.reason === standing.reason
      const [before, after] = [{ reason: standing.reason }, given]
      await addAuditOfChange(tx, { ...toAct(brain, target.by, 'brain.held'), before, after }, now)
      return { brain: isRepeat ? brain : await updateHold(tx, brain, hold, now), hold: holdView(hold), changed: false }
    }
    const hold = { reason: given.reason, by: target.by, since: now }
    await addAudit(tx, { ...toAct(brain, target.by, 'brain.held'), after: given }, now)
    return { brain: await changeAvailability(tx, brain, { hold, now }), hold: holdView(hold), changed: true }
  })

/** Releases a Brain. The caller publishes the blocked changes after the commit. */
export const releaseBrainByHandle = (deps: Deps, target: Target): Promise<Held> =>
  onLockedBrain(deps, target, async (tx, brain) => {
    if (brain.availability !== 'held') return { brain, hold: null, changed: false }
    const now = deps.clock.now()
    await addAudit(tx, toAct(brain, target.by, 'brain.released'), now)
    return {
      brain: await changeAvailability(tx, brain, { hold: null, now }),
      hold: null,
      changed: true,
    }
  })
