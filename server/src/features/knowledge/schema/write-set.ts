import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { conflict } from '../../../shared/errors.ts'
import type { JsonObject } from '../../../shared/text/json.ts'
import { putBack, type UndoLog } from '../../../shared/undo.ts'
import type { Queryable } from '../../../storage/database.ts'
import { PendingRows, type RowChanges, type RowStatements } from '../../kernel/versioning/pending-rows.ts'
import { deleteEntries, insertEntries, selectHolders } from '../field-indexes/field-index-queries.ts'
import { indexEntries, valueKey, valuesIn } from '../field-indexes/field-indexes.ts'
import type { IndexEntry } from '../field-indexes/types.ts'
import {
  type CompiledKind,
  type CompiledSchema,
  emptySchema,
  findViolations,
  type KindOf,
  type Scope,
  schemaViolation,
} from '../kinds/kinds.ts'
import { insertVersion } from './schema-queries.ts'

/** The next version of the schema, as a change makes it. */
export type Evolved = { version: number; kinds: readonly SchemaKind[]; change: string; at: string }

type Written = Pick<BrainRecord, 'id' | 'kind' | 'fields'>

/** A record before and after one of its versions began or ended. */
type RecordMove = { before: Written | undefined; after: Written | undefined }

const toValueKey = (kind: string, field: string, value = '') => JSON.stringify([kind, field, value])

const toEntries = (schema: CompiledSchema, record: Written | undefined): IndexEntry[] => {
  const indexed = record && schema.byKind.get(record.kind)?.indexed
  return record && indexed && indexed.length > 0 ? indexEntries(record.kind, indexed, record) : []
}

/**
 * The schema that a commit batch is judged by, with the effects of the changes: the values of unique fields that they take, and
 * the next version.
 */
export class SchemaWrites {
  readonly schema: CompiledSchema
  /** When the batch runs. */
  readonly at: string
  readonly hasUniqueFields: boolean
  /** The version of the Brain's schema after the changes so far. */
  version: number
  /** The next version, where a change made one. */
  evolved: Evolved | undefined
  readonly #undo: UndoLog
  readonly #holders = new Map<string, string | null>()

  constructor(undo: UndoLog, schema: CompiledSchema = emptySchema, at = '') {
    this.schema = schema
    this.at = at
    this.hasUniqueFields = schema.uniqueFields.size > 0
    this.version = schema.version
    this.#undo = undo
  }

  /** Adds the holder of a value of a unique field. */
  addHolder({ kind, field, value }: { kind: string; field: string; value: string }, recordId: string): void {
    this.#holders.set(toValueKey(kind, field, value), recordId)
  }

  /** Refuses a record that its kind does not allow, or whose unique value another record holds. */
  check(kind: CompiledKind, record: Written & Pick<BrainRecord, 'links'>, scope: Scope, toKind: KindOf): void {
    const violations = findViolations(kind, record, scope, toKind)
    if (violations.length > 0) throw schemaViolation(violations)
    for (const field of kind.indexed) {
      if (!field.unique || (scope && !scope.fields.includes(field.name))) continue
      for (const value of valuesIn(record.fields[field.name])) {
        const holder = this.#holders.get(toValueKey(kind.kind, field.name, valueKey(field, value)))
        if (holder === undefined || holder === null || holder === record.id) continue
        const message = `The field ${field.name} of ${kind.kind} is unique, and ${holder} has this value. Choose another or update that record.`
        throw conflict(message, { code: 'field_taken', details: [{ path: ['fields', field.name], message }] })
      }
    }
  }

  /** Replaces a record's values of unique fields by those that it has now. */
  hold({ before, after }: RecordMove): void {
    // The next owner may have taken it already, if two records exchange values within a batch.
    for (const { kind, field, value, recordId } of toEntries(this.schema, before)) {
      const place = toValueKey(kind, field, value)
      if (this.#holders.get(place) === recordId) this.#setHolder(place, null)
    }
    for (const { kind, field, value, recordId } of toEntries(this.schema, after))
      this.#setHolder(toValueKey(kind, field, value), recordId)
  }

  /** Makes these kinds the next version. */
  evolve(kinds: readonly SchemaKind[], change: string): { schemaVersion: number; previousSchemaVersion: number } {
    const { version: previousSchemaVersion, evolved } = this
    this.version = previousSchemaVersion + 1
    this.evolved = { version: this.version, kinds, change, at: this.at }
    this.#undo.push(() => Object.assign(this, { version: previousSchemaVersion, evolved }))
    return { schemaVersion: this.version, previousSchemaVersion }
  }

  #setHolder(place: string, recordId: string | null): void {
    const before = this.#holders.get(place)
    this.#holders.set(place, recordId)
    this.#undo.push(() => putBack(this.#holders, place, before))
  }
}

/** The statements that write the next version of the schema. */
export const schemaStatements: RowStatements<Evolved, Evolved> = {
  insert: (brainId, versions) => versions.map((version) => insertVersion(brainId, version)),
}

/** The index entries to write and to remove for these moves of records. */
export const followIndexes = (schema: CompiledSchema, moves: readonly RecordMove[]): RowChanges<IndexEntry> => {
  const rows = new PendingRows<IndexEntry>()
  const entryName = ({ kind, field, value, recordId }: IndexEntry) => `${toValueKey(kind, field, value)} ${recordId}`
  for (const { before, after } of moves) {
    for (const entry of toEntries(schema, before)) rows.end(entryName(entry), entry)
    for (const entry of toEntries(schema, after)) rows.make(entryName(entry), entry)
  }
  return rows.changes({ insert: insertEntries, end: deleteEntries })
}
type WithFields = { fields?: JsonObject | undefined }

/** Reads the holders of the values of unique fields in these contents, for every kind that their records may have. */
export const loadHolders = async (
  tx: Queryable,
  brainId: number,
  writes: SchemaWrites,
  contents: readonly WithFields[],
): Promise<void> => {
  const { uniqueFields } = writes.schema
  if (uniqueFields.size === 0) return
  const unique = contents.flatMap(({ fields = {} }) =>
    Object.entries(fields).flatMap(([name, given]) =>
      (uniqueFields.get(name) ?? []).flatMap(({ kind, field }) =>
        valuesIn(given).map((value) => ({ kind, field: name, value: valueKey(field, value) })),
      ),
    ),
  )
  if (unique.length === 0) return
  for (const { recordId, ...place } of await selectHolders(tx, brainId, unique)) writes.addHolder(place, recordId)
}
