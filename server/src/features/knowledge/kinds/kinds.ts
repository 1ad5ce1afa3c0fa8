import { timeInput } from '@noema/contracts/common.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { FieldType, SchemaField, SchemaKind, SchemaLink } from '@noema/contracts/schema-kinds.ts'
import { type ApiError, type ErrorDetail, validation } from '../../../shared/errors.ts'
import { canonicalJson, type Json } from '../../../shared/text/json.ts'

/** A date or datetime field with reminders, and the durations before its value. */
export type NotifiedField = SchemaField & { notifyBefore: string[] }

/** A declared kind, its parts found by name. */
export type CompiledKind = {
  kind: string
  strict: boolean
  fields: ReadonlyMap<string, SchemaField>
  links: ReadonlyMap<string, SchemaLink>
  required: readonly SchemaField[]
  /** The fields whose values are looked up: unique and indexed ones. */
  indexed: readonly SchemaField[]
  notified: readonly NotifiedField[]
}

/** A version of a Brain's schema, ready to check writes by. Version 0 declares nothing. */
export type CompiledSchema = {
  version: number
  kinds: readonly SchemaKind[]
  byKind: ReadonlyMap<string, CompiledKind>
  /** The kinds that have a unique field of a name: an operation names a field before its record's kind is known. */
  uniqueFields: ReadonlyMap<string, readonly { kind: string; field: SchemaField }[]>
  /** True if a write must know the kinds of the records that it links to. */
  checksTargets: boolean
  /** True if any field has an index. */
  hasIndexes: boolean
  /** True if any field has reminders. */
  emitsDates: boolean
  /** The fields that name records in other words, by kind; kinds without any are left out. */
  aliases: ReadonlyMap<string, readonly string[]>
}

export const isIndexed = (field: SchemaField): boolean => field.unique || field.indexed

export const isNotified = (field: SchemaField): field is NotifiedField => field.notifyBefore !== undefined

export const compileKind = (declared: SchemaKind): CompiledKind => ({
  kind: declared.kind,
  strict: declared.strict,
  fields: new Map(declared.fields.map((field) => [field.name, field])),
  links: new Map(declared.links.map((link) => [link.predicate, link])),
  required: declared.fields.filter(({ required }) => required),
  indexed: declared.fields.filter(isIndexed),
  notified: declared.fields.filter(isNotified),
})

export const compileSchema = (version: number, kinds: readonly SchemaKind[]): CompiledSchema => {
  const uniqueFields = new Map<string, { kind: string; field: SchemaField }[]>()
  for (const { kind, fields } of kinds)
    for (const field of fields.filter(({ unique }) => unique))
      uniqueFields.set(field.name, [...(uniqueFields.get(field.name) ?? []), { kind, field }])
  return {
    version,
    kinds,
    byKind: new Map(kinds.map((declared) => [declared.kind, compileKind(declared)])),
    uniqueFields,
    checksTargets: kinds.some(({ links }) => links.some(({ to }) => to.length > 0)),
    hasIndexes: kinds.some(({ fields }) => fields.some(isIndexed)),
    emitsDates: kinds.some(({ fields }) => fields.some(isNotified)),
    aliases: new Map(
      kinds.flatMap(({ kind, fields }) => {
        const names = fields.filter(({ alias }) => alias).map(({ name }) => name)
        return names.length > 0 ? [[kind, names] as const] : []
      }),
    ),
  }
}

/** The schema of a Brain that declares nothing. */
export const emptySchema = compileSchema(0, [])

export const isSameKinds = (a: readonly SchemaKind[], b: readonly SchemaKind[]): boolean =>
  canonicalJson(a) === canonicalJson(b)

type Content = Pick<BrainRecord, 'id' | 'kind' | 'fields' | 'links'>

/** The names that a write changes, for checks of only these. Undefined: the record as a whole. */
export type Scope = { fields: readonly string[]; links: readonly string[] } | undefined

/** Returns the kind of a live record; undefined if there is none. */
export type KindOf = (id: string) => string | undefined

const calendarDate = /^(?!0000)\d{4}-\d{2}-\d{2}$/

export const isDate = (text: string): boolean => {
  if (!calendarDate.test(text)) return false
  const day = new Date(`${text}T00:00:00.000Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

export const isDatetime = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T/.test(text) && timeInput.safeParse(text).success

const isText = (value: Json): value is string => typeof value === 'string'

const fits: Record<FieldType, (value: Json, field: SchemaField) => boolean> = {
  string: isText,
  text: isText,
  integer: Number.isSafeInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  date: (value) => isText(value) && isDate(value),
  datetime: (value) => isText(value) && isDatetime(value),
  enum: (value, { values }) => isText(value) && values?.includes(value) === true,
  json: () => true,
}

const expected: Record<FieldType, string> = {
  string: 'a string',
  text: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  date: 'a date as YYYY-MM-DD',
  datetime: 'an ISO 8601 date-time with Z or an offset, such as 2026-03-01T12:00:00Z',
  enum: 'one of',
  json: 'any JSON value',
}

/** Describes a field's values in words. */
export const expectation = ({ type, many, values }: SchemaField): string => {
  const one = type === 'enum' ? `${expected.enum} ${(values ?? []).slice(0, 20).join(', ')}` : expected[type]
  return many ? `a list, each item ${one}` : one
}

const toTypeName = (value: Json): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Checks whether a value fits a field, or one item of its list. */
export const fitsOne = (field: SchemaField, value: Json): boolean => fits[field.type](value, field)

/** Checks whether a value fits a field. Null is a value, which only json accepts. */
const fitsField = (field: SchemaField, value: Json): boolean => {
  if (!field.many) return fits[field.type](value, field)
  return Array.isArray(value) && value.every((item) => fits[field.type](item, field))
}

/** Types that some text has and other text has not. */
const formats: readonly FieldType[] = ['date', 'datetime', 'enum']

/**
 * Explains why a value does not fit a field. The value is never repeated: the message may be stored with a change that it
 * blocks.
 */
const misfit = (field: SchemaField, value: Json): string => {
  const isItem = field.many && Array.isArray(value)
  const wrong = isItem ? (value.find((item) => !fits[field.type](item, field)) ?? null) : value
  const isOtherText = isText(wrong) && (!field.many || isItem) && formats.includes(field.type)
  const given = isOtherText ? 'a string in another format' : toTypeName(wrong)
  const leaveOut = value === null ? ' Leave it out, or set it to null in a patch.' : ''
  return `expected ${expectation(field)}; got ${given}${isItem ? ' in its list' : ''}.${leaveOut}`
}

const fieldViolations = (kind: CompiledKind, { fields }: Content, scope: Scope): ErrorDetail[] => {
  const names = scope ? scope.fields : Object.keys(fields)
  const found: ErrorDetail[] = []
  const refuse = (name: string, message: string) => found.push({ path: ['fields', name], message })
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (value === undefined) continue
    const field = kind.fields.get(name)
    if (field && !fitsField(field, value)) refuse(name, `The field ${name} of ${kind.kind}: ${misfit(field, value)}`)
    if (!field && kind.strict) refuse(name, `The kind ${kind.kind} is strict and declares no field ${name}.`)
  }
  for (const field of kind.required)
    if (!Object.hasOwn(fields, field.name) && (!scope || scope.fields.includes(field.name)))
      refuse(field.name, `The field ${field.name} of ${kind.kind} is required: expected ${expectation(field)}.`)
  return found
}

const linkViolation = (link: SchemaLink, content: Content, toKind: KindOf): string | undefined => {
  const targets = content.links.filter(({ predicate }) => predicate === link.predicate)
  if (!link.many && targets.length > 1) return `expected at most one link; got ${targets.length}.`
  if (link.to.length === 0) return undefined
  for (const { to } of targets) {
    const kind = to === content.id ? content.kind : toKind(to)
    if (kind === undefined || !link.to.includes(kind))
      return `expected a link to a record of kind ${link.to.join(' or ')}; ${JSON.stringify(to)} ${kind === undefined ? 'does not exist' : `is of kind ${kind}`}.`
  }
  return undefined
}

/** Lists a record's violations of its kind's declaration, each with the argument of the write. */
export const findViolations = (kind: CompiledKind, content: Content, scope: Scope, toKind: KindOf): ErrorDetail[] => {
  const found = fieldViolations(kind, content, scope)
  for (const link of kind.links.values()) {
    if (scope && !scope.links.includes(link.predicate)) continue
    const why = linkViolation(link, content, toKind)
    if (why)
      found.push({
        path: ['links', link.predicate],
        message: `The link ${link.predicate} of ${kind.kind}: ${why}`,
      })
  }
  return found
}

/** The refusal of a write that the schema does not allow. */
export const schemaViolation = (violations: readonly ErrorDetail[]): ApiError => {
  const details = violations.slice(0, 20)
  const rest = violations.length > 1 ? ` And ${violations.length - 1} more in details.` : ''
  return validation(`${details[0]?.message}${rest}`, { code: 'schema_violation', details })
}
