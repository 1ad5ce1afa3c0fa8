import { type RawBuilder, sql } from 'kysely'
import { cutToPage } from '../../platform/cursors/cursors.ts'

export type EventRow = { position: number; type: string; event: object }

/** Inserts a commit batch's events, as one part of the statement that lands it. */
export const insertEvents = (brainId: number, rows: readonly EventRow[]): RawBuilder<unknown> => sql`
  insert into events (brain_id, position, type, event)
  select ${brainId}::bigint, position, type, event
  from json_to_recordset(${JSON.stringify(rows)}::json) as row (position bigint, type text, event json)`

/**
 * A page as it leaves the database: the Brain's head, and the page's events as one text, all of one moment. More may have
 * been found than the page holds.
 */
export type PageRow = { head: number; last: number | null; count: number; found: number | null; events: string | null }

/** What stands between the events of a page: JSON text has no line end of its own, so a page can be taken apart by it. */
export const eventSeparator = ',\n'

const selectPage = (
  brainId: number,
  { evenDeleted, limit }: Pick<Range, 'evenDeleted' | 'limit'>,
  rows: RawBuilder<unknown>,
): RawBuilder<PageRow> => {
  const listed = { rows, size: sql`pg_column_size(event)`, json: sql`event::text` }
  const entries = cutToPage(listed, { limit, order: 'asc' })
  return sql<PageRow>`
  select brain.position as head, page.last, page.count, page.found, page.events
  from brains as brain left join lateral (
    select max(place) as last, count(*) as count, max(found) as found,
      string_agg(json, ${eventSeparator}::text order by place) as events
    from (${entries}) as entry) as page on true
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
