import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Clock } from '../shared/clock.ts'
import type { Log } from '../shared/log.ts'
import type { Db } from './database.ts'
import { isDatabaseUnavailable } from './database-errors.ts'

// Leases, retries, reminders and expiry are times that one node writes and another reads. The nodes' own clocks may differ
// or jump, so nodes follow the clock of their shared database: each asks for it at intervals, and counts on from the answer
// with its processor's monotonic clock.

const askAgainMilliseconds = 5_000
const firstQuestions = 3
const firstMilliseconds = 60_000
const pauseMilliseconds = 200

/** A clock that follows another one: `ask` returns the other's time in milliseconds, after an unknown delay. */
export type LedClock = Clock & { follow(): Promise<void> }

/**
 * The other clock was read at some moment between question and answer. If our time of that interval includes the reading,
 * nothing changes: so this clock is steady, and moves by the smallest possible amount.
 */
export const createLedClock = (
  ask: () => Promise<number>,
  steady: () => number = () => performance.now(),
): LedClock => {
  let ahead: number | undefined
  return {
    now: () => new Date(Math.floor(steady() + (ahead ?? 0))),
    follow: async () => {
      const asked = steady()
      const answer = await ask()
      const [min, max] = [answer - steady(), answer - asked]
      ahead = ahead === undefined ? (min + max) / 2 : Math.min(max, Math.max(min, ahead))
    },
  }
}

const readTime = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ time: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as time`.execute(db)
  return rows[0]?.time ?? Number.NaN
}

/** Opens a clock that follows the database's. The caller closes it. */
export const openDatabaseClock = async (db: Db, log: Log): Promise<{ clock: Clock; close(): void }> => {
  const clock = createLedClock(() => readTime(db))
  // The first question waits for a connection to be made, which on a busy machine may take longer than a request would wait.
  const until = performance.now() + firstMilliseconds
  for (let question = 0; question < firstQuestions; ) {
    try {
      await clock.follow()
      question++
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > until) throw error
      await delay(pauseMilliseconds)
    }
  }
  let isAsking = false
  const askAgain = async () => {
    if (isAsking) return
    isAsking = true
    await clock.follow().catch((error) => log.debug({ err: error }, 'the clock of the database could not be read'))
    isAsking = false
  }
  const timer = setInterval(askAgain, askAgainMilliseconds).unref()
  return { clock, close: () => clearInterval(timer) }
}
