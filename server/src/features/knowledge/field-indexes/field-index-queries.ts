import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { NarrowBrains } from '../../kernel/leases/lease-queries.ts'
import type { IndexEntry } from './types.ts'

/** Selects a field among these that has the same value in two records; the lock guarantees uniqueness, not the table. */
export const selectShared = async (
  tx: Queryable,
  brainId: number,
  fields: readonly { kind: string; field: string }[],
) => {
  const { rows } = await sql<{ kind: string; field: string }>`
    select kind, field from field_index join json_to_recordset(${JSON.stringify(fields)}::json)
      as requested (kind text, field text) using (kind, field)
    where brain_id = ${brainId} group by kind, field, value having count(*) > 1 limit 1`.execute(tx)
  return rows[0]
}

/** Selects the records that have these values of unique fields. */
export const selectHolders = async (
  tx: Queryable,
  brainId: number,
  requested: readonly { kind: string; field: string; value: string }[],
) => {
  const { rows } = await sql<{ kind: string; field: string; value: string; recordId: string }>`
    select entry.kind, entry.field, entry.value, entry.record_id as "recordId"
    from json_to_recordset(${JSON.stringify(requested)}::json) as requested (kind text, field text, value text)
    join field_index as entry on entry.brain_id = ${brainId} and entry.kind = requested.kind
      and entry.field = requested.field and entry.value = requested.value`.execute(tx)
  return rows
}

/** The columns of index entries as JSON. */
export const entryType = sql`(kind text, field text, value text, "recordId" text, text text, number double precision, at timestamptz)`

/** Inserts the index entries of records, as one part of the statement that commits them. */
export const insertEntries = (brainId: number, rows: readonly IndexEntry[]): RawBuilder<unknown> => sql`
  insert into field_index (brain_id, kind, field, value, record_id, text, number, at)
  select ${brainId}::bigint, kind, field, value, "recordId", text, number, at
  from json_to_recordset(${JSON.stringify(rows)}::json) as row ${entryType}
  on conflict do nothing`

/** Takes index entries away. */
export const deleteEntries = (brainId: number, rows: readonly IndexEntry[]): RawBuilder<unknown> =>
  sql`delete from field_index as entry
    using json_to_recordset(${JSON.stringify(rows)}::json) as row ${entryType}
    where entry.brain_id = ${brainId} and entry.kind = row.kind and entry.field = row.field
      and entry.value = row.value and entry.record_id = row."recordId"`

type Place = { kind: string; field: string }

/** Empties the index of a field. */
export const deleteFieldIndex = (tx: Queryable, brainId: number, { kind, field }: Place) =>
  sql`delete from field_index where brain_id = ${brainId} and kind = ${kind} and field = ${field}`.execute(tx)

/** The work on the index of a field, and its progress. */
export type IndexWork = Place & { step: 'drop' | 'build'; place: string }

/** Starts, continues or restarts the work on the index of a field. Until it is done the index is not ready. */
export const putIndexWork = (tx: Queryable, brainId: number, { kind, field, step, place }: IndexWork) =>
  sql`insert into field_index_work (brain_id, kind, field, step, place)
    values (${brainId}, ${kind}, ${field}, ${step}, ${place})
    on conflict (brain_id, kind, field) do update set step = excluded.step, place = excluded.place`.execute(tx)

/** Deletes the finished work on the index of a field. */
export const deleteIndexWork = (tx: Queryable, brainId: number, { kind, field }: Place) =>
  sql`delete from field_index_work
    where brain_id = ${brainId} and kind = ${kind} and field = ${field}`.execute(tx)

/** The work on indexes of a Brain. */
export const selectIndexWork = async (db: Queryable, brainId: number, limit: number) => {
  const { rows } = await sql<IndexWork>`select kind, field, step, place from field_index_work
    where brain_id = ${brainId} order by kind, field limit ${limit}`.execute(db)
  return rows
}

/** The fields of a kind whose indexes are not ready. */
export const indexesInWork = async (db: Queryable, brainId: number, kind: string): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ field: string }>`select field from field_index_work
    where brain_id = ${brainId} and kind = ${kind}`.execute(db)
  return new Set(rows.map(({ field }) => field))
}

/** Brains with work on their indexes, of some. */
export const brainsWithIndexWork = (narrow: NarrowBrains): RawBuilder<unknown> => sql`
  select brain.brain_id, null::timestamptz as due from (
    select distinct work.brain_id from field_index_work as work where ${narrow(sql`work.brain_id`)}) as indexed
  join brains as brain on brain.brain_id = indexed.brain_id and brain.deleted_at is null`

/** Deletes the next entries of a field's index, in their order, and returns the last. */
export const deleteEntriesAfter = async (
  tx: Queryable,
  brainId: number,
  { kind, field }: Place,
  { after: [value, recordId], limit }: { after: readonly [string, string]; limit: number },
) => {
  const { rows } = await sql<{ value: string; recordId: string }>`
    with next as (
      select value, record_id from field_index
      where brain_id = ${brainId} and kind = ${kind} and field = ${field} and (value, record_id) > (${value}, ${recordId})
      order by value, record_id limit ${limit}),
    gone as (delete from field_index as entry using next
      where entry.brain_id = ${brainId} and entry.kind = ${kind} and entry.field = ${field}
        and entry.value = next.value and entry.record_id = next.record_id)
    select value, record_id as "recordId" from next order by value, record_id`.execute(tx)
  return rows
}
