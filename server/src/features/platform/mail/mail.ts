import type { AdministeredMail } from '@noema/contracts/admin.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { PageRequest } from '../cursors/cursors.ts'
import {
  countMail,
  deleteOldMail,
  insertMail,
  lockMail,
  lockRecipient,
  type MailRow,
  purgeExpiredTexts,
  renewMail,
  selectMail,
} from './queries.ts'

// Every email is stored first, in the caller's transaction if there is one, and a worker delivers it afterwards. Its text is kept
// until it is sent or its link expires, and its row for a month.

export type Message = {
  to: string
  subject: string
  text: string
  /** An address gets a limited number of emails of each kind in an hour. Without a kind there is no limit. */
  kind?: 'confirmation' | 'password' | 'sign_in' | 'invitation' | 'access_request'
  /** The hours for which its link works. */
  hours?: number
  /** More headers, such as one to unsubscribe (RFC 8058). */
  headers?: Readonly<Record<string, string>>
  /** The id of the event that it is about. */
  about?: string
  /** The organization that it is about, which it is deleted with. */
  organizationId?: string
}

export type Mail = {
  /** True if a worker delivers stored emails. */
  delivers: boolean
  /**
   * Stores an email for delivery, in the transaction `within` if there is one. One above the limit of an address is dropped, and
   * only the operator's log says so, because callers must not learn whether an address got mail.
   */
  send(message: Message, within?: Queryable): Promise<void>
}

type MailDeps = {
  db: Db
  clock: Clock
  log: Log
  /** True if a worker delivers stored emails. */
  delivers: boolean
  /** Maximum number of emails of one kind to an address in an hour; without it, any number. */
  maxHourly?: number
  /** Shows the operator an email that is not delivered. */
  show?: ((message: Message) => void) | undefined
}

const hour = 3_600_000
const day = 24 * hour
const keptDays = 30

/** Stores an email unless its recipient has reached the limit of its kind. A lock makes concurrent emails count one by one. */
const storeWithin = async ({ clock, delivers, maxHourly }: MailDeps, tx: Queryable, message: Message) => {
  const { to, subject, text, kind = null, hours, about = null, organizationId = null, headers = null } = message
  const now = clock.now()
  if (kind !== null && maxHourly !== undefined) {
    await lockRecipient(tx, to)
    if ((await countMail(tx, { to, kind, since: new Date(now.getTime() - hour) })) >= maxHourly) return false
  }
  const expiresAt = new Date(now.getTime() + (hours === undefined ? keptDays * day : hours * hour))
  const dueAt = delivers ? now : null
  const dates = { createdAt: now, dueAt, expiresAt }
  await insertMail(tx, { id: newId('msg', now), to, subject, text, headers, kind, about, organizationId, ...dates })
  return true
}

/** Without a mail server, the operator finds the link that confirms an address in the log. */
const showStored = (log: Log, { to, subject, text }: Pick<Message, 'to' | 'subject' | 'text'>) =>
  log.info({ mail: { to, subject, text } }, 'no mail server is set, so this message was only stored')

export const createMail = (deps: MailDeps): Mail => ({
  delivers: deps.delivers,
  async send(message, within = deps.db) {
    const { to, subject, text, kind } = message
    const isStored = within.isTransaction
      ? await storeWithin(deps, within, message)
      : await within.transaction().execute((tx) => storeWithin(deps, tx, message))
    if (!isStored)
      return deps.log.warn({ to, kind }, 'an email was dropped: its recipient has reached the limit of its kind')
    if (deps.delivers) return
    showStored(deps.log, { to, subject, text })
    deps.show?.(message)
  },
})

const maxPurged = 1_000

/** Deletes the texts of emails whose links have expired, and rows of old emails. */
export const purgeMail = async ({ db, clock }: { db: Db; clock: Clock }): Promise<void> => {
  const now = clock.now()
  while ((await purgeExpiredTexts(db, now, maxPurged)) === maxPurged);
  while ((await deleteOldMail(db, new Date(now.getTime() - keptDays * day), maxPurged)) === maxPurged);
}

const findState = ({ sentAt, attempts, nextAttemptAt }: MailRow, delivers: boolean): AdministeredMail['state'] => {
  if (sentAt !== null) return 'sent'
  if (nextAttemptAt !== null) return 'pending'
  return delivers || attempts > 0 ? 'failed' : 'stored'
}

const toMail = (row: MailRow, delivers: boolean): AdministeredMail => ({
  ...{ id: row.id, to: row.to, subject: row.subject, attempts: row.attempts, lastError: row.lastError },
  text: delivers || row.text === '' ? null : row.text,
  state: findState(row, delivers),
  createdAt: row.createdAt.toISOString(),
  sentAt: row.sentAt?.toISOString() ?? null,
  nextAttemptAt: row.sentAt === null ? (row.nextAttemptAt?.toISOString() ?? null) : null,
})

/** A page of stored emails. It has their texts only without a mail server, so that the operator can hand them over. */
export const listMailPage = async (
  { db, delivers, state }: { db: Db; delivers: boolean; state: AdministeredMail['state'] | undefined },
  page: PageRequest<string>,
): Promise<AdministeredMail[]> => (await selectMail(db, { state, delivers }, page)).map((row) => toMail(row, delivers))

const refuseRetry = (row: MailRow): string | undefined => {
  if (row.sentAt !== null) return 'This email was sent. Request a new one where it came from.'
  if (row.nextAttemptAt !== null) return 'This email is retried automatically.'
  if (row.text === '') return 'The text of this email was deleted, because its link has expired.'
  return undefined
}

/** Retries an email that was given up; without a mail server, writes it to the log again. */
export const retryMail = (
  { db, clock, log, delivers }: { db: Db; clock: Clock; log: Log; delivers: boolean },
  id: string,
): Promise<AdministeredMail> =>
  db.transaction().execute(async (tx) => {
    const row = await lockMail(tx, id)
    if (!row) throw notFound(`There is no email ${JSON.stringify(id)}.`)
    const refusal = refuseRetry(row)
    if (refusal !== undefined) throw conflict(refusal, { code: 'mail_not_retried' })
    if (!delivers) {
      showStored(log, row)
      return toMail(row, delivers)
    }
    const nextAttemptAt = clock.now()
    await renewMail(tx, id, nextAttemptAt)
    return toMail({ ...row, attempts: 0, nextAttemptAt }, delivers)
  })
