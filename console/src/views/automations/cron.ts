// Parses a cron expression for the preview in the form. The service parses it again and decides.

/** The minutes, hours, days of the month, months and days of the week (0 is Sunday) of an expression, each sorted. */
export type CronFields = {
  minutes: readonly number[]
  hours: readonly number[]
  days: readonly number[]
  months: readonly number[]
  weekdays: readonly number[]
  /** True if a field is `*`, which differs from a list of every value. */
  isEveryDay: boolean
  isEveryWeekday: boolean
  /** It includes every hour, so it follows elapsed hours instead of local time. */
  isEveryHour: boolean
}

const shorthands: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

type Range = { min: number; max: number; names?: readonly string[] }

const readValue = (text: string, { min, max, names = [] }: Range): number | undefined => {
  const named = names.indexOf(text.toLowerCase())
  if (named >= 0) return named + min
  if (!/^\d{1,2}$/.test(text)) return undefined
  const value = Number(text)
  return value >= min && value <= max ? value : undefined
}

/** A part between commas: `*`, `5`, `1-5`, each optionally with `/2`. */
const readPart = (part: string, range: Range): number[] | undefined => {
  const match = /^([^/]+?)(?:\/(\d{1,2}))?$/.exec(part)
  if (!match) return undefined
  const [, span = '', every] = match
  const step = every === undefined ? 1 : Number(every)
  if (step < 1) return undefined
  const [first = '', last, ...rest] = span.split('-')
  const from = span === '*' ? range.min : readValue(first, range)
  // A step needs a range: the service refuses `5/20`, too.
  if (every !== undefined && span !== '*' && last === undefined) return undefined
  const until = span === '*' ? range.max : last === undefined ? from : readValue(last, range)
  if (from === undefined || until === undefined || rest.length > 0 || until < from) return undefined
  return Array.from({ length: Math.floor((until - from) / step) + 1 }, (_, index) => from + index * step)
}

const readField = (field: string, range: Range): number[] | undefined => {
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const read = readPart(part, range)
    if (!read) return undefined
    for (const value of read) values.add(value)
  }
  return [...values].sort((one, other) => one - other)
}

/** The fields of an expression; undefined if it is invalid or uses more than lists, ranges, steps and names. */
export const readCron = (cron: string): CronFields | undefined => {
  const text = cron.trim()
  const fields = (shorthands[text.toLowerCase()] ?? text).split(/\s+/)
  if (fields.length !== 5) return undefined
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  const minutes = readField(minute, { min: 0, max: 59 })
  const hours = readField(hour, { min: 0, max: 23 })
  const days = readField(day, { min: 1, max: 31 })
  const months = readField(month, { min: 1, max: 12, names: monthNames })
  // Sunday is 0 and 7; as the end of a range, only 7 follows the other days.
  const weekdays = weekday === '*' ? weekdayNames.keys() : readField(weekday, { min: 0, max: 7, names: weekdayNames })
  if (!minutes || !hours || !days || !months || !weekdays) return undefined
  return {
    ...{ minutes, hours, days, months },
    weekdays: [...new Set([...weekdays].map((one) => one % 7))].sort((one, other) => one - other),
    isEveryDay: day === '*',
    isEveryWeekday: weekday === '*',
    isEveryHour: hour === '*' || hour === '*/1',
  }
}

/** True if an expression includes a day, by its UTC fields. If it names days of the month and of the week, either matches. */
export const isOnDay = (day: Date, { days, months, weekdays, isEveryDay, isEveryWeekday }: CronFields): boolean => {
  if (!months.includes(day.getUTCMonth() + 1)) return false
  const isDay = days.includes(day.getUTCDate())
  const isWeekday = weekdays.includes(day.getUTCDay())
  if (isEveryDay) return isWeekday
  return isEveryWeekday ? isDay : isDay || isWeekday
}
