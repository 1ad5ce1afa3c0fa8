import { createTransport, type Transporter } from 'nodemailer'
import type { Clock } from '../../../shared/clock.ts'
import type { LeasedWork } from '../../../shared/concurrency/leased-work.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db } from '../../../storage/database.ts'
import { type LeasedMail, leaseDueMail, type MailOutcome, selectDueMail, storeOutcomes } from './queries.ts'

const minutes = (count: number) => count * 60_000

/** Delays after the first, second, … failed attempt. After the last one the email is given up. */
const backoff = [minutes(1), minutes(5), minutes(30), minutes(120)]

// Longer than the slowest attempt with the timeouts below, so that two nodes do not send one email.
const leaseSeconds = 180

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

/** Connects and signs in without sending anything. Throws if that fails. */
export const checkMailServer = async (smtpUrl: string): Promise<void> => {
  const { transport } = openMailServer({ smtpUrl, from: '' })
  await transport.verify().finally(() => transport.close())
}

type Deps = { db: Db; clock: Clock; log: Log; server: MailServer }

/** Attempts to send one email. */
const attempt = async ({ clock, log, server }: Deps, mail: LeasedMail): Promise<MailOutcome> => {
  const { transport, from } = server
  const failure = await transport
    .sendMail({
      ...{ from, to: mail.to, subject: mail.subject, text: mail.text, messageId: toMessageId(mail, from) },
      headers: mail.headers ?? {},
    })
    .then(() => undefined, toReason)
  const now = clock.now()
  if (failure === undefined) return { sentAt: now, error: null, nextAttemptAt: null }
  const wait = backoff[mail.attempt - 1]
  const nextAttemptAt = wait === undefined ? null : new Date(now.getTime() + wait)
  log.warn({ id: mail.id, attempt: mail.attempt, nextAttemptAt, error: failure }, 'an email was not delivered')
  return { sentAt: null, error: failure, nextAttemptAt }
}

/** Delivery of stored emails as leased work: a job is one attempt of one email. */
export const createMailWork = (deps: Deps): LeasedWork<LeasedMail, MailOutcome> => ({
  name: 'deliver mail',
  maxTurns: 10,
  leaseSeconds,
  maxKeys: 10,
  lease: (request) => leaseDueMail(deps.db, request),
  run: async (mail, { storeOutcome }) => {
    await storeOutcome(await attempt(deps, mail))
    return false
  },
  storeOutcomes: (settlements) => storeOutcomes(deps.db, settlements),
  dueKeys: ({ now }) => selectDueMail(now),
})

// A server may answer any text, and the cut may be inside a character.
const toReason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 1000).replaceAll('\0', '\ufffd').toWellFormed()

// The same on every attempt, so that mail clients recognize an email that was sent twice because of a crash.
const toMessageId = (mail: LeasedMail, from: string): string => {
  const domain = /@([A-Za-z0-9.-]+)>?$/.exec(from)?.[1] ?? 'localhost'
  return `<${mail.id}@${domain}>`
}
