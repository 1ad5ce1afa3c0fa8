import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import type { RawBuilder } from 'kysely'
import { conflict } from '../../../shared/errors.ts'
import type { JsonObject } from '../../../shared/json.ts'
import { type UndoLog, UndoMap } from '../../../shared/undo.ts'
import type { Queryable } from '../../../storage/database.ts'
import {
  deleteEntries,
  indexEntries,
  insertEntries,
  selectHolders,
  valueKey,
  valuesIn,
} from '../field-indexes/field-indexes.ts'
import type { IndexEntry } from '../field-indexes/types.ts'
import {
  type CompiledSchema,
  emptySchema,
  type KindOf,
  type Scope,
  schemaViolation,
  violationsOf,
} from '../kinds/kinds.ts'
import { PendingRows } from '../versioning/pending-rows.ts'
import { countEmerged } from './emerged.ts'
import { insertVersion, type Tally, upsertEmerged } from './queries.ts'

/** The next version of the schema, as a change makes it. */
export type Evolved = { version: number; kinds: readonly SchemaKind[]; change: string; at: string }

type Written = Pick<BrainRecord, 'id' | 'kind' | 'fields'>

/** A record before and after a version of it was made or ended. */
export type RecordMove = { before: Written | undefined; after: Written | undefined }

const nameOf = (kind: string, field: string, value = '') => JSON.stringify([kind, field, value])

/**
 * The schema that a commit batch is judged by, read under the Brain's lock, with what the changes do beside their
 * content: the values that they take of unique fields, the entries of indexed ones, what emerges, and the next version.
 */
export class SchemaWrites {
  readonly schema: CompiledSchema
  /** When the batch runs. */
  readonly at: string
  readonly hasUniqueFields: boolean
  readonly #undo: UndoLog
  readonly #holders: UndoMap<string, string | null>
  readonly #entries: PendingRows<IndexEntry>
  #emerged: readonly Tally[] = []
  #evolved: Evolved | undefined

  constructor(undo: UndoLog, schema: CompiledSchema = emptySchema, at = '') {
    this.schema = schema
    this.at = at
    this.hasUniqueFields = schema.uniqueFields.size > 0
    this.#undo = undo
    this.#holders = new UndoMap(undo)
    this.#entries = new PendingRows(undo, { insert: insertEntries, end: deleteEntries })
  }

  /** The version of the Brain's schema after what was done so far. */
  get version(): number {
    return this.#evolved?.version ?? this.schema.version
  }

  /** The next version, where a change made one. */
  get evolved(): Evolved | undefined {
    return this.#evolved
  }

  /** Takes in who holds a value of a unique field. */
  knowHolder({ kind, field, value }: { kind: string; field: string; value: string }, recordId: string): void {
    this.#holders.know(nameOf(kind, field, value), recordId)
  }

  /** Refuses a record that its kind's declaration does not allow, or that takes what another record holds. */
  check(record: Written & Pick<BrainRecord, 'links'>, scope: Scope, kindOf: KindOf): void {
    const kind = this.schema.byKind.get(record.kind)
    if (!kind) return
    const violations = violationsOf(kind, record, scope, kindOf)
    if (violations.length > 0) throw schemaViolation(violations)
    for (const field of kind.indexed) {
      if (!field.unique || (scope && !scope.fields.includes(field.name))) continue
      for (const value of valuesIn(record.fields[field.name])) {
        const holder = this.#holders.get(nameOf(kind.kind, field.name, valueKey(field, value)))
        if (holder === undefined || holder === null || holder === record.id) continue
        const message = `The field ${field.name} of ${kind.kind} is unique, and ${holder} has this value. Choose another or update that record.`
        throw conflict(message, { code: 'field_taken', details: [{ path: ['fields', field.name], message }] })
      }
    }
  }

  /** Gives a record's values of unique fields up for those that it has now. */
  hold({ before, after }: RecordMove): void {
    // The next holder may have taken its place already, where two records trade values within a batch.
    for (const [place, id] of this.#placesOf(before))
      if (this.#holders.get(place) === id) this.#holders.set(place, null)
    for (const [place, id] of this.#placesOf(after)) this.#holders.set(place, id)
  }

  /** Makes these kinds the next version. */
  evolve(kinds: readonly SchemaKind[], change: string): { schemaVersion: number; previousSchemaVersion: number } {
    const before = this.#evolved
    const previousSchemaVersion = this.version
    this.#evolved = { version: previousSchemaVersion + 1, kinds, change, at: this.at }
    this.#undo.note(() => {
      this.#evolved = before
    })
    return { schemaVersion: this.version, previousSchemaVersion }
  }

  /** Takes in all that became of records: what is indexed of them, and what they have that is not declared. */
  follow(moves: readonly RecordMove[]): void {
    for (const { before, after } of moves) {
      for (const entry of this.#entriesOf(before)) this.#entries.end(entryName(entry), entry)
      for (const entry of this.#entriesOf(after)) this.#entries.make(entryName(entry), entry)
    }
    this.#emerged = countEmerged(this.schema, moves)
  }

  get hasEnds(): boolean {
    return this.#evolved !== undefined || this.#entries.hasEnds
  }

  writeEnds(tx: Queryable, brainId: number): Promise<void> {
    return this.#entries.writeEnds(tx, brainId)
  }

  /** The inserts of index entries, of what emerged and of the next version, if any. */
  inserts(brainId: number): RawBuilder<unknown>[] {
    return [
      ...this.#entries.inserts(brainId),
      ...(this.#emerged.length > 0 ? [upsertEmerged(brainId, this.at, this.#emerged)] : []),
      ...(this.#evolved ? [insertVersion(brainId, this.#evolved)] : []),
    ]
  }

  #entriesOf(record: Written | undefined): IndexEntry[] {
    if (!record) return []
    const indexed = this.schema.byKind.get(record.kind)?.indexed ?? []
    return indexed.length > 0 ? indexEntries(record.kind, indexed, record) : []
  }

  #placesOf(record: Written | undefined): [place: string, id: string][] {
    return this.#entriesOf(record).map(({ kind, field, value, recordId }) => [nameOf(kind, field, value), recordId])
  }
}

const entryName = ({ kind, field, value, recordId }: IndexEntry) => `${nameOf(kind, field, value)} ${recordId}`

type Wanting = { fields?: JsonObject | undefined }

/** Reads who holds the values of unique fields that these contents name, whatever kind their records turn out to be. */
export const loadHolders = async (
  tx: Queryable,
  brainId: number,
  writes: SchemaWrites,
  contents: readonly Wanting[],
): Promise<void> => {
  const { uniqueFields } = writes.schema
  if (uniqueFields.size === 0) return
  const wanted = contents.flatMap(({ fields = {} }) =>
    Object.entries(fields).flatMap(([name, given]) =>
      (uniqueFields.get(name) ?? []).flatMap(({ kind, field }) =>
        valuesIn(given).map((value) => ({ kind, field: name, value: valueKey(field, value) })),
      ),
    ),
  )
  if (wanted.length === 0) return
  for (const { recordId, ...place } of await selectHolders(tx, brainId, wanted)) writes.knowHolder(place, recordId)
}
