import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely'
import type { Queryable } from './database.ts'
import { type ColumnTypes, toSentValue } from './sent-values.ts'

// Statements that requests run often are defined once, when their module loads: their text is compiled a single time, and each
// execution only collects values. They are always prepared, under a name that is made of their text.

/** A defined statement with the values of one execution. */
export type BoundStatement<Row extends object> = {
  readonly text: string
  readonly values: readonly unknown[]
  /** True if it only reads a few rows by their keys, so that it may share a connection with others. */
  readonly isShort: boolean
  /** Never set: carries the type of the rows. */
  readonly row?: Row
}

/** A statement, or a part of one: defined once, or compiled at each execution because its text has too many variants. */
export type Statement<Row extends object = object> = BoundStatement<Row> | RawBuilder<unknown>

/** A set of rows, for a from clause, from an array for each column, in the order of their types. */
export const fromColumns = (types: ColumnTypes, columns: Readonly<Record<string, unknown>>): RawBuilder<unknown> => {
  const arrays = Object.entries(types).map(([name, type]) => sql`${columns[name]}::${sql.raw(type)}[]`)
  return sql`unnest(${sql.join(arrays)})`
}

/** Stands for a value while a statement is compiled. It can be placed in a template, and nothing else. */
class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
  [Symbol.toPrimitive](): never {
    throw new Error(`The value of ${this.name} is not known when the statement is defined. Compute it in SQL.`)
  }
  toJSON(): never {
    return this[Symbol.toPrimitive]()
  }
}

/** Compiles statements; it never connects to a database. */
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/**
 * Parameters that change the text. `optional`: whether there is a value. `fixed`: values that are written into the text; other
 * values of the same parameter are sent. Each combination is compiled once, when it is first used.
 */
type Variation<Params> = {
  optional?: readonly (keyof Params & string)[]
  fixed?: { readonly [Name in keyof Params]?: readonly (Params[Name] & (string | number | boolean))[] }
}

/**
 * `isShort`: it only reads a few rows by their keys. Others wait behind it on the connection that they share. `hasBytes`: it sends
 * bytes, or its only column `bytes` reads some; they are never converted to text. `joinedBy`: the values of its only column, which
 * are texts, become one row: their `count`, and one text with this separator in between.
 */
type Definition<Params> = Variation<Params> & { isShort?: boolean; hasBytes?: boolean; joinedBy?: string }

/** The rows of a statement with `joinedBy`. */
export type JoinedRows = { text: string; count: number }

type Compiled = { text: string; parameters: readonly unknown[] }

/** Sends each value once, however often the text has it. */
const sendOnce = ({ sql: text, parameters }: CompiledQuery): Compiled => {
  const distinct = [...new Set(parameters)]
  const toNumber = (_all: string, number: string) => `$${distinct.indexOf(parameters[Number(number) - 1]) + 1}`
  return { text: text.replace(/\$(\d+)/g, toNumber), parameters: distinct }
}

/** The text that stands for a value in a variant: `-` where there is none. */
const toVariantText = (value: unknown, fixed: readonly unknown[] | undefined): string => {
  if (value === undefined) return '-'
  return fixed?.includes(value) ? String(value) : '+'
}

/** The placeholder of a value in a template. Fixed numbers become part of the text. */
const toPlaceholder = (name: string, value: unknown, fixed: readonly unknown[] | undefined): unknown => {
  if (value === undefined) return undefined
  if (!fixed?.includes(value)) return new Parameter(name)
  return typeof value === 'number' ? sql.lit(value) : value
}

/** The texts of all defined statements: connections prepare these. */
export const definedTexts = new Set<string>()

/** The texts of those that send or read bytes, with the separator of rows that are joined. */
export const byteTexts = new Map<string, string | undefined>()

/**
 * Defines a statement. `build` is called when a variant of the statement is first used; in place of each value it gets a
 * placeholder that may only be put into the template.
 */
export const defineStatement = <Params extends object, Row extends object>(
  build: (params: Params) => RawBuilder<Row>,
  { optional = [], fixed = {}, isShort = false, hasBytes = false, joinedBy }: Definition<Params> = {},
): ((params: Params) => BoundStatement<Row>) => {
  const varied = [...new Set([...optional, ...(Object.keys(fixed) as (keyof Params & string)[])])]
  const variants = new Map<string, Compiled>()
  const compileVariant = (params: Params): Compiled => {
    const placeholders = Object.entries(params).map(([name, value]) => {
      const isVaried = (varied as readonly string[]).includes(name)
      return [name, isVaried ? toPlaceholder(name, value, Reflect.get(fixed, name)) : new Parameter(name)]
    })
    const compiled = sendOnce(build(Object.fromEntries(placeholders)).compile(compiler))
    definedTexts.add(compiled.text)
    if (hasBytes || joinedBy !== undefined) byteTexts.set(compiled.text, joinedBy)
    return compiled
  }
  const findVariant = (params: Params): Compiled => {
    const variant = varied.map((name) => toVariantText(params[name], fixed[name])).join(' ')
    const compiled = variants.get(variant) ?? compileVariant(params)
    variants.set(variant, compiled)
    return compiled
  }
  let only: Compiled | undefined
  return (params) => {
    if (varied.length === 0) only ??= compileVariant(params)
    const { text, parameters } = only ?? findVariant(params)
    const values = parameters.map((one) => {
      const value = one instanceof Parameter ? params[one.name as keyof Params] : one
      if (typeof value === 'string' || Buffer.isBuffer(value)) return value
      return typeof value === 'number' ? `${value}` : toSentValue(value)
    })
    return { text, values, isShort }
  }
}

/** A statement that is compiled at each execution, because its text has too many variants. */
export const toBoundStatement = <Row extends object>(statement: RawBuilder<Row>): BoundStatement<Row> => {
  const { sql: text, parameters } = statement.compile(compiler)
  return { text, values: parameters.map(toSentValue), isShort: false }
}

/** A statement as text and values. */
export const toBound = <Row extends object>(statement: Statement<Row>): BoundStatement<Row> =>
  'text' in statement ? statement : toBoundStatement(statement as RawBuilder<Row>)

/** Runs a statement on a transaction or by itself. */
export const runStatement = async <Row extends object>(on: Queryable, statement: Statement<Row>): Promise<Row[]> => {
  const { text, values } = toBound(statement)
  return (await on.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows
}
