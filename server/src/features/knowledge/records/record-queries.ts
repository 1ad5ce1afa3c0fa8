import type { BrainRecord } from '@noema/contracts/records.ts'
import { type RawBuilder, sql } from 'kysely'
import type { JsonObject } from '../../../shared/text/json.ts'
import type { Queryable } from '../../../storage/database.ts'
import { defineStatement } from '../../../storage/statements.ts'
import {
  atState,
  fixedInLists,
  type ListRequest,
  listAtState,
  type SmallRow,
  type StateRow,
  smallPageAtState,
} from '../../kernel/state-reads/state-queries.ts'
import { versionsAt } from '../../kernel/versioning/state-page-queries.ts'
import type { Version } from '../../kernel/versioning/types.ts'
import { contentSize } from '../../kernel/versioning/version-columns-queries.ts'
import { defineVersionTable, endedByNext, validAt } from '../../kernel/versioning/version-store.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutToPage, inOrder, isAfter, type ListedRows } from '../../platform/cursors/page-queries.ts'

export type RecordVersion = Version<BrainRecord>

export const recordTable = defineVersionTable<RecordVersion>({
  type: 'record',
  table: 'record_versions',
  columns: {
    kind: { type: 'text' },
    slug: { type: 'text' },
    expires_at: { type: 'timestamptz' },
    survivor: { type: 'text', read: sql`survivor` },
  },
  toColumns: ({ content: { kind, slug, expiresAt } }) => ({ kind, slug, expires_at: expiresAt ?? null }),
  ending: endedByNext('deleted', 'survivor'),
})

/** The changes that wrote the current versions of records. */
export const selectChangesOfRecords = async (
  db: Queryable,
  brainId: number,
  ids: readonly string[],
): Promise<Map<string, string>> => {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; change: string }>`
    select id, record->'provenance'->>'change' as change from record_versions
    where brain_id = ${brainId} and id = any(${[...ids]}::text[]) and to_state is null`.execute(db)
  return new Map(rows.map(({ id, change }) => [id, change]))
}

/** The most bytes of records that are worked through at once. */
const maxPageBytes = 4 * 1024 * 1024

/** Names of records are no longer than this. */
const maxNameLength = 200

/** Live records of a kind by id after one: so many, or as many as are few bytes together, but at least one if there is any. */
export const selectCurrentRecords = async (
  db: Queryable,
  brainId: number,
  kind: string,
  after: string,
  limit: number,
) => {
  const { rows } = await sql<{ record: BrainRecord }>`select record from (
      select id, record, row_number() over before as number, sum(${contentSize(sql`record`)}) over before as total
      from (select id, record, size from record_versions
        where brain_id = ${brainId} and kind = ${kind} and id > ${after} and to_state is null
        order by id limit ${limit}) as page
      window before as (order by id rows unbounded preceding)) as measured
    where number = 1 or total <= ${sql.lit(maxPageBytes)} order by id`.execute(db)
  return rows.map(({ record }) => record)
}

/** Some fields of the live records of a kind by id after one; null where a record has no such field. */
export const selectFieldsByKind = async (
  db: Queryable,
  brainId: number,
  { kind, names, after, limit }: { kind: string; names: readonly string[]; after: string; limit: number },
) => {
  const { rows } = await sql<{ id: string; fields: JsonObject }>`
    select id, (select json_object_agg(name, record -> 'fields' -> name) from unnest(${[...names]}::text[]) as name) as fields
    from record_versions where brain_id = ${brainId} and kind = ${kind} and id > ${after} and to_state is null
    order by id limit ${limit}`.execute(db)
  return rows
}

/** The kinds of these records, as far as they are live. */
export const selectKinds = async (db: Queryable, brainId: number, ids: readonly string[]) => {
  const { rows } = await sql<{ id: string; kind: string }>`select id, kind from record_versions
    where brain_id = ${brainId} and id = any(${[...ids]}) and to_state is null order by id limit ${ids.length}`.execute(
    db,
  )
  return new Map(rows.map(({ id, kind }) => [id, kind]))
}

/** Selects the live records that have these slugs, of any kind. */
export const selectSlugOwners = async (tx: Queryable, brainId: number, slugs: readonly string[]) => {
  const { rows } = await sql<{ id: string; kind: string; slug: string }>`
    select id, kind, slug from record_versions
    where brain_id = ${brainId} and slug = any(${[...slugs]}) and to_state is null`.execute(tx)
  return rows
}

type Named = Pick<BrainRecord, 'id' | 'kind' | 'slug' | 'fields'>

/** The newest versions of records with their naming fields, of no more than so many bytes of records together. */
export const selectNamedRecords = async (
  db: Queryable,
  brainId: number,
  ids: readonly string[],
  fields: readonly string[],
): Promise<Named[]> => {
  if (ids.length === 0) return []
  const { rows } = await sql<Named>`
    select id, kind, slug, case when total <= ${sql.lit(maxPageBytes)} then
      (select json_object_agg(name, case when json_typeof(record -> 'fields' -> name) = 'string'
          then left(record -> 'fields' ->> name, ${sql.lit(maxNameLength)}) end)
        from unnest(${[...fields]}::text[]) as name) else '{}' end as fields
    from (select newest.*, sum(${contentSize(sql`record`)}) over (order by newest.id rows unbounded preceding) as total
      from unnest(${[...ids]}::text[]) as requested (id) cross join lateral (
        select id, kind, slug, record, size from record_versions
        where brain_id = ${brainId} and id = requested.id order by version desc limit 1) as newest) as measured
    order by id`.execute(db)
  return rows
}

type Requested = { brainId: number; id: string; asOf: number | undefined }

/** One record, current or as of a state. Only one version of a record is current. */
export const recordById = defineStatement<Requested, StateRow>(
  ({ brainId, id, asOf }) =>
    atState(
      brainId,
      sql`select id as place, record::text as json from record_versions
      where brain_id = ${brainId} and id = ${id} and ${validAt(asOf)}
      ${asOf === undefined ? sql`` : sql`order by from_state desc, version desc limit 1`}`,
    ),
  { optional: ['asOf'], isShort: true },
)

type Filter = { kind?: string | undefined; slug?: string | undefined; asOf?: number | undefined }

/**
 * Selects the versions with a slug, now or as of a state. They are found by the slug first: with an order and a limit,
 * PostgreSQL may walk through the whole kind. One record at a time has a slug of a kind, so of the versions that ended
 * after a state only the first can have been valid in it.
 */
const slugOwners = (brainId: number, slug: string, { kind, asOf }: Filter): RawBuilder<unknown> => {
  const asked = sql`brain_id = ${brainId} and slug = ${slug} ${kind === undefined ? sql`` : sql`and kind = ${kind}`}`
  const live = sql`select id, record from record_versions where ${asked} and to_state is null`
  if (asOf === undefined) return sql`${live} offset 0`
  const first = kind === undefined ? sql`offset 0` : sql`order by to_state, from_state limit 1`
  return sql`${live} and from_state <= ${asOf} union all select id, record from (
    select id, record, from_state from record_versions where ${asked} and to_state > ${asOf} ${first}) as ended
    where from_state <= ${asOf}`
}

/** Records by id. A page as of a state may stop before it is full. */
export const listedRecords = (brainId: number, filter: Filter, page: PageRequest<string>): ListedRows => {
  const { kind, slug, asOf } = filter
  const shown = { size: sql`pg_column_size(record)`, json: sql`record::text` }
  const ofKind = kind === undefined ? sql`true` : sql`kind = ${kind}`
  if (slug === undefined && asOf !== undefined) {
    const listed = { table: recordTable.name, brainId, asOf, columns: sql`record`, asked: ofKind }
    return { rows: versionsAt(listed, page), ...shown, beside: sql`stopped` }
  }
  const records =
    slug === undefined
      ? sql`record_versions where brain_id = ${brainId} and to_state is null and ${ofKind} and`
      : sql`(${slugOwners(brainId, slug, filter)}) as held where`
  const rows = sql`select id as place, record from ${records} ${isAfter(sql`id`, page)}
    ${inOrder(sql`id`, page)} limit ${page.limit}`
  return { rows, ...shown }
}

/** A page of the current records, or of those of a kind. */
export const currentRecords = defineStatement<ListRequest & { kind: string | undefined }, StateRow>(
  ({ brainId, kind, after, order, limit, more }) => {
    const listed = listedRecords(brainId, { kind }, { after, order, limit: more })
    return listAtState(brainId, cutToPage(listed, { limit, order }), order)
  },
  { optional: ['after', 'kind'], fixed: fixedInLists },
)

/** The same where the page is small. */
export const smallRecords = defineStatement<ListRequest & { kind: string | undefined }, SmallRow>(
  ({ kind, after, more, ...page }) => {
    const listed = listedRecords(page.brainId, { kind }, { after, order: page.order, limit: more })
    return smallPageAtState(page, { ...listed, stored: sql`record` })
  },
  { optional: ['after', 'kind'], fixed: fixedInLists, isShort: true },
)

/** A version of a record as its history shows it, with its end. */
export const historyJson = sql`'{"record":' || record::text || ',"ended":' || coalesce(${recordTable.ended}, 'null') || '}'`
