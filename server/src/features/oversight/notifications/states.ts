import type { Waiting } from '@noema/contracts/notifications.ts'
import type { Clock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import {
  countCompared,
  type FoundState,
  insertNotifications,
  lockNotifications,
  resolveNotifications,
  selectStates,
} from './state-queries.ts'

// States are derived on reading, from the tables that own them, so no write is slower and no number is old. Only a difference
// from the stored notifications causes a write: then one writer at a time derives all of them once more, so that a state has one
// notification however many readers come at once.

export type StateDeps = { db: Db; clock: Clock; isDivided: boolean }

/** The reader. Owners and admins see notifications about single people, too. */
export type Reader = { organizationId: string; userId: string; role: string; viewer: Viewer }

/** A state that goes on, with its notification. */
export type OngoingState = FoundState & { id: string }

const isReported = (state: FoundState): state is OngoingState => state.isOngoing && state.id !== null

/** Writes what began and what ended, and answers what goes on. */
const writeDifferences = (deps: StateDeps, reader: Reader): Promise<OngoingState[]> =>
  deps.db.transaction().execute(async (tx) => {
    const { organizationId } = reader
    await lockNotifications(tx, organizationId)
    const now = deps.clock.now()
    const found = await selectStates({ ...deps, db: tx }, { organizationId, now }, reader)
    const begun = found.filter(({ id }) => id === null).map((state) => ({ ...state, id: newId('ntf', now) }))
    const ended = found.flatMap(({ id, isOngoing }) => (id === null || isOngoing ? [] : id))
    if (begun.length > 0)
      await insertNotifications(
        tx,
        organizationId,
        begun.map(({ since, ...state }) => ({ ...state, at: since ?? now })),
      )
    if (ended.length > 0) await resolveNotifications(tx, organizationId, ended, now)
    return [...found.filter(isReported), ...begun]
  })

/** The organizations whose differences a node writes now. */
const writing = new WeakMap<Db, Map<string, Promise<unknown>>>()

const findStates = (deps: StateDeps, reader: Reader) =>
  selectStates(deps, { organizationId: reader.organizationId, now: deps.clock.now() }, reader)

/**
 * Has differences written, and answers what goes on. Of the readers of a node that find one at once, the first writes it. The others
 * wait and read again: if each waited for the lock in the database, many at once would wait longer than a statement may.
 */
const bringUpToDate = async (deps: StateDeps, reader: Reader): Promise<OngoingState[]> => {
  const { organizationId } = reader
  const ofNode = writing.get(deps.db) ?? new Map<string, Promise<unknown>>()
  writing.set(deps.db, ofNode)
  for (let first = ofNode.get(organizationId); first; first = ofNode.get(organizationId)) {
    // Its own reader hears that it failed.
    await first.catch(() => {})
    const found = await findStates(deps, reader)
    if (found.every(isReported)) return found
  }
  const written = writeDifferences(deps, reader).finally(() => ofNode.delete(organizationId))
  ofNode.set(organizationId, written)
  return written
}

const leaveTheirs = (states: readonly OngoingState[], { userId, role }: Reader): OngoingState[] =>
  states.filter(({ people, isHidden }) => !isHidden && (people === null || seesAll(role) || people.includes(userId)))

/** The ongoing states of an organization that concern the reader. */
export const readStates = async (deps: StateDeps, reader: Reader): Promise<OngoingState[]> => {
  const found = await findStates(deps, reader)
  return leaveTheirs(found.every(isReported) ? found : await bringUpToDate(deps, reader), reader)
}

/** True if a role sees notifications about single people. */
export const seesAll = (role: string): boolean => role === 'owner' || role === 'admin'

const addUp = (states: readonly OngoingState[], requested: string): number =>
  states.reduce((sum, { kind, count }) => (kind === requested ? sum + (count ?? 0) : sum), 0)

/** The numbers of what waits for a reader. */
export const countStates = (states: readonly OngoingState[]): Waiting => ({
  unread: states.filter(({ isRead }) => !isRead).length,
  changes: addUp(states, 'review.waiting'),
  tasks: addUp(states, 'tasks.open'),
})

/** The numbers of what waits for a reader at this moment, which are asked for often: the database adds them up. */
export const countWaitingFor = async (deps: StateDeps, reader: Reader): Promise<Waiting> => {
  const { organizationId, userId, role, viewer } = reader
  const scope = { organizationId, now: deps.clock.now() }
  const { agrees, ...waiting } = await countCompared(deps, scope, { userId, viewer, seesAll: seesAll(role) })
  return agrees ? waiting : countStates(leaveTheirs(await bringUpToDate(deps, reader), reader))
}
