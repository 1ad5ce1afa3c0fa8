import type { BrainRecord } from '@noema/contracts/records.ts'
import type { CompiledSchema } from '../kinds/kinds.ts'
import { PendingRows, type RowChanges } from '../versioning/versioning.ts'
import { deletePending, insertPending } from './queries.ts'
import { type Reminder, toReminders } from './reminders.ts'

type RecordMove = { before: BrainRecord | undefined; after: BrainRecord | undefined }

const toReminderKey = ({ recordId, field, value, offset }: Reminder) => JSON.stringify([recordId, field, value, offset])

const listReminders = (schema: CompiledSchema, record: BrainRecord | undefined): ReadonlyMap<string, Reminder> => {
  const notified = record && schema.byKind.get(record.kind)?.notified
  if (!record || !notified?.length) return new Map()
  return new Map(toReminders(notified, record).map((reminder) => [toReminderKey(reminder), reminder]))
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
