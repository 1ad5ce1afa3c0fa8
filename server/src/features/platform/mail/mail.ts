import type { Clock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import { insertMail } from './queries.ts'

export { createMailWork, type MailServer, openMailServer } from './deliver-mail.ts'

// Every message is stored first, in the caller's transaction where there is one; a worker delivers it afterwards.

export type Message = { to: string; subject: string; text: string }

export type Mail = {
  /** Stores a message for delivery, together with what else `within` commits. */
  send(message: Message, within?: Queryable): Promise<void>
}

type MailDeps = {
  db: Db
  clock: Clock
  log: Log
  /** Whether a worker delivers what is stored. */
  delivers: boolean
  /** Shows the operator a message that nobody delivers. */
  show?: ((message: Message) => void) | undefined
}

export const createMail = (deps: MailDeps): Mail => ({
  async send(message, within = deps.db) {
    const now = deps.clock.now()
    await insertMail(within, { ...message, id: newId('msg', now), createdAt: now, dueAt: deps.delivers ? now : null })
    // Without a mail server the log is where a first operator finds the link that verifies an address.
    if (deps.delivers) return
    deps.log.info({ mail: message }, 'no mail server is set, so this message was only stored')
    deps.show?.(message)
  },
})
