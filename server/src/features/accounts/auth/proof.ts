import type { Clock } from '../../../shared/clock.ts'
import { forbidden, rateLimited } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { countCall, findPasswordHash } from './account-queries.ts'
import type { Passwords } from './passwords.ts'

// Proof that who is signed in is who signed in: asked for before what cannot be undone, as a browser may have been left open.

/** How old a session may be that proves it, of an account without a password. */
const freshMilliseconds = 10 * 60_000
const guesses = { max: 10, seconds: 15 * 60 }

/** Whether an account has a password to be asked for. */
export const hasPassword = async (db: Db, userId: string): Promise<boolean> =>
  (await findPasswordHash(db, userId)) !== undefined

/** Throws 403 unless the password is the account's; without one, unless the session has just begun. */
export const checkProof = async (
  { db, clock, passwords }: { db: Db; clock: Clock; passwords: Passwords },
  { userId, signedInAt }: { userId: string; signedInAt: Date },
  password: string | undefined,
): Promise<void> => {
  const hash = await findPasswordHash(db, userId)
  if (hash === undefined) {
    if (clock.now().getTime() - signedInAt.getTime() <= freshMilliseconds) return
    throw forbidden('Sign in again and repeat this within ten minutes.', { code: 'session_not_fresh' })
  }
  // Counted by itself: a guess that is refused was made.
  const { count, secondsLeft } = await countCall(db, `proof|${userId}`, guesses.seconds)
  if (count > guesses.max)
    throw rateLimited('The password was wrong too often. Try again later.', {
      retryAfterSeconds: Math.max(1, secondsLeft),
    })
  if (password === undefined || !(await passwords.verify({ hash, password })))
    throw forbidden('This needs the password of your account: send it as password.', { code: 'wrong_password' })
}
