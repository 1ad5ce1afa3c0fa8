import type { Message } from '../../platform/mail/mail.ts'
import { withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './types.ts'

/** Queues an email, in the transaction of the call if it has one. */
export const sendEmail = (deps: AuthDeps, email: Message): Promise<void> =>
  withAuthConnection(deps.db, (db) => deps.mail.send(email, db))
