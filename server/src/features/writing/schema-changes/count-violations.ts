import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaOperation } from '@noema/contracts/schema.ts'
import type { SchemaField, SchemaKind } from '@noema/contracts/schema-kinds.ts'
import type { Queryable } from '../../../storage/database.ts'
import { valueKey, valuesIn } from '../../knowledge/field-indexes/field-indexes.ts'
import { type CompiledKind, compileKind, findViolations } from '../../knowledge/kinds/kinds.ts'
import { selectKinds } from '../../knowledge/records/record-queries.ts'
import type { StoredChange } from '../commit/change-store.ts'
import { isSchemaChange } from '../commit/commit-batch.ts'
import { readRecords } from './read-records.ts'
import type { ItemStep } from './read-steps.ts'

// Counts the records that a schema change does not fit. A count for a reviewer is bounded and holds no lock; a count for a
// publication is exact and runs under the Brain's lock, so its writers wait for it.

/** Counting stops here: by then the answer is "many". */
const maxViolations = 10_000
const maxScanned = 100_000

/** The input of an item's count: the part of its kind's declaration that it brings. */
type Probe = { item: string; declared: CompiledKind; taken: Map<string, Set<string>> }

export type ViolationCount = { violations: number; violationsAtLeast: boolean }
export const noViolations: ViolationCount = { violations: 0, violationsAtLeast: false }

const anything = (field: SchemaField): SchemaField => ({
  ...field,
  type: 'json',
  many: false,
  required: false,
  unique: false,
  indexed: false,
})

/** The part of a kind's declaration that an operation brings. */
const toPart = (operation: SchemaOperation, after: SchemaKind): SchemaKind => {
  const nothing = { ...after, strict: false, fields: [], links: [] }
  if ('field' in operation)
    return { ...nothing, fields: after.fields.filter(({ name }) => name === operation.field.name) }
  if (operation.op === 'addLink')
    return { ...nothing, links: after.links.filter(({ predicate }) => predicate === operation.link.predicate) }
  if (operation.op === 'addKind') return after
  return { ...nothing, strict: after.strict, fields: after.fields.map(anything) }
}

const toProbe = (item: string, part: SchemaKind): Probe => ({ item, declared: compileKind(part), taken: new Map() })

/** True if a record has a value of a unique field that an earlier record had. */
const hasRepeat = ({ declared, taken }: Probe, record: BrainRecord): boolean => {
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
  const requested = new Set(probes.flatMap(({ declared }) => [...declared.links.keys()]))
  if (requested.size === 0) return new Map<string, string>()
  const ids = page.flatMap(({ links }) => links.filter(({ predicate }) => requested.has(predicate)).map(({ to }) => to))
  return selectKinds(db, brainId, [...new Set(ids)])
}

type Limits = { violations: number; scanned: number }

const countByKind = async (db: Queryable, brainId: number, probes: readonly Probe[], limits: Limits) => {
  const counts = new Map<string, ViolationCount>()
  const kind = probes[0]?.declared.kind
  if (kind === undefined) return counts
  let scanned = 0
  for await (const page of readRecords(db, brainId, kind)) {
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
        const isRepeat = hasRepeat(probe, record)
        return isRepeat || findViolations(probe.declared, record, undefined, (id) => kinds.get(id)).length > 0
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

/** The number of current records that do not fit each step, up to a bound. Weakening steps violate nothing. */
export const countViolations = async (
  db: Queryable,
  brainId: number,
  steps: readonly ItemStep[],
): Promise<ReadonlyMap<string, ViolationCount>> => {
  const probes = steps.flatMap(({ item, operation, after, tag }) =>
    after && tag === 'strengthening' ? [toProbe(item, toPart(operation, after))] : [],
  )
  return countAll(db, brainId, probes, { violations: maxViolations, scanned: maxScanned })
}

/**
 * The number of records that repeat a value of a field that a schema change makes unique. Exact: it is counted under the lock.
 */
export const countDuplicates = async (
  tx: Queryable,
  brainId: number,
  changes: readonly StoredChange[],
): Promise<ReadonlyMap<string, number>> => {
  const probes = changes.filter(isSchemaChange).flatMap(({ items }) =>
    items.flatMap(({ item, evolve }) => {
      if (evolve?.op !== 'addKind' && evolve?.op !== 'addField' && evolve?.op !== 'setField') return []
      const declared = evolve.op === 'addKind' ? (evolve.fields ?? []) : [evolve.field]
      const fields = declared.filter(({ unique }) => unique)
      const part = { kind: evolve.kind, title: null, description: null, strict: false, links: [] }
      const probe = toProbe(item, { ...part, fields: fields.map((field) => ({ ...field, required: false })) })
      return fields.length > 0 ? [{ ...probe, declared: { ...probe.declared, fields: new Map(), required: [] } }] : []
    }),
  )
  const unlimited = { violations: Number.POSITIVE_INFINITY, scanned: Number.POSITIVE_INFINITY }
  const counts = probes.length === 0 ? [] : await countAll(tx, brainId, probes, unlimited)
  return new Map([...counts].map(([item, { violations }]) => [item, violations]))
}
