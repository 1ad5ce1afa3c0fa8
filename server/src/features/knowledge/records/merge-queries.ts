import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter, type ListedRows } from '../../platform/cursors/page-queries.ts'

// A record that was merged names, in its last version, the one that remains. That one may have been merged as well.

/** Merges that are followed one after the other. */
const maxMerges = 50

/** Records that were merged into one, whose versions its history has. */
const maxMerged = 1_000

/** The record that remains of one that was merged, now or as of a state; undefined if it was not. */
export const findSurvivor = async (
  db: Queryable,
  { brainId, id, asOf }: { brainId: number; id: string; asOf: number | undefined },
): Promise<string | undefined> => {
  const isPast = asOf === undefined ? sql`true` : sql`from_state <= ${asOf}`
  const isEnded = asOf === undefined ? sql`to_state is not null` : sql`to_state <= ${asOf}`
  const { rows } = await sql<{ id: string }>`
    with recursive line as (
      select ${id}::text as id, 0 as depth
      union all
      select newest.survivor, line.depth + 1 from line cross join lateral (
        select survivor, to_state from record_versions where brain_id = ${brainId} and id = line.id and ${isPast}
        order by from_state desc, version desc limit 1) as newest
      where newest.survivor is not null and ${isEnded} and line.depth < ${maxMerges})
    select id from line where depth > 0 order by depth desc limit 1`.execute(db)
  return rows[0]?.id
}

/** The records that were merged into one, also by way of others. */
export const selectMerged = async (db: Queryable, brainId: number, id: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    with recursive merged as (
      select ${id}::text as id
      union
      select version.id from merged join record_versions as version
        on version.brain_id = ${brainId} and version.survivor = merged.id
      where not exists (select 1 from record_versions as later where later.brain_id = ${brainId} and later.id = version.id
        and (later.from_state, later.version) > (version.from_state, version.version)))
    select id from merged where id <> ${id} limit ${maxMerged}`.execute(db)
  return rows.map((row) => row.id)
}

/** The place of a version among those of several records: by the state that it began in. */
const place = sql`lpad(from_state::text, 16, '0') || ' ' || lpad(version::text, 10, '0') || ' ' || id`

/** The versions of several records, by the state that each began in. */
export const listedVersions = (
  { brainId, ids, json }: { brainId: number; ids: readonly string[]; json: ListedRows['json'] },
  page: PageRequest<string>,
): ListedRows => {
  const { after = '', order } = page
  const state = after === '' ? undefined : Number(after.slice(0, 16))
  const direction = order === 'desc' ? sql`desc` : sql`asc`
  const reached = order === 'desc' ? sql`from_state <= ${state}` : sql`from_state >= ${state}`
  return {
    rows: sql`select version.* from unnest(${[...ids]}::text[]) as requested (id) cross join lateral (
        select ${place} as place, item.* from record_versions as item
        where brain_id = ${brainId} and id = requested.id
          ${state === undefined ? sql`` : sql`and ${reached} and ${isAfter(sql`(${place})`, page)}`}
        order by from_state ${direction}, version ${direction} limit ${page.limit}) as version
      ${inOrder(sql`version.place`, page)} limit ${page.limit}`,
    size: sql`pg_column_size(record)`,
    json,
  }
}
