import { type RawBuilder, sql } from 'kysely'
import { fromLines } from '../../../storage/json-lines.ts'
import {
  defineStatement,
  fromColumns,
  runStatement,
  type Statement,
  toColumnArrays,
} from '../../../storage/statements.ts'
import { cutByLength } from '../../platform/cursors/page-queries.ts'
import { timeText } from '../export-lines/export-line-queries.ts'
import type { SelectLines } from '../export-lines/types.ts'
import { type Measured, takeFrom, versionBytes } from './load-budget.ts'
import type { RowStatements } from './pending-rows.ts'
import type { ContentType, ItemPlace, Standing, Version, VersionTable } from './types.ts'

// The items of each kind of content are stored as versions, each a row of the kind's table; its last column is the item itself
// and has the kind's name. The statements that the kinds share are made here, from the description of each table.

type Column = {
  type: string
  /** The SQL that reads it, if it is read with a version; `once`: only with numbered versions, because it may be long. */
  read?: RawBuilder<unknown>
  once?: true
  /** The SQL that writes it, if it is not the plain JSON value. */
  write?: RawBuilder<unknown>
}

/** The way in which the versions of a table end. */
type Ending<Row extends Version> = {
  columns: Readonly<Record<string, Column>>
  /** The values of these columns. */
  toColumns(row: Row): object
  change: RawBuilder<unknown>
  /** The end of a version as JSON text, null while it is current, and its name in an export. */
  json: RawBuilder<unknown>
  name: string
}

type Definition<Row extends Version> = {
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

/** The condition that a version is valid: now, or as of a state. */
export const validAt = (asOf: number | undefined) =>
  asOf === undefined ? sql`to_state is null` : sql`from_state <= ${asOf} and (to_state is null or to_state > ${asOf})`

/**
 * Versions end by the next one, or by the deletion that the column `gone` marks. `survivor`: the column of the item that a deleted
 * one was merged into.
 */
export const endedByNext = (gone: string, survivor?: string): Ending<Version> => {
  const ended = sql`row_to_json((select ended from (select to_state as "stateVersion", ${timeText(sql`ended_at`)} as at,
      ended_change as change, ${sql.ref(gone)}) as ended))::text`
  const merged =
    survivor === undefined
      ? sql``
      : sql`when ${sql.ref(survivor)} is not null then
          left(${ended}, -1) || ',"mergedInto":' || to_json(${sql.ref(survivor)})::text || '}'`
  return {
    name: 'ended',
    columns: {
      [gone]: { type: 'boolean' },
      ended_at: { type: 'timestamptz' },
      ended_change: { type: 'text' },
      ...(survivor === undefined ? {} : { [survivor]: { type: 'text' } }),
    },
    toColumns: ({ isGone = false, endedAt, endedChange, survivor: into = null }) => ({
      [gone]: isGone,
      ended_at: endedAt,
      ended_change: endedChange,
      ...(survivor === undefined ? {} : { [survivor]: into }),
    }),
    change: sql`ended_change`,
    json: sql`case ${merged} when to_state is not null then ${ended} end`,
  }
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
const describeColumns = <Row extends Version>(definition: Definition<Row>) => {
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

type Parts = ReturnType<typeof describeColumns>

/** The rows of an insert: an array of values for each column, and the contents as lines. */
type InsertedRows = { brainId: number; contents: string; [column: string]: unknown }

const createRowStatements = <Row extends Version, New extends Row>(
  { table: name, toColumns, ending, rowsAtOnce = Number.POSITIVE_INFINITY }: Definition<Row>,
  parts: Parts,
): RowStatements<Row, New> => {
  const table = sql.table(name)
  const insert = defineStatement<InsertedRows, object>(
    ({ brainId, contents, ...columns }) => sql`
      insert into ${table} (brain_id, ${parts.names}) select ${brainId}::bigint, ${parts.values}
      from rows from (${fromColumns(parts.inserted, columns)}, ${fromLines(contents)}) as row (${parts.rowNames})`,
  )
  const end = defineStatement<{ brainId: number; rows: string }, object>(
    ({ brainId, rows }) => sql`update ${table} as version set to_state = ended."toState", ${parts.endings}
      from json_to_recordset(${rows}::json) as ended (${parts.endedRow})
      where version.brain_id = ${brainId}::bigint and version.id = ended.id and version.from_state = ended."fromState"
        and version.version = ended.version`,
  )
  return {
    insert: (brainId, rows) => {
      const inserts: Statement[] = []
      for (let start = 0; start < rows.length; start += rowsAtOnce) {
        const some = rows.slice(start, start + rowsAtOnce)
        const columns = some.map((row) => {
          const { id, version, fromState, toState } = row
          return { id, version, fromState, toState, ...ending.toColumns(row), ...toColumns(row) }
        })
        const contents = some.map(({ content, json = JSON.stringify(content) }) => json).join('\n')
        inserts.push(insert({ ...toColumnArrays(parts.inserted, columns), brainId, contents }))
      }
      return inserts
    },
    endsByKey: true,
    end: (brainId, rows) => {
      const values = rows.map((row) => {
        const { id, version, fromState, toState } = row
        return { id, version, fromState, toState, ...ending.toColumns(row) }
      })
      return end({ brainId, rows: JSON.stringify(values) })
    },
  }
}

/** Each line is an object with the item and its end. */
const createLines = <Row extends Version>(definition: Definition<Row>): SelectLines => {
  const { type, ending, beside = sql`` } = definition
  const begin = sql`${sql.lit(`{"${type}":`)} || ${sql.ref(type)}::text ${beside}`
  const line = sql`${begin} || coalesce(${sql.lit(`,"${ending.name}":`)} || ${ending.json}, '') || '}'`
  return ({ brainId, after: [id, fromState, version] = ['', '0', '0'], take, history }) => {
    const lines = sql`as key, ${line} as line from ${sql.table(definition.table)} where brain_id = ${brainId}`
    return history
      ? sql`select array[id, from_state::text, version::text] ${lines}
          and (id, from_state, version) > (${id}, ${fromState}::bigint, ${version}::integer)
          order by id, from_state, version limit ${take}`
      : sql`select array[id] ${lines} and to_state is null and id > ${id}
          order by id limit ${take}`
  }
}

/** Looks up live versions of any Brains. Each Brain gets its own select, because Brains may be on different servers. */
const createLiveLookUp =
  (table: RawBuilder<unknown>): VersionTable['selectLiveIn'] =>
  async (db, requested) => {
    if (requested.length === 0) return []
    const selects = [...Map.groupBy(requested, ({ brainId }) => brainId)].map(
      ([brainId, items]) => sql`select ${brainId}::bigint as "brainId", id, version from ${table}
        where brain_id = ${brainId} and id = any(${items.map(({ id }) => id)}::text[]) and to_state is null`,
    )
    return (await sql<ItemPlace & { version: number }>`${sql.join(selects, sql` union all `)}`.execute(db)).rows
  }

/** Numbered versions of items, as JSON text. */
type Numbered = { brainId: number; requested: string }

const toRequested = (requested: readonly { id: string; number: number }[]): string =>
  JSON.stringify(requested.map((one, place) => ({ ...one, place })))

/** Defines the table of a kind of content. */
export const defineVersionTable = <Row extends Version, New extends Row = Row>(
  definition: Definition<Row>,
): VersionTable<Row, New> => {
  const { type, ending } = definition
  const table = sql.table(definition.table)
  const parts = describeColumns(definition)
  const newest = (brainId: number, ids: readonly string[]) => sql`unnest(${ids}::text[]) as requested (id)
    cross join lateral (select * from ${table} where brain_id = ${brainId} and id = requested.id
      order by from_state desc, version desc limit 1) as newest`
  const numbered = ({ brainId, requested }: Numbered) => sql`
    from json_to_recordset(${requested}::json) as requested (place integer, id text, number integer)
    join ${table} as made on made.brain_id = ${brainId} and made.id = requested.id
      and requested.number = made.version`
  const selectNewest = defineStatement<{ brainId: number; ids: readonly string[]; budget: number }, Measured<Row>>(
    ({ brainId, ids, budget }) =>
      sql<Measured<Row>>`select newest.id, ${parts.newest(budget)} from ${newest(brainId, ids)}`,
  )
  const selectNumbered = defineStatement<Numbered & { budget: number }, Measured<New>>(
    ({ budget, ...requested }) =>
      sql<Measured<New>>`select made.id, ${parts.madeWithin(budget)} ${numbered(requested)}`,
  )
  return {
    ...{ type, name: definition.table, ended: ending.json },
    rows: createRowStatements(definition, parts),
    selectLines: createLines(definition),
    selectNewest: async (db, brainId, ids, budget) =>
      ids.length === 0
        ? []
        : takeFrom(budget, await runStatement(db, selectNewest({ brainId, ids, budget: budget.left }))),
    selectNumbered: async (db, brainId, requested, budget) => {
      if (requested.length === 0) return []
      const given = { brainId, requested: toRequested(requested), budget: budget.left }
      return takeFrom(budget, await runStatement(db, selectNumbered(given)))
    },
    selectFirstNumbered: async (db, brainId, requested, maxBytes) => {
      if (requested.length === 0) return []
      const found = sql`select requested.place, made.id, ${parts.made}
        ${numbered({ brainId, requested: toRequested(requested) })} order by requested.place`
      const cut = { limit: requested.length, order: 'asc', maxBytes } as const
      const { rows } = await sql<New & { total: number }>`
        select * from (${cutByLength({ rows: found, ...parts.sizes }, cut)}) as fitting order by place`.execute(db)
      return rows
    },
    selectLiveNumbers: async (db, brainId, ids) => {
      const { rows } = await sql<{ id: string; version: number }>`
        select id, version from ${table}
        where brain_id = ${brainId} and id = any(${[...ids]}) and to_state is null`.execute(db)
      return new Map(rows.map(({ id, version }) => [id, version]))
    },
    selectLiveIn: createLiveLookUp(table),
    selectStandings: async (db, brainId, ids) => {
      if (ids.length === 0) return []
      const { rows } = await sql<Standing>`
        select newest.id, case when to_state is null then newest.version end as version,
          coalesce(${ending.change}, ${sql.ref(type)}->'provenance'->>'change') as change
        from ${newest(brainId, ids)}`.execute(db)
      return rows
    },
  }
}
