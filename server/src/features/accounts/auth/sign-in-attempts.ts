import { createHash } from 'node:crypto'
import { toClientNetwork } from '../../../shared/network/client-network.ts'
import type { Queryable } from '../../../storage/database.ts'
import { countCall, deleteCallCount, hasCallCount, selectSessionAddresses } from './account-queries.ts'

// Limits guesses of passwords and second-factor codes. Each account has separate attempts for every network, so neither
// many accounts behind one address nor a stranger's guesses lock anyone out. An account also has a limit over all networks,
// except those that its owner is signed in from.

const minute = 60

/** The most attempts for one account from one network, in a short and in a long time. */
const nearBounds = [
  { name: 'soon', max: 10, seconds: 15 * minute },
  { name: 'day', max: 50, seconds: 24 * 60 * minute },
] as const

/** The most attempts for one account from all networks without a session of it. */
const farBound = { max: 100, seconds: 60 * minute }

const accountName = (email: string): string =>
  createHash('sha256').update(email.trim().toLowerCase()).digest('base64url')

/** The types of guesses. Each is counted separately, so knowing the password gives no extra attempts at the code. */
type Guessed = 'sign-in' | 'code'

type Attempt = { email: string; address: string; guessed: Guessed }

const nearKey = ({ email, guessed }: Attempt, network: string, name: string) =>
  `${guessed}|${name}|${accountName(email)}|${network}`

const isSignedInFrom = async (db: Queryable, email: string, network: string): Promise<boolean> => {
  const addresses = await selectSessionAddresses(db, email.trim().toLowerCase())
  return addresses.some((address) => toClientNetwork(address) === network)
}

/** Counts an attempt. Returns the seconds until the next one is allowed if this one is too many. */
export const countAttempt = async (db: Queryable, attempt: Attempt): Promise<number | undefined> => {
  const { email, address, guessed } = attempt
  const network = toClientNetwork(address)
  for (const { name, max, seconds } of nearBounds) {
    const { count, secondsLeft } = await countCall(db, nearKey(attempt, network, name), seconds)
    if (count > max) return Math.max(1, secondsLeft)
  }
  if (await isSignedInFrom(db, email, network)) return undefined
  if (await hasCallCount(db, unlockedKey(email, network))) return undefined
  const { count, secondsLeft } = await countCall(db, `${guessed}|all|${accountName(email)}`, farBound.seconds)
  return count > farBound.max ? Math.max(1, secondsLeft) : undefined
}

/** A network may try again for this long after its owner opened a mailed link there. */
const unlockedSeconds = 60 * minute

const unlockedKey = (email: string, network: string) => `unlocked|${accountName(email)}|${network}`

/** Lets a network try to sign in to an account again: its attempts count from zero, and those of other networks do not count for it. */
export const unlockSignIns = async (db: Queryable, { email, address }: Omit<Attempt, 'guessed'>): Promise<void> => {
  for (const guessed of ['sign-in', 'code'] as const) await clearAttempts(db, { email, address, guessed })
  await countCall(db, unlockedKey(email, toClientNetwork(address)), unlockedSeconds)
}

/** Resets the count after a successful sign-in. */
export const clearAttempts = async (db: Queryable, attempt: Attempt): Promise<void> => {
  for (const { name } of nearBounds) await deleteCallCount(db, nearKey(attempt, toClientNetwork(attempt.address), name))
}

/** Seconds for which a person who saw a code, or the state of a provider sign-in, could use it again. */
const usableSeconds = { code: 120, state: 15 * minute } as const

/** Marks a code or a state as used. Returns whether this is its first use, because each works once. */
export const useOnce = async (db: Queryable, kind: keyof typeof usableSeconds, text: string): Promise<boolean> => {
  const name = createHash('sha256').update(text).digest('base64url')
  return (await countCall(db, `${kind}|used|${name}`, usableSeconds[kind])).count === 1
}

/** Calls that try a password or a code, except sign-in, which names the account. */
export const guessingCalls =
  /\/(change-password|two-factor\/(enable|disable|generate-backup-codes|verify-totp|verify-backup-code))$/

/** Checks whether a call guesses a password or a code. */
export const toGuessed = (path: string): Guessed => (path.includes('/verify-') ? 'code' : 'sign-in')
