import { Cron } from 'croner'
import { toInstant, toLocal } from './local-time.ts'

// Finds the next time of a cron expression, by the clock on the wall: on a calendar without clock changes, and then in the time
// zone. A time that a change skips comes at the next instant, one that it repeats comes once. An expression for every hour counts
// elapsed hours instead, so that it neither waits nor comes twice.

/** A time further ahead counts as never: no search goes on for longer. */
const maxYears = 12

const everyHour = /^(@hourly|\S+\s+\*(\/1)?\s.*)$/

const names: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const toFields = (cron: string): string => names[cron.toLowerCase()] ?? cron

/** A search for the times of an expression, from a time and for a few years. Throws where it is none. */
const open = (cron: string, timezone: string, from: Date): Cron => {
  const fields = toFields(cron).trim().split(/\s+/)
  if (fields.length !== 5) throw new TypeError('A cron expression has five fields.')
  // A day on either side, because the year may have begun elsewhere.
  const year = from.getUTCFullYear()
  const years = `${new Date(from.getTime() - 86_400_000).getUTCFullYear()}-${year + maxYears}`
  return new Cron(`0 ${fields.join(' ')} ${years}`, { paused: true, timezone, mode: '7-part' })
}

/** True if an expression can be parsed. */
export const isCron = (cron: string): boolean => {
  try {
    open(cron, 'UTC', new Date(0))
    return true
  } catch {
    return false
  }
}

/** The next instant of an expression after a time; undefined where none comes within some years. */
export const findNext = (cron: string, timezone: string, after: Date): Date | undefined => {
  if (everyHour.test(toFields(cron).trim())) return open(cron, timezone, after).nextRun(after) ?? undefined
  // This calendar treats a local time as if it were UTC, so no hour of it is skipped or repeated.
  let local = toLocal(after, timezone)
  const times = open(cron, 'UTC', local)
  for (;;) {
    const next = times.nextRun(local)
    if (!next) return undefined
    const instant = toInstant(next, timezone)
    if (instant > after) return instant
    local = next
  }
}
