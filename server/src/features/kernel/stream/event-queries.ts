import { type RawBuilder, sql } from 'kysely'
import { defineStatement, type Statement } from '../../../storage/statements.ts'
import { cutToPage, maxStoredBytes } from '../../platform/cursors/page-queries.ts'

export type EventRow = { position: number; type: string; event: object }

const insert = defineStatement<{ brainId: number; rows: string }, object>(
  ({ brainId, rows }) => sql`
  insert into events (brain_id, position, type, event)
  select ${brainId}::bigint, position, type, event
  from json_to_recordset(${rows}::json) as row (position bigint, type text, event json)`,
)

/** Inserts events, as a part of the statement that commits a batch or by itself. */
export const insertEvents = (brainId: number, rows: readonly EventRow[]): Statement =>
  insert({ brainId, rows: JSON.stringify(rows) })

/**
 * A page as it leaves the database: the Brain's head, and the page's events as one text, all of one moment. More may have
 * been found than the page holds.
 */
export type PageRow = { head: number; last: number | null; count: number; found: number; events: string | null }

/** What stands between the events of a page: JSON text has no line end of its own, so a page can be taken apart by it. */
export const eventSeparator = ',\n'

const selectPage = (
  brainId: number,
  { evenDeleted, limit }: Pick<Range, 'evenDeleted' | 'limit'>,
  rows: RawBuilder<unknown>,
): RawBuilder<PageRow> => {
  const size = sql`pg_column_size(event)`
  const entries = cutToPage({ rows: sql`select * from found`, size, json: sql`event::text` }, { limit, order: 'asc' })
  const toPage = (from: RawBuilder<unknown>, json: RawBuilder<unknown>) => sql`
    select max(place) as last, count(*) as count, string_agg(${json}, ${sql.lit(eventSeparator)} order by place) as events
    from ${from} as entry`
  // Running sums cost more than all the rest, and ordinary pages are far from needing a cut: what is not compressed is as long
  // as it is stored.
  return sql<PageRow>`
  with found as materialized (${rows})
  select brain.position as head, page.last, page.count, whole.count as found, page.events
  from brains as brain cross join lateral (
    select count(*) as count,
      coalesce(bool_and(pg_column_compression(event) is null) and sum(${size}) <= ${sql.lit(maxStoredBytes)}, true) as fits
    from found) as whole
  left join lateral (
    ${toPage(sql`found`, sql`event::text`)} having whole.fits
    union all
    ${toPage(sql`(${entries})`, sql`json`)} having not whole.fits) as page on true
  where brain.brain_id = ${brainId} ${evenDeleted ? sql`` : sql`and brain.deleted_at is null`}`
}

/** Positions (after, upTo], and how many events of them at most. */
type Range = { after: number; upTo: number; limit: number; evenDeleted: boolean }

/** The events of a range, which is exact because positions have no gaps. */
export const eventsAfter = (brainId: number, range: Range): RawBuilder<PageRow> =>
  selectPage(
    brainId,
    range,
    sql`select position as place, event from events
      where brain_id = ${brainId} and position > ${range.after} and position <= ${range.upTo} order by position`,
  )

/** The first `limit` events of the given types in a range. */
export const eventsByTypeAfter = (brainId: number, range: Range, types: readonly string[]): RawBuilder<PageRow> =>
  selectPage(
    brainId,
    range,
    sql`select position as place, event from events
      where brain_id = ${brainId} and position > ${range.after} and position <= ${range.upTo}
        and type = any(${[...types]}::text[])
      order by position limit ${range.limit}`,
  )

/** How far the stream of a Brain reaches. */
export const selectHead = (brainId: number): RawBuilder<{ head: number }> =>
  sql`select position as head from brains where brain_id = ${brainId} and deleted_at is null`
