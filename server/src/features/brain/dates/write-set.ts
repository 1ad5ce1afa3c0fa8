import type { BrainRecord } from '@noema/contracts/records.ts'
import { validation } from '../../../shared/errors.ts'
import type { CompiledSchema } from '../kinds/kinds.ts'
import { PendingRows, type RowChanges } from '../versioning/versioning.ts'
import { deletePending, insertPending } from './queries.ts'
import { maxPerRecord, type Reminder, sizeReminders, toReminders } from './reminders.ts'

type RecordMove = { before: BrainRecord | undefined; after: BrainRecord | undefined }

const toReminderKey = ({ recordId, field, value, offset }: Reminder) => JSON.stringify([recordId, field, value, offset])

const listReminders = (schema: CompiledSchema, record: BrainRecord | undefined): ReadonlyMap<string, Reminder> => {
  const notified = record && schema.byKind.get(record.kind)?.notified
  if (!record || !notified?.length) return new Map()
  return new Map(toReminders(notified, record).map((reminder) => [toReminderKey(reminder), reminder]))
}

/** Reminders of one record that cost nothing beside the write. */
const freePerRecord = 20

/** Most reminders that one write may begin to await. */
const maxPerWrite = 20_000

const checkRecord = (schema: CompiledSchema, record: BrainRecord | undefined): void => {
  const notified = record && schema.byKind.get(record.kind)?.notified
  const count = record && notified ? sizeReminders(notified, record) : 0
  if (record && count > maxPerRecord)
    throw validation(
      `The record ${JSON.stringify(record.id)} would be notified of ${count} times; a record may be ${maxPerRecord} times. Keep fewer dates in it, or declare fewer durations of notifyBefore.`,
      { code: 'too_many_reminders' },
    )
}

/** How much the dates of some records cost beside the writes: one for each reminder beyond what every record may have. */
export const countReminders = (
  { schema, at }: { schema: CompiledSchema; at: string },
  moves: readonly RecordMove[],
): number => {
  if (!schema.tellsDates) return 0
  let sum = 0
  let cost = 0
  for (const { before, after } of moves) {
    checkRecord(schema, after)
    const had = listReminders(schema, before)
    const made = [...listReminders(schema, after)].filter(([name, { dueAt }]) => !had.has(name) && dueAt > at).length
    sum += made
    cost += Math.max(0, made - freePerRecord)
  }
  if (sum > maxPerWrite)
    throw validation(
      `This would have ${sum} dates notified of; one write may begin ${maxPerWrite}. Send fewer records.`,
      {
        code: 'too_many_reminders',
      },
    )
  return cost
}

/** What becomes of reminders by what became of records: those that begin to be awaited, and those that no longer are. */
export const followDates = (
  { schema, at }: { schema: CompiledSchema; at: string },
  moves: readonly RecordMove[],
): RowChanges<Reminder> => {
  const rows = new PendingRows<Reminder>()
  for (const { before, after } of moves) {
    const [had, has] = [listReminders(schema, before), listReminders(schema, after)]
    for (const [name, reminder] of had) if (!has.has(name)) rows.end(name, reminder)
    // What is past as it is written is not told of (DAT-06).
    for (const [name, reminder] of has) if (!had.has(name) && reminder.dueAt > at) rows.make(name, reminder)
  }
  return rows.changes({ insert: insertPending, end: deletePending })
}
