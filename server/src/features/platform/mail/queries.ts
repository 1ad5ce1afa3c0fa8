import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

type NewMail = {
  id: string
  to: string
  subject: string
  text: string
  createdAt: Date
  /** Null when no mail server will take it. */
  dueAt: Date | null
}

export const insertMail = (db: Queryable, mail: NewMail) =>
  sql`
  insert into mail_outbox (id, recipient, subject, body, created_at, next_attempt_at)
  values (${mail.id}, ${mail.to}, ${mail.subject}, ${mail.text}, ${mail.createdAt}, ${mail.dueAt})`.execute(db)

export type LeasedMail = { id: string; to: string; subject: string; text: string; attempt: number }

/** Takes up to `limit` due messages and counts the attempt; another node finds them again only after `leasedUntil`. */
export const leaseDueMail = async (
  db: Queryable,
  lease: { now: Date; leasedUntil: Date; limit: number },
): Promise<LeasedMail[]> => {
  const { rows } = await sql<LeasedMail>`
    with due as (select id from mail_outbox
                  where sent_at is null and next_attempt_at <= ${lease.now}
                  order by next_attempt_at limit ${lease.limit} for update skip locked)
    update mail_outbox as mail set attempts = attempts + 1, next_attempt_at = ${lease.leasedUntil}
      from due where mail.id = due.id
    returning mail.id, mail.recipient as "to", mail.subject, mail.body as text, mail.attempts as attempt`.execute(db)
  return rows
}

/** Records a delivery. A node whose lease ran out meanwhile changes nothing: the attempt is no longer its own. */
export const markMailSent = (db: Queryable, mail: { id: string; attempt: number }, sentAt: Date) =>
  sql`
  update mail_outbox set sent_at = ${sentAt}, next_attempt_at = null, last_error = null
   where id = ${mail.id} and attempts = ${mail.attempt}`.execute(db)

/** Records a failed attempt and when to try again; null gives the message up. */
export const markMailFailed = (
  db: Queryable,
  mail: { id: string; attempt: number },
  failure: { error: string; nextAttemptAt: Date | null },
) =>
  sql`
  update mail_outbox set next_attempt_at = ${failure.nextAttemptAt}, last_error = ${failure.error}
   where id = ${mail.id} and attempts = ${mail.attempt}`.execute(db)
