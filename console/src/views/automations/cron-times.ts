import { type CronFields, isOnDay } from './cron.ts'

// The next times of an expression in a time zone. A local time is a Date whose UTC fields hold the local values.

const dayMilliseconds = 86_400_000

/** The number of days that are searched. The service computes later times. */
const maxDays = 12 * 366

const formats = new Map<string, Intl.DateTimeFormat>()

const findFormat = (timezone: string): Intl.DateTimeFormat => {
  const found = formats.get(timezone)
  if (found) return found
  const made = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: timezone, hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  formats.set(timezone, made)
  return made
}

/** True if the browser knows a time zone of this name. */
export const isTimezone = (timezone: string): boolean => {
  try {
    findFormat(timezone)
    return true
  } catch {
    return false
  }
}

const findOffset = (time: number, timezone: string): number => {
  const parts = findFormat(timezone).formatToParts(time)
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const shown = [read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second')] as const
  return Date.UTC(...shown) - (time - (time % 1_000))
}

/** The first instant between two at which the zone has another offset. */
const findChange = (from: number, until: number, timezone: string): number => {
  const before = findOffset(from, timezone)
  let [low, high] = [from, until]
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2_000) * 1_000
    if (findOffset(middle, timezone) === before) low = middle
    else high = middle
  }
  return high
}

/** The instants of a local time: one, two if the clock is set back over it, none if it is set forward. */
const findInstants = (local: number, timezone: string): number[] => {
  const offsets = [findOffset(local - dayMilliseconds, timezone), findOffset(local + dayMilliseconds, timezone)]
  const instants = [...new Set(offsets.map((offset) => local - offset))]
  return instants.filter((time) => findOffset(time, timezone) === local - time).sort((one, other) => one - other)
}

/** The instant at which the clock is set forward over a local time. */
const findEndOfGap = (local: number, timezone: string): number => {
  const offsets = [findOffset(local - dayMilliseconds, timezone), findOffset(local + dayMilliseconds, timezone)]
  return findChange(local - Math.max(...offsets), local - Math.min(...offsets), timezone)
}

/** A repeated local time occurs once, a skipped one at the next instant. An hourly expression follows elapsed hours. */
const toInstants = (local: number, timezone: string, isEveryHour: boolean): number[] => {
  const instants = findInstants(local, timezone)
  if (isEveryHour) return instants
  return [instants[0] ?? findEndOfGap(local, timezone)]
}

/** The next instants of an expression after a time, at most `count`; fewer if no more follow within some years. */
export const listNext = (
  fields: CronFields,
  { timezone, after, count }: { timezone: string; after: Date; count: number },
): Date[] => {
  const begun = after.getTime()
  const local = begun + findOffset(begun, timezone)
  const firstDay = local - (local % dayMilliseconds) - dayMilliseconds
  const found = new Set<number>()
  for (let day = 0; day < maxDays && found.size < count; day++) {
    const midnight = firstDay + day * dayMilliseconds
    if (!isOnDay(new Date(midnight), fields)) continue
    const times = fields.hours
      .flatMap((hour) => fields.minutes.map((minute) => midnight + (hour * 60 + minute) * 60_000))
      // Two days have too many minutes to convert each of them, and the first ones are enough.
      .filter((time) => time > local - 3 * 3_600_000)
      .slice(0, count * 4 + 240)
      .flatMap((time) => toInstants(time, timezone, fields.isEveryHour))
      .filter((time) => time > begun)
      .sort((one, other) => one - other)
    for (const time of times) if (found.size < count) found.add(time)
  }
  return [...found].map((time) => new Date(time))
}
