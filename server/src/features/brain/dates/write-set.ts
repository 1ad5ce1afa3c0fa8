import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaWrites } from '../schema/schema.ts'
import { PendingRows } from '../versioning/pending-rows.ts'
import { deletePending, insertPending } from './queries.ts'
import { type Reminder, toReminders } from './reminders.ts'

const nameOf = ({ recordId, field, value, offset }: Reminder) => JSON.stringify([recordId, field, value, offset])

/** What the changes of a commit batch do to the reminders of dates: which begin to be awaited, and which no longer are. */
export class ReminderWrites {
  readonly rows: PendingRows<Reminder>
  readonly #schema: SchemaWrites

  constructor(schema: SchemaWrites) {
    this.rows = new PendingRows(schema.undo, { insert: insertPending, end: deletePending })
    this.#schema = schema
  }

  /** Takes in that a record became another version, or none. */
  move(before: BrainRecord | undefined, after: BrainRecord | undefined): void {
    const [had, has] = [this.#reminders(before), this.#reminders(after)]
    for (const [name, reminder] of had) if (!has.has(name)) this.rows.end(name, reminder)
    // What is past as it is written is not told of (DAT-06).
    for (const [name, reminder] of has)
      if (!had.has(name) && reminder.dueAt > this.#schema.at) this.rows.make(name, reminder)
  }

  #reminders(record: BrainRecord | undefined): ReadonlyMap<string, Reminder> {
    const notified = record && this.#schema.schema.byKind.get(record.kind)?.notified
    if (!record || !notified?.length) return none
    return new Map(toReminders(notified, record).map((reminder) => [nameOf(reminder), reminder]))
  }
}

const none: ReadonlyMap<string, Reminder> = new Map()
