import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../storage/database.ts'

export type EventRow = { position: number; type: string; event: object }

/** Inserts a group's events, as one part of the statement that lands it. */
export const insertEvents = (brainId: number, rows: readonly EventRow[]): RawBuilder<unknown> => sql`
  insert into events (brain_id, position, type, event)
  select ${brainId}::bigint, position, type, event
  from json_to_recordset(${JSON.stringify(rows)}::json) as row (position bigint, type text, event json)`

/** A row of a page: the Brain's head, and an event where the page has one. One statement, so both are of one moment. */
type PageRow = { head: number; position: number | null; event: string | null }

/** The events at positions (after, after + limit], as JSON text. The range is exact because positions have no gaps. */
export const selectEvents = (db: Queryable, brainId: number, after: number, limit: number) =>
  sql<PageRow>`
  select brain.position as head, entry.position, entry.event::text as event
  from brains as brain left join events as entry
    on entry.brain_id = ${brainId} and entry.position > ${after} and entry.position <= ${after + limit}
  where brain.brain_id = ${brainId} and brain.deleted_at is null order by entry.position`.execute(db)

/** The first `limit` events of the given types at positions (after, upTo]. */
export const selectEventsOfTypes = (
  db: Queryable,
  brainId: number,
  range: { after: number; upTo: number; limit: number },
  types: readonly string[],
) =>
  sql<PageRow>`
  select brain.position as head, entry.position, entry.event
  from brains as brain left join lateral (
    select position, event::text as event from events
    where brain_id = ${brainId} and position > ${range.after} and position <= ${range.upTo} and type = any(${[...types]})
    order by position limit ${range.limit}) as entry on true
  where brain.brain_id = ${brainId} and brain.deleted_at is null order by entry.position`.execute(db)
