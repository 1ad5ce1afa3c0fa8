// Literal values in a text: numbers, days and times. It computes none.

/** A value and its position. */
export type Literal<Value> = { value: Value; at: number }

const months = [
  ['january', 'januar', 'jan'],
  ['february', 'februar', 'feb'],
  ['march', 'märz', 'mar'],
  ['april', 'apr'],
  ['may', 'mai'],
  ['june', 'juni', 'jun'],
  ['july', 'juli', 'jul'],
  ['august', 'aug'],
  ['september', 'sept', 'sep'],
  ['october', 'oktober', 'oct'],
  ['november', 'nov'],
  ['december', 'dezember', 'dec'],
]
const monthByName = new Map(months.flatMap((names, index) => names.map((name) => [name, index + 1] as const)))
const monthNames = [...monthByName.keys()].sort((a, b) => b.length - a.length).join('|')

const isoDay = /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])/g
const dayFirst = new RegExp(
  `(?<![\\d.,])(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s(${monthNames})\\.?,?\\s(\\d{4})(?!\\d)`,
  'gi',
)
const monthFirst = new RegExp(`\\b(${monthNames})\\.?\\s(\\d{1,2})(?:st|nd|rd|th)?,?\\s(\\d{4})(?!\\d)`, 'gi')
const isoTime = /(?<![\d-])\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})(?!\d)/g
const number = /(?<![\p{L}\p{N}.,/:-])-?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,9})?(?![\p{L}\p{N}/:-]|[.,]\d)/gu

/** A day that the calendar has, as ISO 8601. */
const toDay = (year: string, month: number, day: number): string | undefined => {
  const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  const time = new Date(`${text}T00:00:00Z`)
  return Number.isNaN(time.getTime()) || time.toISOString().slice(0, 10) !== text ? undefined : text
}

const toMonth = (name: string): number => monthByName.get(name.toLowerCase()) ?? 0

const findMatches = <Value>(
  text: string,
  pattern: RegExp,
  read: (groups: string[]) => Value | undefined,
): Literal<Value>[] =>
  [...text.matchAll(pattern)].flatMap((match) => {
    const value = read([...match].map((group) => group ?? ''))
    return value === undefined ? [] : [{ value, at: match.index }]
  })

/** Days, as `2027-03-05`. */
export const findDays = (text: string): Literal<string>[] =>
  [
    ...findMatches(text, isoDay, ([, year = '', month, day]) => toDay(year, Number(month), Number(day))),
    ...findMatches(text, dayFirst, ([, day, month = '', year = '']) => toDay(year, toMonth(month), Number(day))),
    ...findMatches(text, monthFirst, ([, month = '', day, year = '']) => toDay(year, toMonth(month), Number(day))),
  ].sort((a, b) => a.at - b.at)

/** Moments with their offset from UTC, as they are written. */
export const findTimes = (text: string): Literal<string>[] => findMatches(text, isoTime, ([whole]) => whole)

/** Numbers, as they are written with points for fractions and commas for thousands. No parts of words, days or times. */
export const findNumbers = (text: string): Literal<number>[] =>
  findMatches(text, number, ([whole = '']) => Number(whole.replaceAll(',', '')))
