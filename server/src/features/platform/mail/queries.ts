import type { AdministeredMail } from '@noema/contracts/admin.ts'
import { type RawBuilder, sql } from 'kysely'
import type {
  DueKey,
  LeasedRow,
  LeasedRows,
  LeaseRequest,
  Settlement,
} from '../../../shared/concurrency/leased-work.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { PageRequest } from '../cursors/cursors.ts'
import { inOrder, isAfter } from '../cursors/page-queries.ts'

type NewMail = {
  id: string
  to: string
  subject: string
  text: string
  headers: Readonly<Record<string, string>> | null
  kind: string | null
  about: string | null
  organizationId: string | null
  createdAt: Date
  /** When its link expires and its text is deleted. */
  expiresAt: Date
  /** Null without a mail server. */
  dueAt: Date | null
}

export const insertMail = (db: Queryable, mail: NewMail) =>
  sql`
  insert into mail_outbox (id, recipient, subject, body, headers, kind, about, organization_id, created_at, expires_at,
    next_attempt_at)
  values (${mail.id}, ${mail.to}, ${mail.subject}, ${mail.text}, ${mail.headers && JSON.stringify(mail.headers)}::json,
    ${mail.kind}, ${mail.about}, ${mail.organizationId}, ${mail.createdAt}, ${mail.expiresAt}, ${mail.dueAt})`.execute(
    db,
  )

/** Serializes emails to one address until the transaction ends. */
export const lockRecipient = (tx: Queryable, to: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`mail/${to}`}, 0))`.execute(tx)

/** Counts the emails of a kind to an address since a time. */
export const countMail = async (tx: Queryable, { to, kind, since }: { to: string; kind: string; since: Date }) => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from mail_outbox where recipient = ${to} and kind = ${kind} and created_at > ${since}`.execute(
    tx,
  )
  return rows[0]?.count ?? 0
}

/** Deletes texts whose links have expired. Returns how many there were. */
export const purgeExpiredTexts = async (db: Queryable, now: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    update mail_outbox set body = '', next_attempt_at = null where id in (
      select id from mail_outbox where body <> '' and expires_at <= ${now} order by expires_at limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

/** Deletes rows of old emails. Returns how many there were. */
export const deleteOldMail = async (db: Queryable, before: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from mail_outbox where id in (
      select id from mail_outbox where created_at < ${before} and about is null order by created_at limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

/** An email that this node may attempt to send. The number of the attempt is its lease. */
export type LeasedMail = LeasedRow & {
  id: string
  to: string
  subject: string
  text: string
  headers: Record<string, string> | null
  attempt: number
}

/** All emails share one key, because they wait for the one mail server of the service. */
const mailKey = 'mail'

/** Leases due emails and counts the attempt. Another node finds them again only after the lease. */
export const leaseDueMail = async (db: Queryable, request: LeaseRequest): Promise<LeasedRows<LeasedMail>> => {
  const { now, until, running } = request
  const { rows } = await sql<Omit<LeasedMail, keyof LeasedRow>>`
    with due as (select id from mail_outbox
                  where sent_at is null and next_attempt_at <= ${now}
                  order by next_attempt_at limit ${running.free} for update skip locked)
    update mail_outbox as mail set attempts = attempts + 1, next_attempt_at = ${until}
      from due where mail.id = due.id
    returning mail.id, mail.recipient as "to", mail.subject, mail.body as text, mail.headers, mail.attempts as attempt`.execute(
    db,
  )
  const row = { key: mailKey, organization: mailKey, owner: mailKey }
  return {
    rows: rows.map((mail) => ({ ...mail, ...row, lease: String(mail.attempt) })),
    left: rows.length === running.free ? [{ ...row, limit: 'owner' }] : [],
  }
}

/** The outcome of an attempt. A failed one is retried at `nextAttemptAt`; null gives the email up. */
export type MailOutcome = { sentAt: Date | null; error: string | null; nextAttemptAt: Date | null }

/** Stores the outcomes of attempts. A node whose lease ran out meanwhile changes nothing. */
export const storeOutcomes = async (
  db: Queryable,
  settlements: readonly Settlement<LeasedMail, MailOutcome>[],
): Promise<boolean[]> => {
  const given = settlements.map(({ row: { id, attempt }, outcome }) => ({ id, attempt, ...outcome }))
  const { rows } = await sql<{ id: string }>`
    update mail_outbox as mail
    set body = case when given."sentAt" is null then mail.body else '' end, sent_at = given."sentAt", next_attempt_at = given."nextAttemptAt", last_error = given.error
    from json_to_recordset(${JSON.stringify(given)}::json) as given (id text, attempt integer, "sentAt" timestamptz,
      error text, "nextAttemptAt" timestamptz)
    where mail.id = given.id and mail.attempts = given.attempt returning mail.id`.execute(db)
  return given.map(({ id }) => rows.some((row) => row.id === id))
}

/** Selects when the oldest due email became due. */
export const selectDueMail = (now: Date): RawBuilder<DueKey> => sql<DueKey>`
  select ${sql.lit(mailKey)} as key, min(next_attempt_at) as "dueAt" from mail_outbox
  where sent_at is null and next_attempt_at <= ${now} having min(next_attempt_at) is not null`

/** A stored email. Its text is empty after it was sent or its link expired. */
export type MailRow = {
  id: string
  to: string
  subject: string
  text: string
  attempts: number
  lastError: string | null
  createdAt: Date
  sentAt: Date | null
  nextAttemptAt: Date | null
}

const mailColumns = sql`id, recipient as "to", subject, body as text, attempts, last_error as "lastError",
  created_at as "createdAt", sent_at as "sentAt", next_attempt_at as "nextAttemptAt"`

/** The condition for each state. */
const isOfState = (state: AdministeredMail['state'] | undefined, delivers: boolean) => {
  const isGivenUp = sql`sent_at is null and next_attempt_at is null`
  if (state === 'sent') return sql`and sent_at is not null`
  if (state === 'pending') return sql`and sent_at is null and next_attempt_at is not null`
  if (state === 'failed') return sql`and ${isGivenUp} ${delivers ? sql`` : sql`and attempts > 0`}`
  if (state === 'stored') return delivers ? sql`and false` : sql`and ${isGivenUp} and attempts = 0`
  return sql``
}

export const selectMail = async (
  db: Queryable,
  { state, delivers }: { state: AdministeredMail['state'] | undefined; delivers: boolean },
  page: PageRequest<string>,
): Promise<MailRow[]> => {
  const { rows } = await sql<MailRow>`
    select ${mailColumns} from mail_outbox where ${isAfter(sql`id`, page)} ${isOfState(state, delivers)}
    ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** An email, locked until the transaction ends; undefined if there is none. */
export const lockMail = async (tx: Queryable, id: string): Promise<MailRow | undefined> => {
  const { rows } = await sql<MailRow>`select ${mailColumns} from mail_outbox where id = ${id} for update`.execute(tx)
  return rows[0]
}

/** Makes an email due that was given up. */
export const renewMail = (tx: Queryable, id: string, dueAt: Date) =>
  sql`update mail_outbox set attempts = 0, next_attempt_at = ${dueAt} where id = ${id}`.execute(tx)
