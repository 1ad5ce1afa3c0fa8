import type { Clock } from '../../../shared/clock.ts'
import { type ApiError, forbidden, rateLimited, unauthorized } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { countCall, findPasswordHash } from './account-queries.ts'
import type { Passwords } from './passwords.ts'

// Proof that the person at the browser is the one who signed in. Actions that cannot be undone require it, because a browser may
// have been left open.

/** For an account without a password: the maximum age of a session that is proof by itself. */
const freshMilliseconds = 10 * 60_000
const guesses = { max: 10, seconds: 15 * 60 }

/** The error of a request whose account another one deleted meanwhile: its session ended, too. */
export const accountDeleted = (): ApiError => unauthorized('Your account was deleted during this request.')

const findHash = async (db: Db, userId: string): Promise<string | null> => {
  const hash = await findPasswordHash(db, userId)
  if (hash === undefined) throw accountDeleted()
  return hash
}

/** Checks whether an account has a password; throws 401 where the account is gone. */
export const hasPassword = async (db: Db, userId: string): Promise<boolean> => (await findHash(db, userId)) !== null

/** Throws 403 unless the password is the account's; without one, unless the session has just begun. Throws 401 where the account is gone. */
export const checkProof = async (
  { db, clock, passwords }: { db: Db; clock: Clock; passwords: Passwords },
  { userId, signedInAt }: { userId: string; signedInAt: Date },
  password: string | undefined,
): Promise<void> => {
  const hash = await findHash(db, userId)
  if (hash === null) {
    if (clock.now().getTime() - signedInAt.getTime() <= freshMilliseconds) return
    throw forbidden('Sign in again and repeat this within ten minutes.', { code: 'session_not_fresh' })
  }
  // Counted in its own transaction, so that refused guesses count too.
  const { count, secondsLeft } = await countCall(db, `proof|${userId}`, guesses.seconds)
  if (count > guesses.max)
    throw rateLimited('The password was wrong too often. Try again later.', {
      retryAfterSeconds: Math.max(1, secondsLeft),
    })
  if (password === undefined || !(await passwords.verify({ hash, password })))
    throw forbidden('This needs the password of your account: send it as password.', { code: 'wrong_password' })
}
