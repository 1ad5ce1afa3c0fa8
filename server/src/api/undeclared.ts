import { z } from 'zod'
import type { Path } from '../shared/errors.ts'

// Body fields that a contract does not declare. The contract's objects drop them; this finds them, so that an answer can name
// them or a strict call refuse them. Open objects of a contract (a record's fields, metadata) have no such names.

/** A name that was sent, the path of its object, and the names that the object accepts. */
export type Undeclared = { path: Path; name: string; accepted: readonly string[] }

type Walk = { found: Undeclared[]; count: number; path: (string | number)[] }

/** At most this many are listed; the rest is only counted. */
const maxFound = 100

type Schema = z.core.$ZodType

/** The schema that reads a value, without its optional, nullable and similar wrappers. */
const unwrap = (schema: Schema): Schema => {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in)
  const isWrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  return isWrapped ? unwrap(schema.unwrap()) : schema
}

const isRequired = (field: Schema): boolean => field._zod.optin !== 'optional'

/** An alternative of a union, and what an object needs to be one: these names, and one of the literals of each of these. */
type Option = { schema: z.ZodObject; required: readonly string[]; literals: readonly [string, ReadonlySet<unknown>][] }

const toOption = (schema: z.ZodObject): Option => {
  const fields = Object.entries<Schema>(schema.shape)
  return {
    schema,
    required: fields.flatMap(([name, field]) => (field instanceof z.ZodLiteral || !isRequired(field) ? [] : [name])),
    literals: fields.flatMap(([name, field]) => (field instanceof z.ZodLiteral ? [[name, field.values] as const] : [])),
  }
}

/** The alternatives of a union that are objects, and the one that is a list, if only one is. */
type Options = { objects: readonly Option[]; list: z.ZodArray | undefined }

const toOptions = (union: z.ZodUnion): Options => {
  const options = union.options.map(unwrap)
  const lists = options.filter((option) => option instanceof z.ZodArray)
  return {
    objects: options.filter((option) => option instanceof z.ZodObject).map(toOption),
    list: lists.length === 1 ? lists[0] : undefined,
  }
}

const known = new WeakMap<z.ZodUnion, Options>()

/** A large batch is checked against the same alternatives thousands of times. */
const findOptions = (union: z.ZodUnion): Options => {
  const options = known.get(union) ?? toOptions(union)
  known.set(union, options)
  return options
}

/** True if an object has all that an alternative needs. */
const mayBe = ({ literals, required }: Option, value: Record<string, unknown>): boolean =>
  literals.every(([name, values]) => values.has(value[name])) && required.every((name) => Object.hasOwn(value, name))

/** The one alternative that an object can be; undefined where that is none or not clear: then it is refused anyway. */
const findOption = (union: z.ZodUnion, value: Record<string, unknown>): z.ZodObject | undefined => {
  const fitting = findOptions(union).objects.filter((option) => mayBe(option, value))
  return fitting.length === 1 ? fitting[0]?.schema : undefined
}

/** The schema that reads a list: a list itself, or the one alternative that is. */
const findList = (reader: Schema): z.ZodArray | undefined => {
  if (reader instanceof z.ZodArray) return reader
  return reader instanceof z.ZodUnion ? findOptions(reader).list : undefined
}

const note = (walk: Walk, name: string, accepted: readonly string[]): void => {
  walk.count += 1
  if (walk.found.length < maxFound) walk.found.push({ path: [...walk.path], name, accepted })
}

/** True if values of this schema can have undeclared names. */
const hasInside = (schema: Schema): boolean =>
  schema instanceof z.ZodObject ||
  schema instanceof z.ZodArray ||
  schema instanceof z.ZodUnion ||
  (schema instanceof z.ZodRecord && hasInside(unwrap(schema.valueType)))

const walkInside = (walk: Walk, step: string | number, schema: Schema, value: unknown): void => {
  walk.path.push(step)
  visit(walk, schema, value)
  walk.path.pop()
}

const visitObject = (walk: Walk, schema: z.ZodObject, value: Record<string, unknown>, isOption: boolean): void => {
  const { shape } = schema
  const { catchall } = schema.def
  // Strict objects refuse undeclared fields themselves. Among alternatives, strictness only serves to distinguish them.
  const drops = catchall === undefined || (isOption && catchall instanceof z.ZodNever)
  for (const [name, inside] of Object.entries(value)) {
    const field: Schema | undefined = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (field && hasInside(unwrap(field))) walkInside(walk, name, field, inside)
    if (!field && drops) {
      note(walk, name, Object.keys(shape))
      if (isOption) delete value[name]
    }
  }
}

const visitList = (walk: Walk, reader: Schema, value: readonly unknown[]): void => {
  const list = findList(reader)
  const element = list && unwrap(list.element)
  if (element && hasInside(element)) for (const [index, item] of value.entries()) walkInside(walk, index, element, item)
}

/** Checks whether a value that is no list is an object. */
const hasNames = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const visit = (walk: Walk, schema: Schema, value: unknown): void => {
  const reader = unwrap(schema)
  if (Array.isArray(value)) visitList(walk, reader, value)
  if (Array.isArray(value) || !hasNames(value)) return
  if (reader instanceof z.ZodObject) visitObject(walk, reader, value, false)
  else if (reader instanceof z.ZodUnion) {
    const option = findOption(reader, value)
    if (option) visitObject(walk, option, value, true)
  } else if (reader instanceof z.ZodRecord && hasInside(reader))
    for (const [name, item] of Object.entries(value)) walkInside(walk, name, reader.valueType, item)
}

/**
 * Finds the names in a body that its contract does not declare, the first hundred and how many there are in all. Takes them out of
 * alternatives that differ by their names alone.
 */
export const findUndeclared = (schema: z.ZodType, value: unknown): { found: Undeclared[]; count: number } => {
  const walk: Walk = { found: [], count: 0, path: [] }
  visit(walk, schema, value)
  const { found, count } = walk
  return { found, count }
}
