import { type RawBuilder, sql } from 'kysely'

export type EventRow = { position: number; type: string; event: object }

/** Inserts a commit batch's events, as one part of the statement that lands it. */
export const insertEvents = (brainId: number, rows: readonly EventRow[]): RawBuilder<unknown> => sql`
  insert into events (brain_id, position, type, event)
  select ${brainId}::bigint, position, type, event
  from json_to_recordset(${JSON.stringify(rows)}::json) as row (position bigint, type text, event json)`

/** A page as it leaves the database: the Brain's head, and the page's events as one text, all of one moment. */
export type PageRow = { head: number; last: number | null; count: number; events: string | null }

/** What stands between the events of a page: JSON text has no line end of its own, so a page can be taken apart by it. */
export const eventSeparator = ',\n'

const selectPage = (
  brainId: number,
  evenDeleted: boolean,
  entries: RawBuilder<unknown>,
): RawBuilder<PageRow> => sql<PageRow>`
  select brain.position as head, page.last, page.count, page.events
  from brains as brain left join lateral (
    select max(position) as last, count(*) as count, string_agg(event, ${eventSeparator}::text order by position) as events
    from (${entries}) as entry) as page on true
  where brain.brain_id = ${brainId} ${evenDeleted ? sql`` : sql`and brain.deleted_at is null`}`

/** Positions (after, upTo]. */
type Range = { after: number; upTo: number; evenDeleted: boolean }

/** The events of a range, which is exact because positions have no gaps. */
export const eventsAfter = (brainId: number, { after, upTo, evenDeleted }: Range): RawBuilder<PageRow> =>
  selectPage(
    brainId,
    evenDeleted,
    sql`select position, event::text as event from events
      where brain_id = ${brainId} and position > ${after} and position <= ${upTo}`,
  )

/** The first `limit` events of the given types in a range. */
export const eventsByTypeAfter = (
  brainId: number,
  range: Range & { limit: number },
  types: readonly string[],
): RawBuilder<PageRow> =>
  selectPage(
    brainId,
    range.evenDeleted,
    sql`select position, event::text as event from events
      where brain_id = ${brainId} and position > ${range.after} and position <= ${range.upTo}
        and type = any(${[...types]}::text[])
      order by position limit ${range.limit}`,
  )
