import { LRUCache } from 'lru-cache'

// Local times of a zone. A local time is a Date whose UTC fields are what a clock on the wall shows.

const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 })

const openFormat = (timezone: string): Intl.DateTimeFormat => {
  const found = formats.get(timezone)
  if (found) return found
  const number = 'numeric' as const
  const fields = { year: number, month: number, day: number, hour: number, minute: number, second: number }
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    ...fields,
  })
  formats.set(timezone, made)
  return made
}

/** True if there is a time zone of this name. */
export const isTimezone = (timezone: string): boolean => {
  try {
    openFormat(timezone)
    return true
  } catch {
    return false
  }
}

/** The time that a clock in a zone shows at an instant. */
export const toLocal = (instant: Date, timezone: string): Date => {
  const parts = new Map(
    openFormat(timezone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const read = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
  const local = Date.UTC(
    ...([read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second')] as const),
  )
  return new Date(local + instant.getUTCMilliseconds())
}

const findOffset = (time: number, timezone: string): number => toLocal(new Date(time), timezone).getTime() - time

const day = 86_400_000

/** The first instant after the earlier and until the later of two at which a zone has another offset. */
const findChange = (earlier: number, later: number, timezone: string): number => {
  const before = findOffset(earlier, timezone)
  let [low, high] = [earlier, later]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (findOffset(middle, timezone) === before) low = middle
    else high = middle
  }
  return high
}

/** The first instant at which a clock in a zone shows a local time, or the end of the gap that it is in. */
export const toInstant = (local: Date, timezone: string): Date => {
  const requested = local.getTime()
  const offsets = [findOffset(requested - day, timezone), findOffset(requested + day, timezone)]
  const instants = offsets
    .map((offset) => requested - offset)
    .filter((time) => findOffset(time, timezone) === requested - time)
  if (instants.length > 0) return new Date(Math.min(...instants))
  return new Date(findChange(requested - Math.max(...offsets), requested - Math.min(...offsets), timezone))
}
