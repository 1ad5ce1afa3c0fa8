import { isDeepStrictEqual } from 'node:util'
import type { EmergedStructure, SchemaOperation } from '@noema/contracts/schema.ts'
import type { FieldType, SchemaField } from '@noema/contracts/schema-kinds.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Json, JsonObject } from '../../../shared/text/json.ts'
import type { RowChanges } from '../../kernel/versioning/pending-rows.ts'
import { type CompiledSchema, isDate, isDatetime } from '../kinds/kinds.ts'
import { type Tally, upsertEmerged } from './schema-queries.ts'

// Fields of records that the schema does not declare. Only types of values are stored: a reader of the schema's list learns
// no value from it.

/** The beginning of dates and times: most text has none. */
const yearAndMonth = /^\d{4}-\d{2}-/

const toTextType = (text: string): string => {
  if (yearAndMonth.test(text)) {
    if (isDate(text)) return 'date'
    if (isDatetime(text)) return 'datetime'
  }
  return text.length > 200 || text.includes('\n') ? 'text' : 'string'
}

const toJsonType = (value: Json): string => {
  if (value === null) return 'null'
  if (typeof value === 'string') return toTextType(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number'
  return typeof value === 'boolean' ? 'boolean' : 'json'
}

/** The sorts of values that a value shows: its own, or those of a list's items, marked `[]`. */
const toJsonTypes = (value: Json): string[] =>
  Array.isArray(value) ? [...new Set(['[]', ...value.map((item) => `${toJsonType(item)}[]`)])] : [toJsonType(value)]

const scalarFor = (types: ReadonlySet<string>): FieldType => {
  const only = (...allowed: string[]) => [...types].every((sort) => allowed.includes(sort))
  const [first] = types
  if (types.size === 1) return first as FieldType
  if (only('integer', 'number')) return 'number'
  if (only('string', 'date', 'datetime', 'text')) return types.has('text') ? 'text' : 'string'
  return 'json'
}

/** The type that takes everything that was seen. */
export const suggestType = (seen: readonly string[]): { type: FieldType; many: boolean } => {
  const lists = seen.filter((sort) => sort.endsWith('[]'))
  const many = lists.length > 0
  // A list among single values, or null among others, fits no type but json.
  if (seen.length === 0 || (many && lists.length < seen.length) || seen.includes('null') || lists.includes('null[]'))
    return { type: 'json', many: false }
  const types = new Set(seen.map((sort) => sort.replace('[]', '')).filter((sort) => sort !== ''))
  return { type: types.size === 0 ? 'json' : scalarFor(types), many }
}

/** The name of an emerged kind or field: the kind, or `kind/field` (a kind has no slash). */
export const emergedId = (kind: string, field: string): string => (field === '' ? kind : `${kind}/${field}`)

export const emergedPlace = (id: string): { kind: string; field: string } => {
  const slash = id.indexOf('/')
  return slash === -1 ? { kind: id, field: '' } : { kind: id.slice(0, slash), field: id.slice(slash + 1) }
}

/** Checks whether a schema now declares an emerged kind or field. */
export const isDeclared = (schema: CompiledSchema, kind: string, field: string): boolean => {
  const declared = schema.byKind.get(kind)
  return declared !== undefined && (field === '' || declared.fields.has(field))
}

const toField = (name: string, suggested: { type: FieldType; many: boolean }): SchemaField => ({
  name,
  ...suggested,
  required: false,
  indexed: false,
  unique: false,
  description: '',
})

/** The schema operations that declare what emerged; a field brings its kind along. */
export const promotions = (
  schema: CompiledSchema,
  ids: readonly string[],
  found: readonly EmergedStructure[],
  as: FieldType | undefined,
): SchemaOperation[] => {
  const kinds = new Map<string, SchemaField[]>()
  for (const id of new Set(ids)) {
    const entry = found.find((one) => one.id === id)
    if (!entry)
      throw notFound(`There is no emergent structure ${JSON.stringify(id)}; it may have been declared meanwhile.`)
    const fields = kinds.get(entry.kind) ?? []
    kinds.set(entry.kind, fields)
    if (entry.field === null) continue
    const { type, many } = suggestType(entry.seen)
    // The change reports values that do not fit `as`: it counts the records that would not comply.
    fields.push(toField(entry.field, as === undefined ? { type, many } : { type: as, many: many && as !== 'json' }))
  }
  return [...kinds].flatMap(([kind, fields]): SchemaOperation[] =>
    schema.byKind.has(kind)
      ? fields.map((field) => ({ op: 'addField', kind, field }))
      : [{ op: 'addKind', kind, fields }],
  )
}

/** A record before and after one of its versions began or ended. */
type Move = { before: Written | undefined; after: Written | undefined }
type Written = { kind: string; fields: JsonObject }

/** Yields the undeclared additions of a record. A write of declared fields alone has none. */
function* findEmerged(schema: CompiledSchema, { before, after }: Move): Generator<Omit<Tally, 'at'>> {
  if (!after) return
  const { kind, fields } = after
  const declared = schema.byKind.get(kind)
  const known = before?.kind === kind ? before.fields : undefined
  if (!declared && !known) yield { kind, field: '', count: 1, seen: [] }
  for (const [field, value] of Object.entries(fields)) {
    if (declared?.fields.has(field) || (known && known[field] === value)) continue
    const seen = toJsonTypes(value)
    // Another value of the same type adds nothing.
    const seenBefore = known && Object.hasOwn(known, field) ? toJsonTypes(known[field] ?? null) : undefined
    if (!isDeepStrictEqual(seenBefore, seen)) yield { kind, field, count: seenBefore ? 0 : 1, seen }
  }
}

/** Computes the emergent structure from the changes of records: counts and types. */
export function* followStructure(
  { schema, at }: { schema: CompiledSchema; at: string },
  moves: readonly Move[],
): Generator<void, RowChanges<Tally>> {
  const tallies = new Map<string, Tally>()
  for (const [index, move] of moves.entries()) {
    if (index > 0) yield
    for (const found of findEmerged(schema, move)) {
      const name = emergedId(found.kind, found.field)
      const tally = tallies.get(name)
      if (tally) {
        tally.count += found.count
        for (const type of found.seen) if (!tally.seen.includes(type)) tally.seen.push(type)
      } else tallies.set(name, { ...found, at })
    }
  }
  return { statements: emergedStatements, made: [...tallies.values()], ended: [] }
}

const emergedStatements = { insert: upsertEmerged }
