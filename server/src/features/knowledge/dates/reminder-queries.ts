import { type RawBuilder, sql } from 'kysely'
import type { DueKey, DuePage } from '../../../shared/concurrency/leased-work.ts'
import type { Queryable } from '../../../storage/database.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import { timeText } from '../../kernel/export-lines/export-line-queries.ts'
import type { LinePage } from '../../kernel/export-lines/types.ts'
import type { NarrowBrains } from '../../kernel/leases/lease-queries.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import type { DatedValue, Reminder } from './reminders.ts'

const rowType = sql`("recordId" text, field text, value timestamptz, "offset" text, "dueAt" timestamptz,
  "emittedAt" timestamptz)`

/** Values with the durations before them, one row for each of these. The database's session goes by UTC, as dates do. */
const eachReminder = (rows: readonly DatedValue[]) => sql`(
  select "recordId", field, value, "offset" from json_to_recordset(${JSON.stringify(rows)}::json)
    as dated ("recordId" text, field text, value timestamptz, offsets json)
  cross join json_array_elements_text(offsets) as duration ("offset")) as row`

/** Inserts reminders, except those that are pending or sent already; a part of the statement that commits a batch. */
export const insertPending = (brainId: number, rows: readonly DatedValue[]): RawBuilder<unknown> => sql`
  insert into date_crossings (brain_id, record_id, field, value, "offset", due_at)
  select ${brainId}::bigint, "recordId", field, value, "offset", value - "offset"::interval
  from ${eachReminder(rows)} on conflict do nothing`

/** Inserts reminders as they were exported. */
export const insertReminders = (
  brainId: number,
  rows: readonly (Reminder & { emittedAt?: string | null })[],
): RawBuilder<unknown> => sql`
  insert into date_crossings (brain_id, record_id, field, value, "offset", due_at, emitted_at)
  select ${brainId}::bigint, "recordId", field, value, "offset", "dueAt", "emittedAt"
  from json_to_recordset(${JSON.stringify(rows)}::json) as row ${rowType}`

// The statements here find their rows one by one, by a lateral lookup with a limit, and change them by their physical
// position. The planner knows nothing about a table that was just filled, and would join it by reading a whole Brain for
// each row.

/**
 * The Brain of rows that are named by their physical position, which is only unique on one server. On a single
 * server the condition could make the planner read a whole Brain.
 */
const onItsServer = (brainId: number, isDivided: boolean) => (isDivided ? sql`brain_id = ${brainId} and` : sql``)

/** Awaits reminders no more, as far as they were awaited. */
export const deletePending = (brainId: number, rows: readonly DatedValue[], isDivided: boolean): RawBuilder<unknown> =>
  sql`delete from date_crossings where ${onItsServer(brainId, isDivided)} ctid = any(array(
    select found.ctid from ${eachReminder(rows)}
    cross join lateral (select ctid, emitted_at from date_crossings
      where brain_id = ${brainId} and record_id = row."recordId" and field = row.field and value = row.value
        and "offset" = row."offset" limit 1) as found
    where found.emitted_at is null))`

/** The newest version of a reminder's record, as a lateral lookup. */
const newestVersion = (brainId: number) => sql`lateral (select kind, to_state from record_versions
  where brain_id = ${brainId} and id = reminder.record_id order by from_state desc, version desc limit 1) as version`

/** A field of a kind, and one of the durations before it. */
export type DateNotification = { kind: string; field: string; offset: string }

/** Deletes the pending reminders of dropped declarations, for all records. */
export const deleteNotifications = (tx: Queryable, brainId: number, notifications: readonly DateNotification[]) =>
  sql`delete from date_crossings where brain_id = ${brainId} and ctid = any(array(
    select reminder.ctid from date_crossings as reminder cross join ${newestVersion(brainId)}
    join json_to_recordset(${JSON.stringify(notifications)}::json) as notice (kind text, field text, "offset" text)
      on notice.kind = version.kind and notice.field = reminder.field and notice."offset" = reminder."offset"
    where reminder.brain_id = ${brainId} and reminder.emitted_at is null and version.to_state is null))`.execute(tx)

/** Brains with reminders that are due, of some. */
export const brainsWithDueReminders = (narrow: NarrowBrains, now: Date): RawBuilder<unknown> => sql`
  select brain.brain_id, next.due_at as due from brains as brain cross join lateral (
    select due_at from date_crossings as reminder
    where reminder.brain_id = brain.brain_id and emitted_at is null order by due_at limit 1) as next
  where brain.deleted_at is null and next.due_at <= ${now} and ${narrow(sql`brain.brain_id`)}`

/** Selects Brains with due reminders, by number. Reads one row of each Brain that has any. */
export const selectDueBrains = (page: DuePage): RawBuilder<DueKey> =>
  selectDueKeys({ table: 'date_crossings', key: 'brain_id', where: sql`emitted_at is null` }, page)

/** A due reminder, with the kind of its record and its position in the table. */
export type DueReminder = Reminder & { kind: string; place: string }

/** Selects the due reminders of a Brain in the order of their times, after one. */
export const selectDue = async (
  tx: Queryable,
  brainId: number,
  { now, after, limit }: { now: Date; after: Reminder | undefined; limit: number },
): Promise<DueReminder[]> => {
  const further = after
    ? sql`and (due_at, record_id, field, value, "offset") >
        (${after.dueAt}::timestamptz, ${after.recordId}, ${after.field}, ${after.value}::timestamptz, ${after.offset})`
    : sql``
  const { rows } = await sql<DueReminder>`
    select reminder.ctid::text as place, record_id as "recordId", version.kind, field, "offset",
      ${timeText(sql`reminder.value`)} as value, ${timeText(sql`due_at`)} as "dueAt"
    from date_crossings as reminder cross join ${newestVersion(brainId)}
    where reminder.brain_id = ${brainId} and emitted_at is null and due_at <= ${now}
      and version.to_state is null ${further}
    order by due_at, record_id, field, reminder.value, "offset" limit ${limit}`.execute(tx)
  return rows
}

/** The position of a reminder among the future ones. */
export type DatePosition = string[]

/** Selects future reminders between two times, in the order in which they will be due. */
export const selectComing = async (
  db: Queryable,
  brainId: number,
  { from, to, ...page }: PageRequest<DatePosition> & { from?: string | undefined; to?: string | undefined },
): Promise<(Reminder & { kind: string })[]> => {
  const [dueAt, recordId, field, value, offset] = page.after ?? []
  const direction = page.order === 'desc' ? sql`desc` : sql`asc`
  const further =
    page.after === undefined
      ? sql`true`
      : sql`(due_at, record_id, field, reminder.value, "offset") ${page.order === 'desc' ? sql`<` : sql`>`}
          (${dueAt}::timestamptz, ${recordId}, ${field}, ${value}::timestamptz, ${offset})`
  const { rows } = await sql<Reminder & { kind: string }>`
    select record_id as "recordId", version.kind, field, "offset",
      ${timeText(sql`reminder.value`)} as value, ${timeText(sql`due_at`)} as "dueAt"
    from date_crossings as reminder cross join ${newestVersion(brainId)}
    where reminder.brain_id = ${brainId} and emitted_at is null and version.to_state is null and ${further}
      ${from === undefined ? sql`` : sql`and due_at >= ${from}::timestamptz`}
      ${to === undefined ? sql`` : sql`and due_at < ${to}::timestamptz`}
    order by due_at ${direction}, record_id ${direction}, field ${direction}, reminder.value ${direction},
      "offset" ${direction} limit ${page.limit}`.execute(db)
  return rows
}

/** Marks reminders as sent, as a part of the statement that sends them in the transaction that found them. */
export const markEmitted = (
  { brainId, isDivided, now }: { brainId: number; isDivided: boolean; now: Date },
  due: readonly DueReminder[],
): RawBuilder<unknown> => sql`
  update date_crossings set emitted_at = ${now}::timestamptz
  where ${onItsServer(brainId, isDivided)} ctid = any(${due.map(({ place }) => place)}::tid[])`

/** Reminders as lines of an export. */
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
