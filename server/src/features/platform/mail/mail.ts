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
  renewMail,
  selectMail,
  takeOldTexts,
} from './queries.ts'

// Every message is stored first, in the caller's transaction where there is one; a worker delivers it afterwards. Its text, with
// what it links to, is kept until it was sent or is of no use any more, and that there was a message for a month.

export type Message = {
  to: string
  subject: string
  text: string
  /** What it asks for; an address gets so many of each an hour. Without a kind it is sent in any case. */
  kind?: 'confirmation' | 'password' | 'invitation' | 'access_request'
  /** How long what it links to works. */
  hours?: number
  /** Further headers, such as how to get no more of its sort (RFC 8058). */
  headers?: Readonly<Record<string, string>>
  /** The id of what it tells of, by which it is known whether that was told. */
  about?: string
  /** The organization whose affairs it tells of: the message goes with it. */
  organizationId?: string
}

export type Mail = {
  /** Whether a worker delivers what is stored. */
  delivers: boolean
  /**
   * Stores a message for delivery, together with what else `within` commits. One too many for an address is left out, and
   * nobody but the operator is told: whether an address has got mail is nobody's business.
   */
  send(message: Message, within?: Queryable): Promise<void>
}

type MailDeps = {
  db: Db
  clock: Clock
  log: Log
  /** Whether a worker delivers what is stored. */
  delivers: boolean
  /** How many messages of one kind an address gets in an hour; any number where it is not set. */
  maxHourly?: number
  /** Shows the operator a message that nobody delivers. */
  show?: ((message: Message) => void) | undefined
}

const hour = 3_600_000
const day = 24 * hour
const keptDays = 30

/** Stores a message unless its recipient has had enough of its kind. Messages to one address are counted one by one. */
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

/** Without a mail server the log is where a first operator finds the link that verifies an address. */
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
      return deps.log.warn({ to, kind }, 'a message was left out: its recipient has got too many of its kind')
    if (deps.delivers) return
    showStored(deps.log, { to, subject, text })
    deps.show?.(message)
  },
})

const maxForgotten = 1_000

/** Takes the texts of messages that are of no use any more, and all that is left of old ones that tell of nothing kept. */
export const forgetMail = async ({ db, clock }: { db: Db; clock: Clock }): Promise<void> => {
  const now = clock.now()
  while ((await takeOldTexts(db, now, maxForgotten)) === maxForgotten);
  while ((await deleteOldMail(db, new Date(now.getTime() - keptDays * day), maxForgotten)) === maxForgotten);
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

/** A page of stored messages. Texts are shown where nobody delivers them, for whoever hands them over instead. */
export const listMailPage = async (
  { db, delivers, state }: { db: Db; delivers: boolean; state: AdministeredMail['state'] | undefined },
  page: PageRequest<string>,
): Promise<AdministeredMail[]> => (await selectMail(db, { state, delivers }, page)).map((row) => toMail(row, delivers))

const refuseRetry = (row: MailRow): string | undefined => {
  if (row.sentAt !== null) return 'This mail was sent. Have it sent anew from where it came.'
  if (row.nextAttemptAt !== null) return 'This mail is tried again by itself.'
  if (row.text === '') return 'The text of this mail is gone, because what it links to works no longer.'
  return undefined
}

/** Tries a message once more that was given up; where nobody delivers, it stands in the log once more. */
export const retryMail = (
  { db, clock, log, delivers }: { db: Db; clock: Clock; log: Log; delivers: boolean },
  id: string,
): Promise<AdministeredMail> =>
  db.transaction().execute(async (tx) => {
    const row = await lockMail(tx, id)
    if (!row) throw notFound(`There is no mail ${JSON.stringify(id)}.`)
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
