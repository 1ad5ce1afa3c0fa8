import { type RawBuilder, sql } from 'kysely'
import { fromLines } from '../../../storage/json-lines.ts'
import { toColumnArrays } from '../../../storage/sent-values.ts'
import { defineStatement, fromColumns, runStatement, type Statement } from '../../../storage/statements.ts'
import { cutByLength } from '../../platform/cursors/page-queries.ts'
import { timeText } from '../export-lines/export-line-queries.ts'
import type { SelectLines } from '../export-lines/types.ts'
import { type Measured, takeFrom } from './load-budget.ts'
import type { RowStatements } from './pending-rows.ts'
import type { ItemPlace, Standing, Version, VersionTable } from './types.ts'
import { type Definition, describeColumns, type Ending, type Parts } from './version-columns-queries.ts'
import { createOverlay } from './version-overlay-queries.ts'

// The items of each kind of content are stored as versions, each a row of the kind's table; its last column is the item itself
// and has the kind's name. The statements that the kinds share are made here, from the description of each table.

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

/** The rows of an insert: an array of values for each column, and the contents as lines. */
type InsertedRows = { brainId: number; contents: string; [column: string]: unknown }

/** The values of the inserted columns, and the contents as lines. */
const toInserted = <Row extends Version, New extends Row>(
  { toColumns, ending }: Definition<Row>,
  parts: Parts,
  rows: readonly New[],
) => {
  const columns = rows.map((row) => {
    const { id, version, fromState, toState } = row
    return { id, version, fromState, toState, ...ending.toColumns(row), ...toColumns(row) }
  })
  const contents = rows.map(({ content, json = JSON.stringify(content) }) => json).join('\n')
  return { ...toColumnArrays(parts.inserted, columns), contents }
}

const createRowStatements = <Row extends Version, New extends Row>(
  definition: Definition<Row>,
  parts: Parts,
): RowStatements<Row, New> => {
  const { table: name, ending, rowsAtOnce = Number.POSITIVE_INFINITY } = definition
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
      // One statement also without rows: others are derived from its text.
      const inserts: Statement[] = []
      let start = 0
      do {
        inserts.push(insert({ ...toInserted(definition, parts, rows.slice(start, start + rowsAtOnce)), brainId }))
        start += rowsAtOnce
      } while (start < rows.length)
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
    ...{ type, name: definition.table, ended: ending.json, overlay: createOverlay(definition, parts, toInserted) },
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
