import { createHash } from 'node:crypto'
import { toClientNetwork } from '../../../shared/client-network.ts'
import type { Queryable } from '../../../storage/database.ts'
import { countCall, deleteCallCount, selectSessionAddresses } from './queries.ts'

// How often a password may be guessed. Each account has attempts of its own for every network that calls, so that many
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

const nearKey = (email: string, network: string, name: string) => `sign-in|${name}|${accountName(email)}|${network}`

const isSignedInFrom = async (db: Queryable, email: string, network: string): Promise<boolean> => {
  const addresses = await selectSessionAddresses(db, email.trim().toLowerCase())
  return addresses.some((address) => toClientNetwork(address) === network)
}

/** Counts an attempt to sign in. Answers in how many seconds there may be another where this one is one too many. */
export const countSignIn = async (db: Queryable, email: string, address: string): Promise<number | undefined> => {
  const network = toClientNetwork(address)
  for (const { name, max, seconds } of nearBounds) {
    const { count, secondsLeft } = await countCall(db, nearKey(email, network, name), seconds)
    if (count > max) return Math.max(1, secondsLeft)
  }
  if (await isSignedInFrom(db, email, network)) return undefined
  const { count, secondsLeft } = await countCall(db, `sign-in|all|${accountName(email)}`, farBound.seconds)
  return count > farBound.max ? Math.max(1, secondsLeft) : undefined
}

/** The person proved who they are: their mistakes before count no more. */
export const forgetSignIns = async (db: Queryable, email: string, address: string): Promise<void> => {
  for (const { name } of nearBounds) await deleteCallCount(db, nearKey(email, toClientNetwork(address), name))
}
