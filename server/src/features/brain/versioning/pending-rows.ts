import type { RawBuilder } from 'kysely'
import { type UndoLog, UndoMap } from '../../../shared/undo.ts'
import type { Queryable } from '../../../storage/database.ts'

/** How the rows of one table are written. */
export type RowStatements<Held, New> = {
  insert(brainId: number, rows: readonly New[]): RawBuilder<unknown>
  /** Updates or deletes rows that are no longer current. */
  end(tx: Queryable, brainId: number, rows: readonly Held[]): Promise<unknown>
  /** The most rows of one insert. */
  rowsAtOnce?: number
}

/**
 * The rows of one table that a commit batch makes, and those that the database holds and the batch ends, each by a name.
 * Nothing of them reaches the database until `writeEnds` and `inserts`.
 */
export class PendingRows<Held, New extends Held = Held> {
  readonly #made: UndoMap<string, New>
  readonly #ended: UndoMap<string, Held>
  readonly #statements: RowStatements<Held, New>

  constructor(undo: UndoLog, statements: RowStatements<Held, New>) {
    this.#made = new UndoMap(undo)
    this.#ended = new UndoMap(undo)
    this.#statements = statements
  }

  /** A row that the batch made. */
  made(name: string): New | undefined {
    return this.#made.get(name)
  }

  /** Makes a row, or another in its place. */
  make(name: string, row: New): void {
    this.#ended.delete(name)
    this.#made.set(name, row)
  }

  /** Ends a row that the database holds. */
  end(name: string, row: Held): void {
    this.#made.delete(name)
    this.#ended.set(name, row)
  }

  /** Whether anything that the database holds was ended. */
  get hasEnds(): boolean {
    return this.#ended.size > 0
  }

  /** Ends rows in the database. Comes before the inserts: of what was ended and what was made, one is current at a time. */
  async writeEnds(tx: Queryable, brainId: number): Promise<void> {
    const rows = [...this.#ended.values()]
    if (rows.length > 0) await this.#statements.end(tx, brainId, rows)
  }

  /** The inserts of the rows that were made, if any. */
  inserts(brainId: number): RawBuilder<unknown>[] {
    const rows = [...this.#made.values()]
    const { insert, rowsAtOnce = rows.length } = this.#statements
    const inserts: RawBuilder<unknown>[] = []
    for (let start = 0; start < rows.length; start += rowsAtOnce)
      inserts.push(insert(brainId, rows.slice(start, start + rowsAtOnce)))
    return inserts
  }
}
