import type { BrainRecord } from '@noema/contracts/records.ts'
import type { RawBuilder } from 'kysely'
import { UndoMap } from '../../shared/undo.ts'
import type { Queryable } from '../../storage/database.ts'
import type { SchemaDraft } from '../schema/schema.ts'
import { type Crossing, crossingsOf } from './crossings.ts'
import { deletePending, insertPending } from './queries.ts'

const nameOf = ({ recordId, field, value, offset }: Crossing) => JSON.stringify([recordId, field, value, offset])

/** What the changes of a group do to the crossings of dates: which begin to be awaited, and which no longer are. */
export class DateDraft {
  readonly #schema: SchemaDraft
  readonly #moved = new UndoMap<string, { crossing: Crossing; isPending: boolean }>()

  constructor(schema: SchemaDraft) {
    this.#schema = schema
  }

  /** Takes in that a record became another version, or none. */
  move(before: BrainRecord | undefined, after: BrainRecord | undefined): void {
    const [had, has] = [this.#crossings(before), this.#crossings(after)]
    for (const [name, crossing] of had) if (!has.has(name)) this.#moved.set(name, { crossing, isPending: false })
    // What is past as it is written is not told of (DAT-06).
    for (const [name, crossing] of has)
      if (!had.has(name) && crossing.dueAt > this.#schema.at) this.#moved.set(name, { crossing, isPending: true })
  }

  keep(): void {
    this.#moved.keep()
  }

  rollBack(): void {
    this.#moved.rollBack()
  }

  /** Whether anything that the database awaits may be awaited no more. */
  get hasEnds(): boolean {
    return [...this.#moved.values()].some(({ isPending }) => !isPending)
  }

  async writeEnds(tx: Queryable, brainId: number): Promise<void> {
    const gone = this.#which(false)
    if (gone.length > 0) await deletePending(tx, brainId, gone)
  }

  inserts(brainId: number): RawBuilder<unknown>[] {
    const pending = this.#which(true)
    return pending.length > 0 ? [insertPending(brainId, pending)] : []
  }

  #crossings(record: BrainRecord | undefined): ReadonlyMap<string, Crossing> {
    const notified = record && this.#schema.schema.byKind.get(record.kind)?.notified
    if (!record || !notified?.length) return none
    return new Map(crossingsOf(notified, record).map((crossing) => [nameOf(crossing), crossing]))
  }

  #which(isPending: boolean): Crossing[] {
    return [...this.#moved.values()].flatMap((moved) => (moved.isPending === isPending ? moved.crossing : []))
  }
}

const none: ReadonlyMap<string, Crossing> = new Map()
