import { isDeepStrictEqual } from 'node:util'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import type { RawBuilder } from 'kysely'
import { conflict } from '../../../shared/errors.ts'
import type { JsonObject } from '../../../shared/json.ts'
import { UndoLog, UndoMap } from '../../../shared/undo.ts'
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
  type CompiledKind,
  type CompiledSchema,
  emptySchema,
  type KindOf,
  type Scope,
  schemaViolation,
  violationsOf,
} from '../kinds/kinds.ts'
import { PendingRows } from '../versioning/pending-rows.ts'
import { sortsOf } from './emerged.ts'
import { insertVersion, type Tally, upsertEmerged } from './queries.ts'

/** The next version of the schema, as a change makes it. */
export type Evolved = { version: number; kinds: readonly SchemaKind[]; change: string; at: string }

type Written = Pick<BrainRecord, 'id' | 'kind' | 'fields'>
const nameOf = (kind: string, field: string, value = '') => JSON.stringify([kind, field, value])

/**
 * The schema that a commit batch is judged by, read under the Brain's lock, with what the changes do beside their
 * content: the values that they take of unique fields, the entries of indexed ones, what emerges, and the next version.
 */
export class SchemaWrites {
  readonly schema: CompiledSchema
  /** When the batch runs. */
  readonly at: string
  /** Takes back what a change did to this writes and to those of content beside it. */
  readonly undo = new UndoLog()
  readonly entries = new PendingRows<IndexEntry>(this.undo, { insert: insertEntries, end: deleteEntries })
  readonly #holders = new UndoMap<string, string | null>(this.undo)
  readonly #emerged = new UndoMap<string, Tally>(this.undo)
  readonly #evolved = new UndoMap<'next', Evolved>(this.undo)

  constructor(schema: CompiledSchema = emptySchema, at = '') {
    this.schema = schema
    this.at = at
  }

  /** The version of the Brain's schema after what was done so far. */
  get version(): number {
    return this.evolved?.version ?? this.schema.version
  }

  get evolved(): Evolved | undefined {
    return this.#evolved.get('next')
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

  /** Takes in a version that was made, and the one before it. */
  put(before: Written | undefined, after: Written): void {
    if (before) this.end(before)
    const kind = this.schema.byKind.get(after.kind)
    if (kind && kind.indexed.length > 0) this.#index(kind, after, true)
    this.#count(kind, before?.kind === after.kind ? before.fields : undefined, after)
  }

  /** Takes in that a version is live no more. */
  end(record: Written): void {
    const kind = this.schema.byKind.get(record.kind)
    if (kind && kind.indexed.length > 0) this.#index(kind, record, false)
  }

  /** Makes these kinds the next version. */
  evolve(kinds: readonly SchemaKind[], change: string): { schemaVersion: number; previousSchemaVersion: number } {
    const previousSchemaVersion = this.version
    this.#evolved.set('next', { version: previousSchemaVersion + 1, kinds, change, at: this.at })
    return { schemaVersion: this.version, previousSchemaVersion }
  }

  /** The inserts of what emerged and of the next version, if any. */
  inserts(brainId: number): RawBuilder<unknown>[] {
    const tallies = [...this.#emerged.values()]
    return [
      ...(tallies.length > 0 ? [upsertEmerged(brainId, this.at, tallies)] : []),
      ...(this.evolved ? [insertVersion(brainId, this.evolved)] : []),
    ]
  }

  #index(kind: CompiledKind, record: Written, isLive: boolean): void {
    for (const entry of indexEntries(kind.kind, kind.indexed, record)) {
      const place = nameOf(kind.kind, entry.field, entry.value)
      const name = `${place} ${record.id}`
      if (isLive) this.entries.make(name, entry)
      else this.entries.end(name, entry)
      // The next holder may have taken its place already, where two records trade values within a batch.
      if (isLive) this.#holders.set(place, record.id)
      else if (this.#holders.get(place) === record.id) this.#holders.set(place, null)
    }
  }

  /** Counts what a record took on that is not declared. A write of declared things alone counts nothing. */
  #count(kind: CompiledKind | undefined, before: JsonObject | undefined, { kind: name, fields }: Written): void {
    if (!kind && !before) this.#tally(name, '', 1, [])
    for (const field of Object.keys(fields)) {
      if (kind?.fields.has(field)) continue
      const value = fields[field]
      if (value === undefined || (before && before[field] === value)) continue
      const sorts = sortsOf(value)
      // Another value of the same sort tells nothing new.
      const known = before && Object.hasOwn(before, field) ? sortsOf(before[field] ?? null) : undefined
      if (known && isDeepStrictEqual(known, sorts)) continue
      this.#tally(name, field, known ? 0 : 1, sorts)
    }
  }

  #tally(kind: string, field: string, count: number, seen: readonly string[]): void {
    const name = `${kind}/${field}`
    const tally = this.#emerged.get(name)
    const known = tally?.seen ?? []
    const added = seen.filter((sort) => !known.includes(sort))
    if (tally && added.length === 0 && count === 0) return
    this.#emerged.set(name, {
      kind,
      field,
      count: (tally?.count ?? 0) + count,
      seen: added.length > 0 ? [...known, ...added] : known,
    })
  }
}

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
