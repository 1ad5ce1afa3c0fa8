import type { SchemaField, SchemaKind } from '@noema/contracts/schema-kinds.ts'
import type { Queryable } from '../../../storage/database.ts'
import { readInOrder } from '../../kernel/state-reads/state-queries.ts'
import { rescheduleDates } from '../../knowledge/dates/dates.ts'
import {
  deleteFieldIndex,
  deleteIndexWork,
  insertEntries,
  putIndexWork,
} from '../../knowledge/field-indexes/field-index-queries.ts'
import { indexEntries } from '../../knowledge/field-indexes/field-indexes.ts'
import { isIndexed } from '../../knowledge/kinds/kinds.ts'
import { forgetDeclared } from '../../knowledge/schema/schema.ts'
import type { SchemaWrites } from '../../knowledge/schema/write-set.ts'
import { readRecords } from './read-records.ts'

type IndexedField = { kind: string; field: SchemaField }

const findIndexed = (kinds: readonly SchemaKind[]): ReadonlyMap<string, IndexedField> =>
  new Map(
    kinds.flatMap(({ kind, fields }) =>
      fields.filter(isIndexed).map((field) => [JSON.stringify([kind, field.name]), { kind, field }] as const),
    ),
  )

/** True if an index covers all that a declaration needs. */
const serves = (before: SchemaField | undefined, after: SchemaField): boolean =>
  before !== undefined &&
  before.type === after.type &&
  (before.indexed || !after.indexed) &&
  (before.unique || !after.unique)

/** Indexes the records that there are by unique fields. It must be whole before the next write. */
const buildUnique = async (tx: Queryable, brainId: number, kind: string, fields: readonly SchemaField[]) => {
  for (const { name } of fields) {
    const place = { kind, field: name }
    await deleteFieldIndex(tx, brainId, place)
    await deleteIndexWork(tx, brainId, place)
  }
  for await (const page of readRecords(tx, brainId, kind)) {
    const entries = page.flatMap((record) => indexEntries(kind, fields, record))
    if (entries.length > 0) await insertEntries(brainId, entries).execute(tx)
  }
}

/**
 * Stores the consequences of a new version of the schema: declared fields are no longer suggested, the index is of the declared
 * fields, and their dates are awaited. A field that becomes unique is indexed at once; other indexes are built, and old ones
 * dropped, in the background.
 */
export const storeSchemaChange = async (
  tx: Queryable,
  brainId: number,
  writes: Pick<SchemaWrites, 'schema' | 'evolved' | 'at'>,
): Promise<void> => {
  const { evolved, schema } = writes
  if (!evolved) return
  await readInOrder(tx)
  await forgetDeclared(tx, brainId, evolved)
  await rescheduleDates(tx, brainId, writes)
  const [before, after] = [findIndexed(schema.kinds), findIndexed(evolved.kinds)]
  const added = [...after].filter(([name, { field }]) => !serves(before.get(name)?.field, field))
  const gone = [...before].filter(([name]) => !after.has(name))
  const [unique, other] = [
    added.filter(([, { field }]) => field.unique),
    added.filter(([, { field }]) => !field.unique),
  ]
  for (const [, { kind, field }] of [...gone, ...other])
    await putIndexWork(tx, brainId, { kind, field: field.name, step: 'drop', place: '' })
  for (const [kind, places] of Map.groupBy(unique, ([, place]) => place.kind))
    await buildUnique(
      tx,
      brainId,
      kind,
      places.map(([, { field }]) => field),
    )
}
