import { sql } from 'kysely'
import { fromLines } from '../../../storage/json-lines.ts'
import { fromColumns, toBoundStatement } from '../../../storage/statements.ts'
import type { Version, VersionTable } from './types.ts'
import type { Definition, Parts } from './version-columns-queries.ts'

// The rows of a table of versions as they would be with other versions made and ended: for reads of a state that is not there.

/** All columns as they are stored, but for current versions that end: `ends` has the values of these columns by id, as JSON. */
const listOverlaid = <Row extends Version>(
  { type, ending }: Definition<Row>,
  { all }: Parts,
  { ids, ends }: { ids: readonly string[]; ends: string },
) => {
  const isEnded = sql`to_state is null and id = any(${ids}::text[])`
  const toEnd = (name: string, of: string) => {
    const column = sql.ref(name)
    // Without an end the column stays as it is, so that every index can be used.
    if (ids.length === 0) return column
    return sql`case when ${isEnded} then (${ends}::json -> id ->> ${sql.lit(name)})::${sql.raw(of)} else ${column} end as ${column}`
  }
  return sql.join([
    sql`brain_id, id, version, from_state`,
    toEnd('to_state', 'bigint'),
    sql`size`,
    ...Object.entries(all).map(([name, { type: of }]) =>
      Object.hasOwn(ending.columns, name) ? toEnd(name, of) : sql.ref(name),
    ),
    sql.ref(type),
  ])
}

/** The values of rows by column, and their contents as lines. */
type Inserted = { contents: string } & { [column: string]: string }

/** The rows of a table as they would be with these versions made and ended. */
export const createOverlay = <Row extends Version, New extends Row>(
  definition: Definition<Row>,
  parts: Parts,
  toInserted: (definition: Definition<Row>, parts: Parts, rows: readonly New[]) => Inserted,
): VersionTable<Row, New>['overlay'] => {
  const table = sql.table(definition.table)
  return (brainId, { made, ended }) => {
    const ends = ended.map((row) => [row.id, { to_state: row.toState, ...definition.ending.toColumns(row) }])
    const listed = { ids: ended.map(({ id }) => id), ends: JSON.stringify(Object.fromEntries(ends)) }
    const stored = sql<object>`select ${listOverlaid(definition, parts, listed)} from ${table}`
    if (made.length === 0) return toBoundStatement(stored)
    const { contents, ...columns } = toInserted(definition, parts, made)
    return toBoundStatement(sql<object>`${stored} union all select ${brainId}::bigint, ${parts.values}
      from rows from (${fromColumns(parts.inserted, columns)}, ${fromLines(contents)}) as row (${parts.rowNames})`)
  }
}
