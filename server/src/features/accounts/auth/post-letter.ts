import type { Message } from '../../platform/mail/mail.ts'
import { withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'

/** Stores a letter, in the transaction that the work is in. */
export const postLetter = (deps: AuthDeps, letter: Message): Promise<void> =>
  withAuthConnection(deps.db, (db) => deps.mail.send(letter, db))
