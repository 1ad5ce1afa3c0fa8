import { createTransport, type Transporter } from 'nodemailer'
import type { Log } from '../../../shared/log.ts'
import type { Db } from '../../../storage/database.ts'
import { type LeasedMail, leaseDueMail, markMailFailed, markMailSent } from './queries.ts'

const minutes = (count: number) => count * 60_000

/** How long to wait after the first, second, … failed attempt. After the last one the message is given up. */
const backoff = [minutes(1), minutes(5), minutes(30), minutes(120)]

const batchSize = 10
// Longer than the slowest attempt, whose timeouts are below, so that two nodes do not send one message.
const leaseTime = minutes(3)

export type MailServer = { transport: Transporter; from: string }

/** The mail server of an `smtp:` or `smtps:` URL. Connects for each message; nothing is held open. */
export const openMailServer = (settings: { smtpUrl: string; from: string }): MailServer => ({
  from: settings.from,
  transport: createTransport({
    url: settings.smtpUrl,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    dnsTimeout: 10_000,
    socketTimeout: 30_000,
  }),
})

/** Delivers the messages that are due, and answers how many it tried. Run it again while it answers more than none. */
export const sendDueMail = async (deps: { db: Db; log: Log; server: MailServer }, now: Date): Promise<number> => {
  const leasedUntil = new Date(now.getTime() + leaseTime)
  const leased = await leaseDueMail(deps.db, { now, leasedUntil, limit: batchSize })
  await Promise.all(leased.map((mail) => deliver(deps, mail, now)))
  return leased.length
}

const deliver = async (deps: { db: Db; log: Log; server: MailServer }, mail: LeasedMail, now: Date) => {
  const { transport, from } = deps.server
  const failure = await transport
    .sendMail({ from, to: mail.to, subject: mail.subject, text: mail.text, messageId: messageId(mail, from) })
    .then(() => undefined, reasonOf)
  if (failure === undefined) {
    await markMailSent(deps.db, mail, now)
    return
  }
  const wait = backoff[mail.attempt - 1]
  const nextAttemptAt = wait === undefined ? null : new Date(now.getTime() + wait)
  deps.log.warn({ id: mail.id, attempt: mail.attempt, nextAttemptAt, error: failure }, 'a message was not delivered')
  await markMailFailed(deps.db, mail, { error: failure, nextAttemptAt })
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 1000)

// The same on every attempt, so that a message sent twice over a crash is recognised as one.
const messageId = (mail: LeasedMail, from: string): string => {
  const domain = /@([A-Za-z0-9.-]+)>?$/.exec(from)?.[1] ?? 'localhost'
  return `<${mail.id}@${domain}>`
}
