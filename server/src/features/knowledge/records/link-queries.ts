import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import { validAt } from '../../kernel/versioning/version-store.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutToPage, inOrder, isAfter, type ListedRows } from '../../platform/cursors/page-queries.ts'

// Backward links, read from the rows that commits write (link-rows-queries.ts).

/** The target of the links, and other conditions on the linking records. */
export type LinkFilter = {
  linksTo: string
  predicate?: string | undefined
  kind?: string | undefined
  slug?: string | undefined
  asOf?: number | undefined
}

const ofPredicate = (predicate: string | undefined) =>
  predicate === undefined ? sql`` : sql`and predicate = ${predicate}`

/** Links that a page examines if some may come from records that do not match. */
const examinedPerPage = 5_000

/**
 * Selects the records that link to one, by id. With other conditions a page examines a limited number of links; a row
 * without a record, or a `stopped` one, then gives its position.
 */
export const listedLinking = (brainId: number, filter: LinkFilter, page: PageRequest<string>): ListedRows => {
  const { linksTo, predicate, kind, slug, asOf } = filter
  const isNarrowed = kind !== undefined || slug !== undefined
  const reach = isNarrowed ? Math.max(examinedPerPage, page.limit) : page.limit
  const backwards = { order: page.order === 'desc' ? 'asc' : 'desc' } as const
  const rows = sql`
    with examined as materialized (
      select distinct source from record_links
      where brain_id = ${brainId} and target = ${linksTo} ${ofPredicate(predicate)} and ${validAt(asOf)}
        and ${isAfter(sql`source`, page)}
      ${inOrder(sql`source`, page)} limit ${reach}),
    fitting as materialized (
      select source as place, version.record from examined cross join lateral (
        select record from record_versions
        where brain_id = ${brainId} and id = source and ${validAt(asOf)}
          ${kind === undefined ? sql`` : sql`and kind = ${kind}`} ${slug === undefined ? sql`` : sql`and slug = ${slug}`}
        order by from_state desc, version desc limit 1) as version
      ${inOrder(sql`source`, page)} limit ${page.limit}),
    last as materialized (
      select source from examined
      where (select count(*) from examined) = ${reach} and (select count(*) from fitting) < ${page.limit}
      ${inOrder(sql`source`, backwards)} limit 1)
    select fitting.*, place is not distinct from (select source from last) as stopped from fitting
    union all select source, null, true from last where source not in (select place from fitting)
    ${inOrder(sql`place`, page)}`
  return { rows, size: sql`pg_column_size(record)`, json: sql`record::text`, beside: sql`stopped` }
}

/** The ids of records that link to any of these at a state: the first of each, and of all. */
export const selectLinking = async (
  db: Queryable,
  brainId: number,
  { ids, predicate, asOf }: { ids: readonly string[]; predicate: string | undefined; asOf: number },
  limit: number,
): Promise<string[]> => {
  const { rows } = await sql<{ source: string }>`
    select distinct link.source from unnest(${[...ids]}::text[]) as requested (id) cross join lateral (
      select distinct source from record_links
      where brain_id = ${brainId} and target = requested.id ${ofPredicate(predicate)} and ${validAt(asOf)}
      order by source limit ${limit}) as link
    order by link.source limit ${limit}`.execute(db)
  return rows.map(({ source }) => source)
}

export type IncomingLink = { target: string; source: string; predicate: string }

/** The links to these records at a state: the first of each, by the records that have them. */
export const selectLinksTo = async (
  db: Queryable,
  brainId: number,
  ids: readonly string[],
  { asOf, limit }: { asOf: number; limit: number },
): Promise<IncomingLink[]> => {
  const { rows } = await sql<IncomingLink>`
    select link.* from unnest(${[...ids]}::text[]) with ordinality as requested (id, place) cross join lateral (
      select target, source, predicate from record_links
      where brain_id = ${brainId} and target = requested.id and ${validAt(asOf)}
      order by source, predicate limit ${limit}) as link`.execute(db)
  return rows
}

/** The kinds of these records at a state. */
export const selectKindsAt = async (
  db: Queryable,
  brainId: number,
  ids: readonly string[],
  asOf: number,
): Promise<Map<string, string>> => {
  const { rows } = await sql<{ id: string; kind: string }>`select id, kind from record_versions
    where brain_id = ${brainId} and id = any(${[...ids]}::text[]) and ${validAt(asOf)}
    order by id limit ${ids.length}`.execute(db)
  return new Map(rows.map(({ id, kind }) => [id, kind]))
}

/** These records at a state, in their order, as JSON text: the first that are no longer than so many bytes together. */
const recordsAt = (
  brainId: number,
  ids: readonly string[],
  { asOf, maxBytes }: { asOf: number; maxBytes: number },
): RawBuilder<unknown> => {
  const rows = sql`select requested.place, record from unnest(${[...ids]}::text[]) with ordinality as requested (id, place)
    join record_versions as version on version.brain_id = ${brainId} and version.id = requested.id and ${validAt(asOf)}
    order by requested.place`
  const listed = { rows, size: sql`pg_column_size(record)`, json: sql`record::text` }
  return cutToPage(listed, { limit: ids.length, order: 'asc', maxBytes })
}

/** Reads the first of some records at a state, and reports whether any were left out. */
export const selectFirstRecordsAt = async (
  db: Queryable,
  brainId: number,
  ids: readonly string[],
  at: { asOf: number; maxBytes: number },
): Promise<{ texts: string[]; isCut: boolean }> => {
  if (ids.length === 0) return { texts: [], isCut: false }
  const { rows } = await sql<{ json: string; found: number }>`
    select * from (${recordsAt(brainId, ids, at)}) as page order by place`.execute(db)
  return { texts: rows.map(({ json }) => json), isCut: (rows[0]?.found ?? 0) > rows.length }
}
