import type { JsonObject } from '../../../shared/json.ts'
import { momentsIn } from '../field-indexes/field-indexes.ts'
import type { NotifiedField } from '../kinds/kinds.ts'

/**
 * A value of a record's field coming as near as the field is to be notified of. `value` and `dueAt` are moments, `offset`
 * is the declared duration between them.
 */
export type Reminder = { recordId: string; field: string; value: string; offset: string; dueAt: string }

const durationParts = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/**
 * The moment an ISO 8601 duration before another, by the calendar of UTC. Months come first: a day that the month has not
 * is its last, so a month before 31 March is 28 February.
 */
export const momentBefore = (moment: string, offset: string): string => {
  const parts = (durationParts.exec(offset) ?? []).slice(1).map((digits) => Number(digits ?? 0))
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
  const due = new Date(moment)
  const day = due.getUTCDate()
  due.setUTCMonth(due.getUTCMonth() - years * 12 - months, 1)
  const monthEnd = new Date(due)
  monthEnd.setUTCMonth(due.getUTCMonth() + 1, 0)
  due.setUTCDate(Math.min(day, monthEnd.getUTCDate()))
  const elapsed = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds
  return new Date(due.getTime() - elapsed * 1000).toISOString()
}

/** Most reminders of one record: what bounds what one write stores, and later tells. */
export const maxPerRecord = 1_000

/** How many reminders what a record holds in these fields has, past ones too. */
export const sizeReminders = (notified: readonly NotifiedField[], { fields }: { fields: JsonObject }): number =>
  notified.reduce((sum, field) => sum + momentsIn(field, fields[field.name]).length * field.notifyBefore.length, 0)

/** The reminders of what a record holds in these fields, past ones too. */
export const toReminders = (
  notified: readonly NotifiedField[],
  record: { id: string; fields: JsonObject },
): Reminder[] =>
  notified.flatMap((field) =>
    momentsIn(field, record.fields[field.name]).flatMap((value) =>
      field.notifyBefore.map((offset) => ({
        ...{ recordId: record.id, field: field.name, value, offset },
        dueAt: momentBefore(value, offset),
      })),
    ),
  )
