import type { AdminEvent } from '@noema/contracts/admin.ts'
import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

/** `email` is the person it is about; empty without one. */
type NewEvent = Omit<AdminEvent, 'notificationSent' | 'createdAt'> & { email: string; createdAt: Date }

export const insertEvent = (
  db: Queryable,
  { id, kind, email, summary, detail, notificationType, createdAt }: NewEvent,
) =>
  sql`
  insert into admin_events (id, kind, email, summary, detail, notification_type, created_at)
  values (${id}, ${kind}, lower(${email}), ${summary}, ${JSON.stringify(detail)}::json, ${notificationType},
    ${createdAt})`.execute(db)

/** Serializes requests for access by one address. Returns how many it made since a time. */
export const countRequests = async (tx: Queryable, email: string, since: Date): Promise<number> => {
  await sql`select pg_advisory_xact_lock(hashtextextended('access request ' || lower(${email}), 0))`.execute(tx)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from admin_events
    where kind = 'access_request' and email = lower(${email}) and created_at > ${since}`.execute(tx)
  return rows[0]?.count ?? 0
}

/** The address of the account that signed up first, if it is confirmed. */
export const selectFirstAddress = async (db: Queryable): Promise<string | undefined> => {
  const { rows } = await sql<{ email: string; emailVerified: boolean }>`
    select email, "emailVerified" from "user" order by "createdAt", id limit 1`.execute(db)
  return rows[0]?.emailVerified ? rows[0].email : undefined
}

type EventRow = Omit<AdminEvent, 'createdAt'> & { createdAt: Date }

/** Deleted organizations are listed only on request, because earlier programs do not know this kind. */
const ofKind = (kind: AdminEvent['kind'] | undefined) =>
  kind === undefined ? sql`kind in ('access_request', 'signup')` : sql`kind = ${kind}`

/** A page of events, the newest first. */
export const selectEvents = async (
  db: Queryable,
  { kind, limit, offset }: { kind?: AdminEvent['kind'] | undefined; limit: number; offset: number },
): Promise<EventRow[]> => {
  const { rows } = await sql<EventRow>`
    select event.id, event.kind, event.summary, event.detail, event.notification_type as "notificationType",
      exists (select 1 from mail_outbox as mail where mail.about = event.id and mail.sent_at is not null)
        as "notificationSent",
      event.created_at as "createdAt"
    from (select * from admin_events where ${ofKind(kind)}
      order by id desc limit ${limit} offset ${offset}) as event
    order by event.id desc`.execute(db)
  return rows
}
