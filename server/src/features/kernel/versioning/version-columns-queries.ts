import { type RawBuilder, sql } from 'kysely'
import { versionBytes } from './load-budget.ts'
import type { ContentType, Version } from './types.ts'

// The description of a table of versions, and the fragments of SQL that follow from it.

type Column = {
  type: string
  /** The SQL that reads it, if it is read with a version; `once`: only with numbered versions, because it may be long. */
  read?: RawBuilder<unknown>
  once?: true
  /** The SQL that writes it, if it is not the plain JSON value. */
  write?: RawBuilder<unknown>
}

/** The way in which the versions of a table end. */
export type Ending<Row extends Version> = {
  columns: Readonly<Record<string, Column>>
  /** The values of these columns. */
  toColumns(row: Row): object
  change: RawBuilder<unknown>
  /** The end of a version as JSON text, null while it is current, and its name in an export. */
  json: RawBuilder<unknown>
  name: string
}

export type Definition<Row extends Version> = {
  type: ContentType
  table: string
  /** Columns besides those of every version, and their values. */
  columns: Readonly<Record<string, Column>>
  toColumns(row: Row): object
  ending: Ending<Row>
  /** More properties of a line of an export, next to the item. */
  beside?: RawBuilder<unknown>
  /** The most rows of one insert. */
  rowsAtOnce?: number
}

/** Columns of versions that are read: the size of each, and those that may be long, null if all together exceed the budget. */
export const selectWithin = (
  budget: number,
  size: RawBuilder<unknown>,
  long: Readonly<Record<string, RawBuilder<unknown>>>,
) => {
  const fits = sql`sum(${size} + ${sql.lit(versionBytes)}) over () <= ${budget}::bigint`
  return sql.join([
    sql`${size} as size`,
    ...Object.entries(long).map(([name, column]) => sql`case when ${fits} then ${column} end as ${sql.ref(name)}`),
  ])
}

/** The size of a version's content. Versions from before sizes were stored are measured. */
export const contentSize = (content: RawBuilder<unknown>) => sql`coalesce(size, octet_length(${content}::text))`

/** The fragments of the statements on a table. */
export const describeColumns = <Row extends Version>(definition: Definition<Row>) => {
  const { type, columns, ending } = definition
  const all = Object.entries({ ...columns, ...ending.columns })
  const typed = (entries: readonly [string, Column][]) =>
    entries.map(([name, column]) => sql`${sql.ref(name)} ${sql.raw(column.type)}`)
  const types = Object.fromEntries(all.map(([name, { type: of }]) => [name, of]))
  const listRead = (isOnce: boolean) =>
    Object.entries(columns).flatMap(([name, { read, once = false }]) =>
      read && once === isOnce ? [{ name, read }] : [],
    )
  const read = (isOnce: boolean) => listRead(isOnce).map(({ name, read }) => sql`${read} as ${sql.ref(name)}`)
  const long = listRead(true).map(({ name }) => sql.ref(name))
  const item = sql.ref(type)
  const size = contentSize(item)
  const wholeSize = sql.join([size, ...long.map((name) => sql`octet_length(${name})`)], sql` + `)
  const wholeColumns = Object.fromEntries(listRead(true).map(({ name, read }) => [name, read]))
  const content = sql`${item} as content`
  const madeAt = sql`version, from_state as "fromState", null as "toState", null as "endedChange"`
  const place = sql`id text, version integer, "fromState" bigint, "toState" bigint`
  return {
    all: Object.fromEntries(all),
    names: sql.join([
      sql`id, version, from_state, to_state, size`,
      ...all.map(([name]) => sql.ref(name)),
      sql.ref(type),
    ]),
    values: sql.join([
      sql`id, version, "fromState", "toState", octet_length(content)`,
      ...all.map(([name, { write }]) => write ?? sql.ref(name)),
      sql`content::json`,
    ]),
    inserted: { id: 'text', version: 'integer', fromState: 'bigint', toState: 'bigint', ...types },
    rowNames: sql.join([sql`id, version, "fromState", "toState"`, ...all.map(([name]) => sql.ref(name)), sql`content`]),
    endedRow: sql.join([place, ...typed(Object.entries(ending.columns))]),
    endings: sql.join(Object.keys(ending.columns).map((name) => sql`${sql.ref(name)} = ended.${sql.ref(name)}`)),
    sizes: {
      size: sql.join([sql`pg_column_size(content)`, ...long.map((name) => sql`pg_column_size(${name})`)], sql` + `),
      length: sql.join([sql`octet_length(content::text)`, ...long.map((name) => sql`octet_length(${name})`)], sql` + `),
    },
    newest: (budget: number) =>
      sql.join([
        sql`version, from_state as "fromState", to_state as "toState", ${ending.change} as "endedChange"`,
        ...read(false),
        selectWithin(budget, size, { content: item }),
      ]),
    made: sql.join([madeAt, ...read(false), ...read(true), content]),
    madeWithin: (budget: number) =>
      sql.join([madeAt, ...read(false), selectWithin(budget, wholeSize, { ...wholeColumns, content: item })]),
  }
}

export type Parts = ReturnType<typeof describeColumns>
