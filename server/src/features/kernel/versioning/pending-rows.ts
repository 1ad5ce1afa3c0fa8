import type { Statement } from '../../../storage/statements.ts'

/** The statements that write the rows of one table. */
export type RowStatements<Held, New> = {
  /** The inserts of rows, as parts of the statement that commits them: one, or more where one would be too large. */
  insert(brainId: number, rows: readonly New[]): Statement | Statement[]
  /** Updates or deletes rows that are no longer current; a table without it keeps all. `isDivided`: the tables are on several servers. */
  end?(brainId: number, rows: readonly Held[], isDivided: boolean): Statement
  /** True if `end` finds each row by its key, so that it finds the same rows in any snapshot. */
  endsByKey?: true
}

/**
 * The changes of a commit batch to one table: the rows that it makes, and the stored rows that it ends. Ends are written first,
 * because only one version of an item is current at a time.
 */
export type RowChanges<Held = unknown, New extends Held = Held> = {
  statements: RowStatements<Held, New>
  made: readonly New[]
  ended: readonly Held[]
}

/** Gathers the changes of one table's rows, each by a name, where a later one may undo an earlier one. */
export class PendingRows<Row> {
  readonly #made = new Map<string, Row>()
  readonly #ended = new Map<string, Row>()

  /** Adds a row, or replaces an added one. */
  make(name: string, row: Row): void {
    this.#ended.delete(name)
    this.#made.set(name, row)
  }

  /** Ends a stored row. */
  end(name: string, row: Row): void {
    this.#made.delete(name)
    this.#ended.set(name, row)
  }

  changes(statements: RowStatements<Row, Row>): RowChanges<Row> {
    return { statements, made: [...this.#made.values()], ended: [...this.#ended.values()] }
  }
}
