import { LRUCache } from 'lru-cache'
import type { JsonObject } from '../../../shared/text/json.ts'
import { momentsIn } from '../field-indexes/field-indexes.ts'
import type { NotifiedField } from '../kinds/kinds.ts'

/**
 * A notification before the value of a record's field. `value` and `dueAt` are moments, `offset` is the declared duration
 * between them.
 */
export type Reminder = { recordId: string; field: string; value: string; offset: string; dueAt: string }

const durationParts = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

type Duration = { months: number; milliseconds: number }

/** Parsed durations: schemas repeat a few of them. */
const parsed = new LRUCache<string, Duration>({ max: 1_000 })

const parseDuration = (offset: string): Duration => {
  const cached = parsed.get(offset)
  if (cached) return cached
  const parts = (durationParts.exec(offset) ?? []).slice(1).map((digits) => Number(digits ?? 0))
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
  const elapsed = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds
  const duration = { months: years * 12 + months, milliseconds: elapsed * 1_000 }
  parsed.set(offset, duration)
  return duration
}

const monthsBefore = (time: number, months: number): number => {
  const due = new Date(time)
  const day = due.getUTCDate()
  due.setUTCMonth(due.getUTCMonth() - months, 1)
  const monthEnd = new Date(due)
  monthEnd.setUTCMonth(due.getUTCMonth() + 1, 0)
  return due.setUTCDate(Math.min(day, monthEnd.getUTCDate()))
}

const timeBefore = (time: number, offset: string): number => {
  const { months, milliseconds } = parseDuration(offset)
  return (months === 0 ? time : monthsBefore(time, months)) - milliseconds
}

/**
 * The moment an ISO 8601 duration before another, by the calendar of UTC. Months come first: a day that the month has not
 * is its last, so a month before 31 March is 28 February. PostgreSQL subtracts intervals alike.
 */
export const momentBefore = (moment: string, offset: string): string =>
  new Date(timeBefore(Date.parse(moment), offset)).toISOString()

/** Maximum number of reminders of one record: it bounds the rows of one write, and its later events. */
export const maxPerRecord = 1_000

/** Counts the reminders of a record's values in these fields, including past ones. */
export const sizeReminders = (notified: readonly NotifiedField[], { fields }: { fields: JsonObject }): number =>
  notified.reduce((sum, field) => sum + momentsIn(field, fields[field.name]).length * field.notifyBefore.length, 0)

/**
 * A moment in a field of a record, with the declared durations before it: several reminders in one. The database computes
 * when each is due.
 */
export type DatedValue = Pick<Reminder, 'recordId' | 'field' | 'value'> & { offsets: readonly string[] }

/** Lists a record's values in these fields, past ones included, by field and moment. */
export const toDatedValues = (
  notified: readonly NotifiedField[],
  record: { id: string; fields: JsonObject },
): ReadonlyMap<string, DatedValue> =>
  new Map(
    notified.flatMap((field) =>
      momentsIn(field, record.fields[field.name]).map((value) => [
        `${value} ${field.name}`,
        { recordId: record.id, field: field.name, value, offsets: field.notifyBefore },
      ]),
    ),
  )

/** Those of the durations before a moment that end after another one. */
export const findComing = (value: string, offsets: readonly string[], at: string): readonly string[] => {
  const [time, now] = [Date.parse(value), Date.parse(at)]
  const coming = offsets.filter((offset) => timeBefore(time, offset) > now)
  return coming.length === offsets.length ? offsets : coming
}
