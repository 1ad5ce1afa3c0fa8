import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaDraft } from '../schema/schema.ts'
import { DraftRows } from '../versioning/pending-rows.ts'
import { type Crossing, crossingsOf } from './reminders.ts'
import { deletePending, insertPending } from './queries.ts'

const nameOf = ({ recordId, field, value, offset }: Crossing) => JSON.stringify([recordId, field, value, offset])

/** What the changes of a group do to the crossings of dates: which begin to be awaited, and which no longer are. */
export class DateDraft {
  readonly rows: DraftRows<Crossing>
  readonly #schema: SchemaDraft

  constructor(schema: SchemaDraft) {
    this.rows = new DraftRows(schema.undo, { insert: insertPending, end: deletePending })
    this.#schema = schema
  }

  /** Takes in that a record became another version, or none. */
  move(before: BrainRecord | undefined, after: BrainRecord | undefined): void {
    const [had, has] = [this.#crossings(before), this.#crossings(after)]
    for (const [name, crossing] of had) if (!has.has(name)) this.rows.end(name, crossing)
    // What is past as it is written is not told of (DAT-06).
    for (const [name, crossing] of has)
      if (!had.has(name) && crossing.dueAt > this.#schema.at) this.rows.make(name, crossing)
  }

  #crossings(record: BrainRecord | undefined): ReadonlyMap<string, Crossing> {
    const notified = record && this.#schema.schema.byKind.get(record.kind)?.notified
    if (!record || !notified?.length) return none
    return new Map(crossingsOf(notified, record).map((crossing) => [nameOf(crossing), crossing]))
  }
}

const none: ReadonlyMap<string, Crossing> = new Map()
