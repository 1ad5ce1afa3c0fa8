import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { LinePage, SelectLines } from './types.ts'

// An export reads each sort of content in pages of finished lines: the database makes the text, and it passes through.

/** Most bytes of one page beyond its first line: what bounds the memory of an export. */
const bytesAtOnce = 4 * 1024 * 1024

/** `seen` counts the lines that were looked at, `count` those that fitted; `last` is the key of the last of these. */
type StoredLinePage = { seen: number; count: number; lines: string | null; last: string[] | null }

/** Reads a page of lines, each with its line feed, cut where it would hold too many bytes. */
export const readLinePage = async (tx: Queryable, select: SelectLines, page: LinePage): Promise<StoredLinePage> => {
  const { rows } = await sql<StoredLinePage>`
    with item as materialized (
      select key, line, row_number() over () as place,
        sum(octet_length(line)) over (rows unbounded preceding) - octet_length(line) as before
      from (${select(page)}) as selected),
    fitting as (select * from item where before < ${bytesAtOnce})
    select (select count(*) from item) as seen, count(*) as count, string_agg(line || E'\\n', '' order by place) as lines,
      (select key from fitting order by place desc limit 1) as last from fitting`.execute(tx)
  return rows[0] ?? { seen: 0, count: 0, lines: null, last: null }
}

/** A time as ISO 8601 text in UTC with milliseconds. */
export const timeText = (column: RawBuilder<unknown>) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
