import { createHash } from 'node:crypto'
import { toClientNetwork } from '../../../shared/network/client-network.ts'
import type { Queryable } from '../../../storage/database.ts'
import { countCall, deleteCallCount, selectSessionAddresses } from './account-queries.ts'

// How often a password, or a code of a second factor, may be guessed. Each account has attempts of its own for every network that calls, so that many
// accounts behind one address, and a stranger who guesses, keep nobody out. Over all networks an account has a bound too,
// which leaves out the networks that its owner is signed in from.

const minute = 60

/** The most attempts from one network for one account, in a short and in a long time. */
const nearBounds = [
  { name: 'soon', max: 10, seconds: 15 * minute },
  { name: 'day', max: 50, seconds: 24 * 60 * minute },
] as const

/** The most attempts for one account from all networks that nobody is signed in to it from. */
const farBound = { max: 100, seconds: 60 * minute }

const accountName = (email: string): string =>
  createHash('sha256').update(email.trim().toLowerCase()).digest('base64url')

/** What is guessed. Each is counted by itself: whoever knows the password has no more attempts at the code by that. */
type Guessed = 'sign-in' | 'code'

type Attempt = { email: string; address: string; guessed: Guessed }

const nearKey = ({ email, guessed }: Attempt, network: string, name: string) =>
  `${guessed}|${name}|${accountName(email)}|${network}`

const isSignedInFrom = async (db: Queryable, email: string, network: string): Promise<boolean> => {
  const addresses = await selectSessionAddresses(db, email.trim().toLowerCase())
  return addresses.some((address) => toClientNetwork(address) === network)
}

/** Counts an attempt. Answers in how many seconds there may be another where this one is one too many. */
export const countAttempt = async (db: Queryable, attempt: Attempt): Promise<number | undefined> => {
  const { email, address, guessed } = attempt
  const network = toClientNetwork(address)
  for (const { name, max, seconds } of nearBounds) {
    const { count, secondsLeft } = await countCall(db, nearKey(attempt, network, name), seconds)
    if (count > max) return Math.max(1, secondsLeft)
  }
  if (await isSignedInFrom(db, email, network)) return undefined
  const { count, secondsLeft } = await countCall(db, `${guessed}|all|${accountName(email)}`, farBound.seconds)
  return count > farBound.max ? Math.max(1, secondsLeft) : undefined
}

/** The person proved who they are: their mistakes before count no more. */
export const forgetAttempts = async (db: Queryable, attempt: Attempt): Promise<void> => {
  for (const { name } of nearBounds) await deleteCallCount(db, nearKey(attempt, toClientNetwork(attempt.address), name))
}

/** How long a code may be shown again by somebody who saw it typed. */
const codeSeconds = 120

/** Notes that a code let somebody in, and answers whether it is the first time: it is good for once. */
export const useCode = async (db: Queryable, userId: string, code: string): Promise<boolean> => {
  const name = createHash('sha256').update(`${userId} ${code}`).digest('base64url')
  return (await countCall(db, `code|used|${name}`, codeSeconds)).count === 1
}

/** Calls that try a password or a code of an account, but for signing in, which names the account. */
export const guessingCalls =
  /\/(change-password|two-factor\/(enable|disable|generate-backup-codes|verify-totp|verify-backup-code))$/

/** What such a call guesses at. */
export const toGuessed = (path: string): Guessed => (path.includes('/verify-') ? 'code' : 'sign-in')
