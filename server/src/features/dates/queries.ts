import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../storage/database.ts'
import { type LinePage, timeText } from '../brains/export-pages.ts'
import type { Crossing } from './crossings.ts'

const rowType = sql`("recordId" text, field text, value timestamptz, "offset" text, "dueAt" timestamptz,
  "emittedAt" timestamptz)`

/** Awaits crossings, but for those that are awaited or were told of already; a part of the statement that lands a group. */
export const insertPending = (brainId: number, rows: readonly Crossing[]): RawBuilder<unknown> =>
  sql`${insertCrossings(brainId, rows)} on conflict do nothing`

/** Inserts crossings as they were exported. */
export const insertCrossings = (
  brainId: number,
  rows: readonly (Crossing & { emittedAt?: string | null })[],
): RawBuilder<unknown> => sql`
  insert into date_crossings (brain_id, record_id, field, value, "offset", due_at, emitted_at)
  select ${brainId}::bigint, "recordId", field, value, "offset", "dueAt", "emittedAt"
  from json_to_recordset(${JSON.stringify(rows)}::json) as row ${rowType}`

const isRow = sql`crossing.record_id = row."recordId" and crossing.field = row.field and crossing.value = row.value
  and crossing."offset" = row."offset" and crossing.emitted_at is null`

/** Awaits crossings no more, as far as they were awaited. */
export const deletePending = (tx: Queryable, brainId: number, rows: readonly Crossing[]) =>
  sql`delete from date_crossings as crossing
    using json_to_recordset(${JSON.stringify(rows)}::json) as row ${rowType}
    where crossing.brain_id = ${brainId} and ${isRow}`.execute(tx)

/** A field of a kind, and one of the durations before it. */
export type Notice = { kind: string; field: string; offset: string }

/** Awaits no more what a schema declared and declares no longer, whichever records it was of. */
export const deleteNotices = (tx: Queryable, brainId: number, notices: readonly Notice[]) =>
  sql`delete from date_crossings as crossing
    using json_to_recordset(${JSON.stringify(notices)}::json) as notice (kind text, field text, "offset" text),
      record_versions as version
    where crossing.brain_id = ${brainId} and crossing.emitted_at is null
      and crossing.field = notice.field and crossing."offset" = notice."offset"
      and version.brain_id = crossing.brain_id and version.id = crossing.record_id and version.to_state is null
      and version.kind = notice.kind`.execute(tx)

/** Brains with crossings that are due, the longest due first. Looks at one row of each Brain that awaits any. */
export const selectDueBrains = async (db: Queryable, now: Date): Promise<number[]> => {
  const { rows } = await sql<{ brainId: number }>`
    with recursive next as (
      (select brain_id, due_at from date_crossings where emitted_at is null order by brain_id, due_at limit 1)
      union all
      select further.* from next cross join lateral (
        select brain_id, due_at from date_crossings where emitted_at is null and brain_id > next.brain_id
        order by brain_id, due_at limit 1) as further)
    select brain.brain_id as "brainId" from next join brains as brain on brain.brain_id = next.brain_id
    where due_at <= ${now} and brain.deleted_at is null order by due_at, brain.brain_id`.execute(db)
  return rows.map(({ brainId }) => brainId)
}

/** A crossing that is due, with the kind that its record is of. */
export type DueCrossing = Crossing & { kind: string }

/** The crossings of a Brain that are due, in the order in which they came due, after one. */
export const selectDue = async (
  tx: Queryable,
  brainId: number,
  { now, after, limit }: { now: Date; after: Crossing | undefined; limit: number },
): Promise<DueCrossing[]> => {
  const further = after
    ? sql`and (due_at, record_id, field, value, "offset") >
        (${after.dueAt}::timestamptz, ${after.recordId}, ${after.field}, ${after.value}::timestamptz, ${after.offset})`
    : sql``
  const { rows } = await sql<DueCrossing>`
    select record_id as "recordId", version.kind, field, ${timeText(sql`value`)} as value, "offset",
      ${timeText(sql`due_at`)} as "dueAt"
    from date_crossings as crossing join record_versions as version
      on version.brain_id = ${brainId} and version.id = crossing.record_id and version.to_state is null
    where crossing.brain_id = ${brainId} and emitted_at is null and due_at <= ${now} ${further}
    order by due_at, record_id, field, value, "offset" limit ${limit}`.execute(tx)
  return rows
}

/** Notes that crossings were told of, as one part of the statement that tells of them. */
export const markEmitted = (brainId: number, now: Date, rows: readonly Crossing[]): RawBuilder<unknown> => sql`
  update date_crossings as crossing set emitted_at = ${now}::timestamptz
  from json_to_recordset(${JSON.stringify(rows)}::json) as row ${rowType}
  where crossing.brain_id = ${brainId} and ${isRow}`

/** Crossings as lines of an export. */
export const dateLines = ({ brainId, after = ['', '', '-infinity', ''], take }: LinePage): RawBuilder<unknown> => {
  const [recordId, field, value, offset] = after
  return sql`
    select array[record_id, field, value::text, "offset"] as key, '{"date":' || row_to_json((select line from (
      select record_id as record, field, ${timeText(sql`value`)} as value, "offset",
        ${timeText(sql`emitted_at`)} as "emittedAt") as line))::text || '}' as line
    from date_crossings where brain_id = ${brainId}
      and (record_id, field, value, "offset") > (${recordId}, ${field}, ${value}::timestamptz, ${offset})
    order by record_id, field, value, "offset" limit ${take}`
}
