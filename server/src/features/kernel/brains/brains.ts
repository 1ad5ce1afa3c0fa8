import { randomBytes } from 'node:crypto'
import type { AuditAction } from '@noema/contracts/audit.ts'
import type { Brain, patchBrain, putBrain } from '@noema/contracts/brains.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { Caps } from '../../../config/tiers.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, forbidden, notFound, type Path, unknownReference } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { runStatement } from '../../../storage/statements.ts'
import { addAudit, addAuditOfChange } from '../../platform/audit/audit.ts'
import type { List, PageRequest } from '../../platform/cursors/cursors.ts'
import { type BrainLocks, maxWaitMilliseconds } from '../locks/locks.ts'
import { insertEvents } from '../stream/event-queries.ts'
import { positionEvents } from '../stream/stream.ts'
import { checkBrains } from '../usage/usage.ts'
import { lockUsage } from '../usage/usage-queries.ts'
import {
  type BrainRow,
  countContents,
  findBrainId,
  insertBrain,
  lockBrainByHandle,
  markDeleted,
  selectBrains,
  selectFormerBrain,
  selectPersonalRole,
  updateBrain,
} from './brain-queries.ts'

// A Brain is identified by its handle inside its organization. Deleting one frees the handle at once; creating it again
// makes a new Brain, and cursors of the old one are refused (EVT-08).

type Deps = { db: Db; clock: Clock; brainLocks: BrainLocks }

/** The schema that a new Brain begins with: its version, and what stores it with the Brain. */
export type SchemaFork = { schemaVersion: number; store: (tx: Tx, brainId: number, now: Date) => Promise<void> }

/** Restricts a Brain to members, in the transaction that creates it. */
type Restrict = (tx: Tx, brain: BrainRow, now: Date) => Promise<unknown>

/** Returns a Brain as answers show it. */
export const brainView = (row: BrainRow): Brain => ({
  id: row.id,
  handle: row.handle,
  name: row.name,
  purpose: row.purpose,
  mode: row.mode,
  availability: row.availability,
  stateVersion: row.stateVersion,
  schemaVersion: row.schemaVersion,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** The refusal of a handle that names no Brain of the caller's. */
export const noSuchBrain = (handle: string) =>
  notFound(`There is no Brain ${JSON.stringify(handle)} that you can reach. A management key can create it.`)

/** Refuses an argument, `at`, that names no live Brain of an organization. */
export const checkBrainExists = async (db: Queryable, place: Place, at: Path): Promise<void> => {
  if ((await findBrainId(db, place)) === undefined) throw unknownReference(at, noSuchBrain(place.handle).message)
}

/** The refusal of writes to a held Brain (D-24). */
export const heldBrain = () =>
  conflict('This Brain has a hold: it can be read but not written until the hold is released.', { code: 'brain_held' })

const createBrain = async (
  tx: Tx,
  target: { organizationId: string; handle: string },
  given: BodyOutput<typeof putBrain>,
  {
    caps,
    now,
    fork,
    restrict,
  }: { caps: Caps; now: Date; fork: SchemaFork | undefined; restrict: Restrict | undefined },
) => {
  if (caps) {
    await lockUsage(tx, target.organizationId)
    // Another request has made it meanwhile, be it the last one that the cap allows.
    if ((await findBrainId(tx, target)) !== undefined) return undefined
    await checkBrains(tx, target.organizationId, caps)
  }
  const brain = await insertBrain(
    tx,
    {
      ...target,
      id: newId('brn', now),
      name: given.name ?? null,
      purpose: given.purpose ?? null,
      mode: given.mode ?? 'direct',
      cursorKey: randomBytes(32),
      schemaVersion: fork?.schemaVersion ?? 0,
    },
    now,
  )
  if (brain) await fork?.store(tx, brain.brainId, now)
  if (brain) await restrict?.(tx, brain, now)
  return brain
}

type Place = { organizationId: string; handle: string; viewer?: Viewer }

/** Returns the audit log's entry of an act on a Brain. */
export const toAct = (
  { organizationId, id, handle }: Pick<BrainRow, 'organizationId' | 'id' | 'handle'>,
  by: Actor,
  action: AuditAction,
) => ({
  ...{ organizationId, by, action },
  target: { type: 'brain', id, name: handle },
})

const audited = ({ name, purpose, mode, reviewRules }: BrainRow) => ({ name, purpose, mode, reviewRules })

/** Runs a transaction that first locks the Brain of a handle, in turn; `brain` is undefined if there is none. */
export const onBrainOfHandle = async <Result>(
  deps: Deps,
  place: Place,
  act: (tx: Tx, brain: BrainRow | undefined) => Promise<Result>,
): Promise<Result> => {
  const attempt = (wait: number) =>
    deps.db.transaction().execute(async (tx) => act(tx, await lockBrainByHandle(tx, wait, place)))
  return deps.brainLocks.run(await findBrainId(deps.db, place), attempt)
}

/** Refuses a handle whose Brain is not open to a person, and changes by one who is not a manager of it. */
const checkPut = async (tx: Tx, { brainId, handle }: BrainRow, { userId }: Actor, isChange: boolean): Promise<void> => {
  const role = await selectPersonalRole(tx, brainId, userId)
  if (role === null)
    throw conflict(`The handle ${JSON.stringify(handle)} cannot be used in this organization. Choose another one.`, {
      code: 'handle_taken',
    })
  if (isChange && role !== 'manager')
    throw forbidden(`This call needs the role manager in this Brain, where you are a ${role}.`)
}

/** Creates the Brain of this handle, or updates the name and purpose of the one there is. Repeating it is one write. */
export const putBrainByHandle = (
  deps: Deps,
  target: Place & { caps: Caps; fork?: SchemaFork | undefined; restrict?: Restrict | undefined; by: Actor },
  given: BodyOutput<typeof putBrain>,
): Promise<{ brain: BrainRow; created: boolean }> => {
  const { caps, fork, restrict, by, ...place } = target
  return onBrainOfHandle(deps, place, async (tx, found) => {
    const now = deps.clock.now()
    if (!found) {
      const created = await createBrain(tx, place, given, { caps, now, fork, restrict })
      if (created) {
        await addAudit(tx, { ...toAct(created, by, 'brain.created'), after: audited(created) }, now)
        return { brain: created, created: true }
      }
    }
    // Nothing was inserted because another request made it in between: then this one is the repeat.
    const brain = found ?? (await lockBrainByHandle(tx, maxWaitMilliseconds, place))
    if (!brain) throw conflict('This handle was created and deleted by others at the same moment. Try again.')
    const next = { ...brain, name: given.name ?? brain.name, purpose: given.purpose ?? brain.purpose }
    const changed = next.name !== brain.name || next.purpose !== brain.purpose
    await checkPut(tx, brain, by, changed)
    if (!changed) return { brain, created: false }
    await addAuditOfChange(
      tx,
      { ...toAct(brain, by, 'brain.changed'), before: audited(brain), after: audited(next) },
      now,
    )
    return { brain: (await updateBrain(tx, next, now)) ?? brain, created: false }
  })
}

type Rules = NonNullable<BodyOutput<typeof patchBrain>['reviewRules']>

/** The rules without one that is null: that removes it. */
const toRules = ({ requireEval, ...rules }: Rules): BrainRow['reviewRules'] => ({
  ...rules,
  ...(typeof requireEval === 'string' ? { requireEval } : {}),
})

/** More work for new settings of a Brain, in their transaction. */
type Follow = (tx: Tx, brain: BrainRow, now: Date) => Promise<unknown>

/** Changes a Brain's mode, name, purpose or review rules. Pending changes stay pending. */
export const changeBrain = (
  deps: Deps,
  { brain, by, follow }: { brain: BrainRow; by: Actor; follow?: Follow | undefined },
  given: BodyOutput<typeof patchBrain>,
): Promise<BrainRow> =>
  onBrainOfHandle(deps, brain, async (tx, current) => {
    if (current?.brainId !== brain.brainId) throw noSuchBrain(brain.handle)
    const next = {
      brainId: brain.brainId,
      name: given.name ?? current.name,
      purpose: given.purpose ?? current.purpose,
      mode: given.mode ?? current.mode,
      reviewRules: toRules({ ...(current.reviewRules as Rules), ...given.reviewRules }),
    }
    const [now, before, after] = [deps.clock.now(), audited(current), audited({ ...current, ...next })]
    await addAuditOfChange(tx, { ...toAct(current, by, 'brain.changed'), before, after }, now)
    const changed = (await updateBrain(tx, next, now)) ?? current
    await follow?.(tx, changed, now)
    return changed
  })

/** A page of an organization's Brains by handle. */
export const listBrainPage = (deps: Deps, organizationId: string, page: PageRequest<string>, viewer?: Viewer) =>
  selectBrains(deps.db, organizationId, page, viewer)

/** Deletes a Brain in one transaction; a worker erases its rows afterwards. With its organization it goes even where it is held. */
export const deleteBrainByHandle = (
  deps: Deps,
  {
    by,
    brainId,
    withOrganization = false,
    ...place
  }: Place & { by: Actor; brainId?: number | undefined; withOrganization?: boolean },
) =>
  onBrainOfHandle(deps, place, async (tx, brain) => {
    if (!brain || (brainId !== undefined && brain.brainId !== brainId)) throw noSuchBrain(place.handle)
    if (brain.availability === 'held' && !withOrganization) throw heldBrain()
    const now = deps.clock.now()
    const erased = await countContents(tx, brain.brainId)
    // Deleting a Brain that was never written to leaves no trace; any other Brain's readers get a last event (BRN-05).
    const farewell = positionEvents(brain, brain.position, now.toISOString(), [
      { type: 'availability.changed', data: { from: brain.availability, to: 'deleted' } },
    ]).slice(0, brain.position > 0 ? 1 : 0)
    if (farewell.length > 0) await runStatement(tx, insertEvents(brain.brainId, farewell))
    await markDeleted(tx, brain.brainId, brain.position + farewell.length, now)
    await addAudit(tx, { ...toAct(brain, by, 'brain.deleted'), before: { ...audited(brain), erased } }, now)
    return { brainId: brain.brainId, erased }
  })

/** A list of one Brain, with texts or numbers as positions. A cursor of an earlier Brain of the same handle is 409 (EVT-08). */
export const brainList = <Place extends string | number>(
  db: Db,
  brain: BrainRow,
  { list, start }: { list: string; start: Place },
): List<Place extends string ? string : number> => ({
  ...{ scope: brain, list },
  start: start as Place extends string ? string : number,
  refuse: async ({ brainId, isMadeBy }) => {
    const former = Number.isSafeInteger(brainId) && (await selectFormerBrain(db, brain, Number(brainId)))
    if (former && isMadeBy(former.cursorKey))
      throw conflict('This cursor is from before the Brain was deleted and created again. Start over without after.', {
        code: 'stale_cursor',
      })
  },
})
