import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaOperation } from '@noema/contracts/schema.ts'
import type { SchemaField, SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Queryable } from '../../../storage/database.ts'
import { rescheduleDates } from '../../brain/dates/dates.ts'
import {
  deleteFieldIndex,
  deleteIndexWork,
  indexEntries,
  insertEntries,
  putIndexWork,
  valueKey,
  valuesIn,
} from '../../brain/field-indexes/field-indexes.ts'
import { type CompiledKind, compileKind, isIndexed, violationsOf } from '../../brain/kinds/kinds.ts'
import { selectCurrentRecords, selectKindsOf } from '../../brain/records/records.ts'
import {
  type EvolutionStep,
  evolveKinds,
  forgetDeclared,
  loadSchema,
  type SchemaWrites,
} from '../../brain/schema/schema.ts'
import { readInOrder } from '../../brain/versioning/reading.ts'
import type { StoredChange } from '../commit/change-store.ts'
import { isEvolution } from './apply-schema-change.ts'

// What a change of the schema means for the records that there are: how many would not comply, and the index of the
// fields that are looked up from now on. Records are read a page at a time. Counting for a reviewer is bounded and holds
// no lock; what publishing needs is exact and done under the Brain's lock, so its writers wait for it.

const pageSize = 2_000

/** Where counting stops: by then the answer is "many". */
const mostViolations = 10_000
const mostScanned = 100_000

async function* currentRecordsOf(db: Queryable, brainId: number, kind: string): AsyncGenerator<BrainRecord[]> {
  let after = ''
  for (;;) {
    const page = await selectCurrentRecords(db, brainId, kind, after, pageSize)
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    after = last.id
  }
}

/** What an item is counted by: the part of its kind's declaration that it brings. */
type Probe = { item: string; declared: CompiledKind; taken: Map<string, Set<string>> }

export type ViolationCount = { violations: number; violationsAtLeast: boolean }
export const noViolations: ViolationCount = { violations: 0, violationsAtLeast: false }

/** One item of a schema change with what it does to the schema. */
export type ItemStep = EvolutionStep & { item: string; operation: SchemaOperation }

/** What the items of a schema change do to the schema that they were proposed on; none where they do not fit it. */
export const stepsOf = async (
  db: Queryable,
  brainId: number,
  { items }: Pick<StoredChange, 'items'>,
): Promise<ItemStep[]> => {
  const { kinds } = await loadSchema(db, brainId, items[0]?.base ?? 0)
  const evolving = items.flatMap(({ item, evolve }) => (evolve ? [{ item, operation: evolve }] : []))
  try {
    const operations = evolving.map(({ operation }) => operation)
    return evolveKinds(kinds, operations).steps.flatMap((step, index) => {
      const one = evolving[index]
      return one ? [{ ...step, ...one }] : []
    })
  } catch (error) {
    // A part of a change that was split may need its other part; it then has neither before nor after.
    if (error instanceof ApiError) return []
    throw error
  }
}

const anything = (field: SchemaField): SchemaField => ({
  ...field,
  type: 'json',
  many: false,
  required: false,
  unique: false,
  indexed: false,
})

/** The part of a kind's declaration that an operation brings. */
const partOf = (operation: SchemaOperation, after: SchemaKind): SchemaKind => {
  const nothing = { ...after, strict: false, fields: [], links: [] }
  if ('field' in operation)
    return { ...nothing, fields: after.fields.filter(({ name }) => name === operation.field.name) }
  if (operation.op === 'addLink')
    return { ...nothing, links: after.links.filter(({ predicate }) => predicate === operation.link.predicate) }
  if (operation.op === 'addKind') return after
  return { ...nothing, strict: after.strict, fields: after.fields.map(anything) }
}

const probeOf = (item: string, part: SchemaKind): Probe => ({ item, declared: compileKind(part), taken: new Map() })

/** Whether a record has a value of a unique field that an earlier record had. */
const repeats = ({ declared, taken }: Probe, record: BrainRecord): boolean => {
  let found = false
  for (const field of declared.indexed.filter(({ unique }) => unique)) {
    const values = taken.get(field.name) ?? new Set()
    taken.set(field.name, values)
    const keys = new Set(valuesIn(record.fields[field.name]).map((value) => valueKey(field, value)))
    for (const key of keys) {
      found ||= values.has(key)
      values.add(key)
    }
  }
  return found
}

const targetKinds = async (db: Queryable, brainId: number, probes: readonly Probe[], page: readonly BrainRecord[]) => {
  const wanted = new Set(probes.flatMap(({ declared }) => [...declared.links.keys()]))
  if (wanted.size === 0) return new Map<string, string>()
  const ids = page.flatMap(({ links }) => links.filter(({ predicate }) => wanted.has(predicate)).map(({ to }) => to))
  return selectKindsOf(db, brainId, [...new Set(ids)])
}

type Limits = { violations: number; scanned: number }

const countByKind = async (db: Queryable, brainId: number, probes: readonly Probe[], limits: Limits) => {
  const counts = new Map<string, ViolationCount>()
  const kind = probes[0]?.declared.kind
  if (kind === undefined) return counts
  let scanned = 0
  for await (const page of currentRecordsOf(db, brainId, kind)) {
    const open = probes.filter(({ item }) => (counts.get(item)?.violations ?? 0) < limits.violations)
    if (open.length === 0) break
    if (scanned >= limits.scanned) {
      for (const { item } of open)
        counts.set(item, { violations: counts.get(item)?.violations ?? 0, violationsAtLeast: true })
      break
    }
    const kinds = await targetKinds(db, brainId, open, page)
    for (const probe of open) {
      const wrong = page.filter((record) => {
        const isRepeat = repeats(probe, record)
        return isRepeat || violationsOf(probe.declared, record, undefined, (id) => kinds.get(id)).length > 0
      }).length
      const total = (counts.get(probe.item)?.violations ?? 0) + wrong
      const violations = Math.min(total, limits.violations)
      counts.set(probe.item, { violations, violationsAtLeast: total >= limits.violations })
    }
    scanned += page.length
  }
  return counts
}

const countAll = async (db: Queryable, brainId: number, probes: readonly Probe[], limits: Limits) => {
  const counts = new Map<string, ViolationCount>()
  for (const [, ofKind] of Map.groupBy(probes, ({ declared }) => declared.kind))
    for (const [item, count] of await countByKind(db, brainId, ofKind, limits)) counts.set(item, count)
  return counts
}

/** How many current records would not comply with each step, counted up to a bound. Weakening steps violate nothing. */
export const countViolations = async (
  db: Queryable,
  brainId: number,
  steps: readonly ItemStep[],
): Promise<ReadonlyMap<string, ViolationCount>> => {
  const probes = steps.flatMap(({ item, operation, after, tag }) =>
    after && tag === 'strengthening' ? [probeOf(item, partOf(operation, after))] : [],
  )
  return countAll(db, brainId, probes, { violations: mostViolations, scanned: mostScanned })
}

/** How many records repeat a value of a field that a schema change makes unique. Exact: it is counted under the lock. */
export const countDuplicates = async (
  tx: Queryable,
  brainId: number,
  changes: readonly StoredChange[],
): Promise<ReadonlyMap<string, number>> => {
  const probes = changes.filter(isEvolution).flatMap(({ items }) =>
    items.flatMap(({ item, evolve }) => {
      if (evolve?.op !== 'addKind' && evolve?.op !== 'addField' && evolve?.op !== 'setField') return []
      const declared = evolve.op === 'addKind' ? (evolve.fields ?? []) : [evolve.field]
      const fields = declared.filter(({ unique }) => unique)
      const part = { kind: evolve.kind, title: null, description: null, strict: false, links: [] }
      const probe = probeOf(item, { ...part, fields: fields.map((field) => ({ ...field, required: false })) })
      return fields.length > 0 ? [{ ...probe, declared: { ...probe.declared, fields: new Map(), required: [] } }] : []
    }),
  )
  const unlimited = { violations: Number.POSITIVE_INFINITY, scanned: Number.POSITIVE_INFINITY }
  const counts = probes.length === 0 ? [] : await countAll(tx, brainId, probes, unlimited)
  return new Map([...counts].map(([item, { violations }]) => [item, violations]))
}

type IndexedField = { kind: string; field: SchemaField }

const indexedOf = (kinds: readonly SchemaKind[]): ReadonlyMap<string, IndexedField> =>
  new Map(
    kinds.flatMap(({ kind, fields }) =>
      fields.filter(isIndexed).map((field) => [JSON.stringify([kind, field.name]), { kind, field }] as const),
    ),
  )

/** Whether an index holds all that a declaration asks of it. */
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
  for await (const page of currentRecordsOf(tx, brainId, kind)) {
    const entries = page.flatMap((record) => indexEntries(kind, fields, record))
    if (entries.length > 0) await insertEntries(brainId, entries).execute(tx)
  }
}

/**
 * Stores what follows from a new version of the schema: nothing declared is emerging, the index is of its fields, and the
 * dates that it wants told are awaited. What makes a field unique is indexed at once; other indexes are built, and old ones
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
  const [before, after] = [indexedOf(schema.kinds), indexedOf(evolved.kinds)]
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
