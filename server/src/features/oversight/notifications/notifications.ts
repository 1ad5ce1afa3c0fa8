import type { BodyOutput, QueryOutput } from '@noema/contracts/endpoint.ts'
import type { listNotifications, Notification, readNotifications, Waiting } from '@noema/contracts/notifications.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import {
  deleteResolved,
  holdReader,
  markRead,
  markReadThrough,
  type NotificationReader,
  type NotificationRow,
  selectNotifications,
} from './queries.ts'
import {
  countStates,
  countWaitingFor,
  type OngoingState,
  type Reader,
  readStates,
  type StateDeps,
  seesAll,
} from './states.ts'
import { toTitle } from './titles.ts'

// Notifications of an organization, and the marks of their readers.

const toPlace = ({ role, ...place }: Reader): NotificationReader => ({ ...place, seesAll: seesAll(role) })

const notificationView = (row: NotificationRow, state: OngoingState | undefined): Notification => {
  const { id, kind, targetType, targetId, readAt, resolvedAt } = row
  const name = state?.name ?? row.name
  const count = state?.count ?? null
  return {
    ...{ id, kind },
    ...(row.brain === null ? {} : { brain: row.brain }),
    target: { type: targetType, id: targetId, ...(name === null ? {} : { name }) },
    title: toTitle({ kind, target: targetType, name, brain: row.brain, count }),
    ...(count === null ? {} : { count }),
    at: row.beganAt.toISOString(),
    readAt: readAt?.toISOString() ?? null,
    ...(resolvedAt === null ? {} : { resolvedAt: resolvedAt.toISOString() }),
  }
}

type ListQuery = Pick<QueryOutput<typeof listNotifications>, 'state' | 'unread'>

/** Reads the notifications of a reader page by page, with the number that wait. First it updates them from the states. */
export const openNotifications = async (
  deps: StateDeps,
  reader: Reader,
  { state, unread }: ListQuery,
): Promise<{ waiting: Waiting; read(page: PageRequest<string>): Promise<Notification[]> }> => {
  const states = await readStates(deps, reader)
  const ongoing = new Map(states.map((one) => [one.id, one]))
  // A closed notification is never unread.
  const filter = unread ? { state: 'open' as const, isUnread: true } : { state, isUnread: false }
  return {
    waiting: countStates(states),
    read: async (page) => {
      if (unread && state === 'resolved') return []
      const rows = await selectNotifications(deps.db, toPlace(reader), filter, page)
      return rows.map((row) => notificationView(row, ongoing.get(row.id)))
    },
  }
}

/** Marks notifications as read by a reader. */
export const markNotifications = async (
  deps: StateDeps,
  reader: Reader,
  given: BodyOutput<typeof readNotifications>,
): Promise<Waiting> => {
  const place = toPlace(reader)
  await deps.db.transaction().execute(async (tx) => {
    const now = deps.clock.now()
    if (!(await holdReader(tx, place))) return
    if (given.ids) await markRead(tx, place, given.ids, now)
    if (given.upTo !== undefined) await markReadThrough(tx, place, given.upTo, now)
  })
  return countWaitingFor(deps, reader)
}

const keptMilliseconds = 90 * 86_400_000
const maxForgotten = 1_000

/** Takes away what ended long ago. */
export const forgetNotifications = async ({ db, clock }: StateDeps): Promise<void> => {
  const before = new Date(clock.now().getTime() - keptMilliseconds)
  while ((await deleteResolved(db, before, maxForgotten)) === maxForgotten);
}
