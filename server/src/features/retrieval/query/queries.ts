import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { OrderColumn } from './predicates.ts'

type FieldPlace = { brainId: number; kind: string; field: string }

const ofField = ({ brainId, kind, field }: FieldPlace) =>
  sql`brain_id = ${brainId} and kind = ${kind} and field = ${field}`

/** Records that have one of these values, by id after one. */
export const recordsWithValue = (
  place: FieldPlace,
  values: readonly string[],
  { after, take }: { after: string; take: number },
): RawBuilder<unknown> => sql`
  select distinct entry.record_id as id, null::text as place from unnest(${[...values]}::text[]) as wanted (value)
  cross join lateral (select record_id from field_index
    where ${ofField(place)} and value = wanted.value and record_id > ${after} order by record_id limit ${take}) as entry
  order by 1 limit ${take}`

const columns: Record<
  OrderColumn,
  { column: RawBuilder<unknown>; type: RawBuilder<unknown>; shown: RawBuilder<unknown> }
> = {
  text: { column: sql`text collate "C"`, type: sql`text`, shown: sql`text` },
  value: { column: sql`value`, type: sql`text`, shown: sql`value` },
  number: { column: sql`number`, type: sql`double precision`, shown: sql`number::text` },
  at: {
    column: sql`at`,
    type: sql`timestamptz`,
    shown: sql`to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  },
}

/** Records that another statement lists, by id. */
export const recordsAmong = (listed: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select place as id, null::text as place from (${listed}) as held`

export type Range = { low: string | number | undefined; high: string | number | undefined }

/** Records that have a value in a range, by that value and id after both. One with several values comes several times. */
export const recordsInRange = (
  place: FieldPlace,
  name: OrderColumn,
  { low, high }: Range,
  { after, take }: { after: readonly [place: string, id: string] | undefined; take: number },
): RawBuilder<unknown> => {
  const { column, type, shown } = columns[name]
  return sql`select record_id as id, ${shown} as place from field_index
    where ${ofField(place)} and ${name === 'value' ? sql`value <> 'null'` : sql`${column} is not null`}
      ${low === undefined ? sql`` : sql`and ${column} >= ${low}::${type}`}
      ${high === undefined ? sql`` : sql`and ${column} <= ${high}::${type}`}
      ${after === undefined ? sql`` : sql`and (${column}, record_id) > (${after[0]}::${type}, ${after[1]})`}
    order by ${column}, record_id limit ${take}`
}

/** A candidate of an index, with its record as JSON text. */
export type Candidate = { id: string; place: string | null; json: string }

/** The live records of candidates, in their order. */
export const selectCandidates = async (db: Queryable, brainId: number, candidates: RawBuilder<unknown>) => {
  const { rows } = await sql<Candidate>`
    with candidate as materialized (select row_number() over () as number, found.* from (${candidates}) as found)
    select candidate.id, candidate.place, version.record::text as json
    from candidate join record_versions as version
      on version.brain_id = ${brainId} and version.id = candidate.id and version.to_state is null
    order by candidate.number`.execute(db)
  return rows
}
