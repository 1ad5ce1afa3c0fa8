import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import { hidesNotification, type State } from './state-queries.ts'

/** A reader, and if they see notifications about single people. */
export type NotificationReader = { organizationId: string; userId: string; seesAll: boolean; viewer: Viewer }

export type NotificationRow = Omit<State, 'count' | 'since'> & {
  id: string
  beganAt: Date
  resolvedAt: Date | null
  readAt: Date | null
}

export type NotificationFilter = { state?: 'open' | 'resolved' | undefined; isUnread: boolean }

const isFor = ({ organizationId, userId, seesAll, viewer }: NotificationReader): RawBuilder<unknown> =>
  sql`${seesAll ? sql`true` : sql`(notification.people is null or ${userId} = any(notification.people))`}
    and not ${hidesNotification('notification', organizationId, viewer)}`

const states = {
  open: sql`and notification.resolved_at is null`,
  resolved: sql`and notification.resolved_at is not null`,
}

const readAt = sql`coalesce(mark.read_at, case when notification.id <= reader.read_through then reader.read_at end)`

/** A page of the notifications of a reader. */
export const selectNotifications = async (
  db: Queryable,
  place: NotificationReader,
  { state, isUnread }: NotificationFilter,
  page: PageRequest<string>,
): Promise<NotificationRow[]> => {
  const { organizationId, userId } = place
  const { rows } = await sql<NotificationRow>`
    select notification.id, notification.kind, notification.target_type as "targetType",
      notification.target_id as "targetId", notification.name, notification.brain, notification.people,
      notification.began_at as "beganAt", notification.resolved_at as "resolvedAt", ${readAt} as "readAt"
    from notifications as notification
      left join notification_readers as reader
        on reader.organization_id = ${organizationId} and reader.user_id = ${userId}
      left join notification_marks as mark on mark.organization_id = ${organizationId} and mark.user_id = ${userId}
        and mark.notification_id = notification.id
    where notification.organization_id = ${organizationId} and ${isFor(place)}
      and ${isAfter(sql`notification.id`, page)} ${state ? states[state] : sql``}
      ${isUnread ? sql`and ${readAt} is null` : sql``}
    ${inOrder(sql`notification.id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** Has the reader's row there, as long as they are a member; answers whether they are. */
export const holdReader = async (
  tx: Tx,
  { organizationId, userId }: Pick<NotificationReader, 'organizationId' | 'userId'>,
): Promise<boolean> => {
  const { rows } = await sql`
    select from member where "organizationId" = ${organizationId} and "userId" = ${userId} for key share`.execute(tx)
  if (rows.length === 0) return false
  await sql`insert into notification_readers (organization_id, user_id) values (${organizationId}, ${userId})
    on conflict do nothing`.execute(tx)
  return true
}

/** Marks single notifications as read; what was read before keeps its time. */
export const markRead = (tx: Tx, place: NotificationReader, ids: readonly string[], now: Date) =>
  sql`insert into notification_marks (organization_id, user_id, notification_id, read_at)
    select organization_id, ${place.userId}, id, ${now} from notifications as notification
    where organization_id = ${place.organizationId} and id = any(${[...ids]}) and ${isFor(place)}
    on conflict do nothing`.execute(tx)

/** Marks all up to a notification as read, and with it, if it is there. */
export const markReadThrough = (tx: Tx, place: NotificationReader, id: string, now: Date) =>
  sql`update notification_readers set read_through = ${id}, read_at = ${now}
    where organization_id = ${place.organizationId} and user_id = ${place.userId}
      and coalesce(read_through < ${id}, true)
      and exists (select 1 from notifications as notification
        where organization_id = ${place.organizationId} and id = ${id} and ${isFor(place)})`.execute(tx)

/** Takes away some notifications of what ended before a time; answers how many there were. */
export const deleteResolved = async (db: Queryable, before: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from notifications where (organization_id, id) in (
      select organization_id, id from notifications where resolved_at < ${before} order by resolved_at limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

export type SettingsRow = { mail: boolean; hour: number; timezone: string }

/** The settings of a person; `lock` keeps them as they are until the transaction ends. */
export const selectSettings = async (
  db: Queryable,
  { organizationId, userId }: Pick<NotificationReader, 'organizationId' | 'userId'>,
  { lock = false } = {},
): Promise<SettingsRow | undefined> => {
  const { rows } = await sql<SettingsRow>`select mail, hour, timezone from notification_readers
    where organization_id = ${organizationId} and user_id = ${userId} ${lock ? sql`for no key update` : sql``}`.execute(
    db,
  )
  return rows[0]
}

/**
 * Stores the settings of a person, and when their next mail is due; a node that sends one at this moment can no longer store
 * that.
 */
export const updateSettings = (
  db: Queryable,
  { organizationId, userId }: Pick<NotificationReader, 'organizationId' | 'userId'>,
  { mail, hour, timezone, dueAt }: SettingsRow & { dueAt: Date | null },
) =>
  sql`update notification_readers set mail = ${mail}, hour = ${hour}, timezone = ${timezone}, due_at = ${dueAt}, lease = null
    where organization_id = ${organizationId} and user_id = ${userId}`.execute(db)
