import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutToPage, inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import type { OrderColumn } from './predicates.ts'

type FieldPlace = { brainId: number; kind: string; field: string }

const ofField = ({ brainId, kind, field }: FieldPlace) =>
  sql`brain_id = ${brainId} and kind = ${kind} and field = ${field}`

/** Records that have one of these values, by id. */
export const recordsWithValue = (
  place: FieldPlace,
  values: readonly string[],
  page: PageRequest<string>,
): RawBuilder<unknown> => sql`
  select distinct entry.record_id as id, null::text as place from unnest(${[...values]}::text[]) as requested (value)
  cross join lateral (select record_id from field_index
    where ${ofField(place)} and value = requested.value and ${isAfter(sql`record_id`, page)}
    ${inOrder(sql`record_id`, page)} limit ${page.limit}) as entry
  ${inOrder(sql`1`, page)} limit ${page.limit}`

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
export const recordsAmong = (
  listed: RawBuilder<unknown>,
  page: Pick<PageRequest<string>, 'order'>,
): RawBuilder<unknown> => sql`
  select place as id, null::text as place from (${listed}) as held ${inOrder(sql`held.place`, page)}`

export type Range = { low: string | number | undefined; high: string | number | undefined }

/** Records that have a value in a range, by that value and id after both. One with several values is listed several times. */
export const recordsInRange = (
  place: FieldPlace,
  name: OrderColumn,
  { low, high }: Range,
  { after, limit, order }: PageRequest<[place: string, id: string]>,
): RawBuilder<unknown> => {
  const { column, type, shown } = columns[name]
  const [comparison, direction] = order === 'desc' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`]
  return sql`select record_id as id, ${shown} as place from field_index
    where ${ofField(place)} and ${name === 'value' ? sql`value <> 'null'` : sql`${column} is not null`}
      ${low === undefined ? sql`` : sql`and ${column} >= ${low}::${type}`}
      ${high === undefined ? sql`` : sql`and ${column} <= ${high}::${type}`}
      ${after === undefined ? sql`` : sql`and (${column}, record_id) ${comparison} (${after[0]}::${type}, ${after[1]})`}
    order by ${column} ${direction}, record_id ${direction} limit ${limit}`
}

/** A candidate of an index, with its record as JSON text, and the number of candidates. */
export type Candidate = { id: string; value: string | null; json: string; found: number }

/** The live records of the first of some candidates, in their order, up to a limit. */
export const selectCandidates = async (
  db: Queryable,
  brainId: number,
  candidates: RawBuilder<unknown>,
  { limit, maxBytes }: { limit: number; maxBytes: number },
) => {
  const listed = sql`select candidate.number as place, candidate.id, candidate.place as value, version.record
    from candidate join record_versions as version
      on version.brain_id = ${brainId} and version.id = candidate.id and version.to_state is null
    order by candidate.number`
  const record = { size: sql`pg_column_size(record)`, json: sql`record::text`, beside: sql`id, value` }
  const { rows } = await sql<Candidate>`
    with candidate as materialized (select row_number() over () as number, found.* from (${candidates}) as found)
    select * from (${cutToPage({ rows: listed, ...record }, { limit, order: 'asc', maxBytes })}) as page
    order by place`.execute(db)
  return rows
}
