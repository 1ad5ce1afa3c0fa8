import { createHash } from 'node:crypto'
import type { Operation } from '@noema/contracts/batch.ts'
import { canonicalJson } from '../../../shared/json.ts'
import { UndoLog, UndoMap } from '../../../shared/undo.ts'
import type { Queryable } from '../../../storage/database.ts'
import { PendingRows } from '../versioning/pending-rows.ts'
import { insertStatements, type Retraction, retractStatements, type StatementRow, selectStatements } from './queries.ts'

type Assertion = Extract<Operation, { op: 'statement.assert' }>

/** What makes two statements the same one (D-32): subject, predicate, object and the beginning of their validity. */
export const identityOf = ({
  subject,
  predicate,
  object,
  validFrom,
}: Pick<Assertion, 'subject' | 'predicate' | 'object'> & { validFrom?: string | null | undefined }): string =>
  createHash('sha256')
    .update(canonicalJson([subject.id, predicate, object, validFrom ?? null]))
    .digest('hex')

/** The statements that a commit batch touches, and what the changes make of them. */
export class StatementWrites {
  readonly rows: PendingRows<StatementRow>
  readonly #known: UndoMap<string, StatementRow>
  readonly #live: UndoMap<string, string>
  readonly #twins = new Map<string, string>()

  constructor(undo = new UndoLog()) {
    this.rows = new PendingRows(undo, { insert: insertStatements, end: retractStatements })
    this.#known = new UndoMap(undo)
    this.#live = new UndoMap(undo)
  }

  /** The statement of this id, or the live twin that a new statement of this id turned out to be. */
  get(id: string): StatementRow | undefined {
    return this.#known.get(this.#twins.get(id) ?? id)
  }

  /** Lets the id of a statement that was not made stand for the one that says the same, until its change is through. */
  callTwin(id: string, twin: StatementRow): void {
    this.#twins.set(id, twin.id)
  }

  forgetTwins(): void {
    this.#twins.clear()
  }

  /** The live statement that says the same. */
  liveTwin(identity: string): StatementRow | undefined {
    const twin = this.#known.get(this.#live.get(identity) ?? '')
    return twin?.toState === null ? twin : undefined
  }

  /** The live statements about a record. */
  liveAbout(recordId: string): StatementRow[] {
    return [...this.#known.values()].filter((row) => row.toState === null && row.statement.subject.id === recordId)
  }

  /** Takes in a statement that the database holds. */
  know(row: StatementRow): void {
    this.#known.know(row.id, row)
    if (row.toState === null) this.#live.know(row.identity, row.id)
  }

  add(row: StatementRow): void {
    this.#known.set(row.id, row)
    this.#live.set(row.identity, row.id)
    this.rows.make(row.id, row)
  }

  retract(row: StatementRow, retraction: Retraction): StatementRow {
    const ended = { ...row, toState: retraction.stateVersion, retraction }
    this.#known.set(row.id, ended)
    // One that this batch made is inserted as retracted; one that the database holds is updated.
    if (this.rows.made(row.id)) this.rows.make(row.id, ended)
    else this.rows.end(row.id, ended)
    return ended
  }
}

/** Reads what these operations need of the Brain's statements: those they name or repeat, and those about deleted records. */
export const loadStatementWrites = async (
  tx: Queryable,
  brainId: number,
  operations: readonly Operation[],
  undo?: UndoLog,
): Promise<StatementWrites> => {
  const writes = new StatementWrites(undo)
  const ids: string[] = []
  const identities: string[] = []
  const subjects: string[] = []
  for (const operation of operations) {
    if (operation.op === 'statement.retract') ids.push(operation.id)
    if (operation.op === 'record.delete') subjects.push(operation.id)
    if (operation.op !== 'statement.assert') continue
    if (operation.id !== undefined) ids.push(operation.id)
    identities.push(identityOf(operation))
  }
  if (ids.length + identities.length + subjects.length > 0)
    for (const row of await selectStatements(tx, brainId, { ids, identities, subjects })) writes.know(row)
  return writes
}
