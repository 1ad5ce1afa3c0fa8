import { createHash } from 'node:crypto'
import type { Operation } from '@noema/contracts/batch.ts'
import type { RawBuilder } from 'kysely'
import { canonicalJson } from '../../shared/json.ts'
import { UndoMap } from '../../shared/undo.ts'
import type { Queryable } from '../../storage/database.ts'
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

/** The statements that a group of changes touches, and what the changes make of them. */
export class StatementDraft {
  readonly #known = new UndoMap<string, StatementRow>()
  readonly #live = new UndoMap<string, string>()
  readonly #twins = new Map<string, string>()
  readonly #made = new UndoMap<string, StatementRow>()
  readonly #ended = new UndoMap<string, StatementRow>()

  /** The statement of this id, or the live twin that a new statement of this id turned out to be. */
  get(id: string): StatementRow | undefined {
    return this.#known.get(this.#twins.get(id) ?? id)
  }

  /** Lets the id of a statement that was not made stand for the one that says the same, until its change is settled. */
  callTwin(id: string, twin: StatementRow): void {
    this.#twins.set(id, twin.id)
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

  know(row: StatementRow): void {
    this.#known.set(row.id, row)
    if (row.toState === null) this.#live.set(row.identity, row.id)
  }

  add(row: StatementRow): void {
    this.know(row)
    this.#made.set(row.id, row)
  }

  retract(row: StatementRow, retraction: Retraction): void {
    const ended = { ...row, toState: retraction.stateVersion, retraction }
    this.#known.set(row.id, ended)
    const shelf = this.#made.get(row.id) ? this.#made : this.#ended
    shelf.set(row.id, ended)
  }

  keep(): void {
    for (const map of this.#maps()) map.keep()
    this.#twins.clear()
  }

  rollBack(): void {
    for (const map of this.#maps()) map.rollBack()
    this.#twins.clear()
  }

  /** Whether anything that the database holds was ended. */
  get hasEnds(): boolean {
    return this.#ended.size > 0
  }

  /** Ends, in the database, the statements that were retracted. Comes before the insert: one of a kind is live at a time. */
  async writeEnds(tx: Queryable, brainId: number): Promise<void> {
    const rows = [...this.#ended.values()]
    if (rows.length > 0) await retractStatements(tx, brainId, rows)
  }

  /** The insert of the statements that were made, if any. */
  inserts(brainId: number): RawBuilder<unknown>[] {
    const rows = [...this.#made.values()]
    return rows.length > 0 ? [insertStatements(brainId, rows)] : []
  }

  #maps() {
    return [this.#known, this.#live, this.#made, this.#ended]
  }
}

/** Reads what these operations need of the Brain's statements: those they name or repeat, and those about deleted records. */
export const loadStatementDraft = async (
  tx: Queryable,
  brainId: number,
  operations: readonly Operation[],
): Promise<StatementDraft> => {
  const draft = new StatementDraft()
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
    for (const row of await selectStatements(tx, brainId, { ids, identities, subjects })) draft.know(row)
  draft.keep()
  return draft
}
