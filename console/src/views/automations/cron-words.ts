import type { CronFields } from './cron.ts'

// An expression as a sentence, such as "At 09:00 on weekdays".

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

const lists = new Intl.ListFormat('en', { type: 'conjunction' })
const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** More times than these are described by their minutes and hours. */
const maxTimes = 4

/** `9 to 17` for consecutive values, `1, 3 and 5` for others. */
const toSpan = (values: readonly number[], write: (value: number) => string): string => {
  const [first, last] = [values[0], values.at(-1)]
  if (first === undefined || last === undefined) return ''
  if (values.length > 2 && last - first === values.length - 1) return `${write(first)} to ${write(last)}`
  return lists.format(values.map(write))
}

/** The step of values that start at 0 and are evenly spaced to the end, such as every 15 of 60. */
const findStep = (values: readonly number[], size: number): number | undefined => {
  const step = values[1] ?? 0
  const isEven = values.length > 1 && size % step === 0 && values.length === size / step
  return isEven && values.every((value, index) => value === index * step) ? step : undefined
}

const describeTimes = ({ minutes, hours, isEveryHour }: CronFields): string => {
  const step = findStep(minutes, 60)
  const everyMinutes = step === 1 ? 'every minute' : step === undefined ? undefined : `every ${step} minutes`
  const within = isEveryHour ? '' : `, hours ${toSpan(hours, String)}`
  if (everyMinutes !== undefined) return everyMinutes + within
  if (isEveryHour) return `every hour at ${toSpan(minutes, (minute) => `:${twoDigits(minute)}`)}`
  const hourStep = findStep(hours, 24)
  if (hourStep !== undefined && minutes.length === 1 && hours.length > maxTimes)
    return `every ${hourStep} hours${minutes[0] === 0 ? '' : ` at :${twoDigits(minutes[0] ?? 0)}`}`
  if (minutes.length * hours.length <= maxTimes)
    return `at ${lists.format(hours.flatMap((hour) => minutes.map((minute) => `${twoDigits(hour)}:${twoDigits(minute)}`)))}`
  return `at ${toSpan(minutes, (minute) => `:${twoDigits(minute)}`)} of the hours ${toSpan(hours, String)}`
}

const toWeekdays = (values: readonly number[]): string => {
  const key = values.join('')
  if (key === '12345') return 'on weekdays'
  if (key === '06') return 'on weekends'
  return `on ${lists.format(values.map((value) => weekdays[value] ?? ''))}`
}

const describeDays = ({ days, weekdays: named, isEveryDay, isEveryWeekday }: CronFields): string => {
  const ofMonth = `on day ${toSpan(days, String)} of the month`
  const ofWeek = toWeekdays(named)
  if (isEveryDay) return isEveryWeekday || named.length === 7 ? '' : ofWeek
  return isEveryWeekday ? ofMonth : `${ofMonth} or ${ofWeek}`
}

/** The times of an expression in words. */
export const describeCron = (fields: CronFields): string => {
  const times = describeTimes(fields)
  const days = describeDays(fields)
  const isDaily = days === '' && times.startsWith('at ')
  const inMonths = fields.months.length === 12 ? '' : `in ${toSpan(fields.months, (month) => months[month - 1] ?? '')}`
  const words = [times, isDaily ? 'every day' : days, inMonths].filter((part) => part !== '').join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
