import { type RawBuilder, sql } from 'kysely'
import { fromLines } from '../../../storage/json-lines.ts'
import { defineStatement, type JoinedRows, type Statement } from '../../../storage/statements.ts'
import { cutToPage, maxStoredBytes } from '../../platform/cursors/page-queries.ts'

export type EventRow = { position: number; type: string; event: object }

type BoundRows = { brainId: number; positions: string; types: string; events: string }

const insert = defineStatement<BoundRows, object>(
  ({ brainId, positions, types, events }) => sql`
  insert into events (brain_id, position, type, event)
  select ${brainId}::bigint, position, type, event::json
  from rows from (unnest(${positions}::bigint[]), ${fromLines(types)}, ${fromLines(events)}) as row (position, type, event)`,
)

/** Inserts events, as a part of the statement that commits a batch or by itself. */
export const insertEvents = (brainId: number, rows: readonly EventRow[]): Statement =>
  insert({
    brainId,
    positions: `{${rows.map(({ position }) => position).join(',')}}`,
    types: rows.map(({ type }) => type).join('\n'),
    events: rows.map(({ event }) => JSON.stringify(event)).join('\n'),
  })

/**
 * A page as it leaves the database: the Brain's head, and the page's events as one text, all of one moment. More may have
 * been found than the page holds.
 */
export type PageRow = { head: number; last: number | null; count: number; found: number; events: string | null }

/** Separates the events of a page: JSON text has no line end of its own, so a page can be split at it. */
export const eventSeparator = ',\n'

/**
 * True if the events fit into a page whole. Running sums cost more than all the rest of a read, and ordinary pages are far from
 * needing a cut: an uncompressed value is as long as it is stored.
 */
const fits = sql`coalesce(bool_and(pg_column_compression(event) is null)
  and sum(pg_column_size(event)) <= ${sql.lit(maxStoredBytes)}, true)`

const isThere = (evenDeleted: boolean) => (evenDeleted ? sql`` : sql`and brain.deleted_at is null`)

/** `found`: the events of a range as a part of a from clause. It is read twice: first their sizes alone, which costs little. */
const selectPage = (
  { brainId, evenDeleted, limit }: Pick<Range, 'brainId' | 'evenDeleted' | 'limit'>,
  found: RawBuilder<unknown>,
): RawBuilder<PageRow> => {
  const entries = cutToPage(
    { rows: sql`select * from ${found}`, size: sql`pg_column_size(event)`, json: sql`event::text` },
    { limit, order: 'asc' },
  )
  const join = (json: RawBuilder<unknown>) => sql`string_agg(${json}, ${sql.lit(eventSeparator)} order by place)`
  return sql<PageRow>`
  select brain.position as head, page.last, page.count, whole.count as found, page.events
  from brains as brain cross join (
    select max(place) as last, count(*) as count, ${fits} as fits from ${found}) as whole
  left join lateral (
    select whole.last, whole.count, (select ${join(sql`event::text`)} from ${found}) as events where whole.fits
    union all
    select max(place), count(*), ${join(sql`json`)} from (${entries}) as entry having not whole.fits) as page on true
  where brain.brain_id = ${brainId} ${isThere(evenDeleted)}`
}

/** Positions (after, upTo], and how many events of them at most. */
type Range = { brainId: number; after: number; upTo: number; limit: number; evenDeleted: boolean }

const variation = { fixed: { evenDeleted: [true, false] } } as const

const inRange = ({ brainId, after, upTo }: Range) =>
  sql`brain_id = ${brainId} and position > ${after} and position <= ${upTo}`

/**
 * The head of a Brain, followed by the events of a range as JSON text, row by row: one text of all of them would be copied
 * several times in PostgreSQL, and a second column costs a tenth of a page. If they do not fit into a page, there are none of them.
 * PostgreSQL reads the parts of the union one after the other.
 */
export const eventsInRange = defineStatement<Range, JoinedRows>(
  (range) => sql`
    with whole as (select ${fits} as fits from events where ${inRange(range)})
    select brain.position::text as text from brains as brain
    where brain.brain_id = ${range.brainId} ${isThere(range.evenDeleted)}
    union all
    select event::text from (select event from events where ${inRange(range)} order by position) as found
    where (select fits from whole)`,
  { ...variation, joinedBy: eventSeparator },
)

/** The events of a range as a page, cut to what fits. The range is exact because positions have no gaps. */
export const eventsAfter = defineStatement<Range, PageRow>(
  (range) =>
    selectPage(
      range,
      sql`(select position as place, event from events where ${inRange(range)} order by position) as found`,
    ),
  variation,
)

/** The first `limit` events of the given types in a range. They are looked for once: many others may be among them. */
export const eventsByTypeAfter = defineStatement<Range & { types: readonly string[] }, PageRow>(
  ({ types, ...range }) => sql<PageRow>`
    with found as materialized (
      select position as place, event from events where ${inRange(range)} and type = any(${types}::text[])
      order by position limit ${range.limit})
    ${selectPage(range, sql`found`)}`,
  variation,
)

/** The last position of a Brain's stream. */
export const selectHead = defineStatement<{ brainId: number }, { head: number }>(
  ({ brainId }) => sql`select position as head from brains where brain_id = ${brainId} and deleted_at is null`,
  { isShort: true },
)
