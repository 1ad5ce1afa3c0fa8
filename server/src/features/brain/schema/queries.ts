import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import type { Queryable } from '../../../storage/database.ts'
import { type LinePage, timeText } from '../versioning/export-pages.ts'
import type { IndexEntry } from './index-values.ts'

/** The kinds of one version of a Brain's schema; undefined where there is no such version. */
export const selectKinds = async (db: Queryable, brainId: number, version: number) => {
  const { rows } = await sql<{ kinds: SchemaKind[] }>`select kinds from brain_schemas
    where brain_id = ${brainId} and schema_version = ${version}`.execute(db)
  return rows[0]?.kinds
}

type NewVersion = { version: number; kinds: readonly SchemaKind[]; change: string | null; at: string }

/** Inserts the next version of a Brain's schema. */
export const insertVersion = (brainId: number, { version, kinds, change, at }: NewVersion): RawBuilder<unknown> => sql`
  insert into brain_schemas (brain_id, schema_version, kinds, change, created_at)
  values (${brainId}, ${version}, ${JSON.stringify(kinds)}::json, ${change}, ${at}::timestamptz)`

type ExportedVersion = {
  schemaVersion: number
  kinds: readonly SchemaKind[]
  change: string | null
  createdAt: string
  baseline: { schema: string; version: number } | null
}

/** Inserts versions of a Brain's schema as they were exported. */
export const insertVersions = (brainId: number, rows: readonly ExportedVersion[]): RawBuilder<unknown> => sql`
  with row as materialized (select * from json_to_recordset(${JSON.stringify(rows)}::json)
      as row ("schemaVersion" integer, kinds json, change text, "createdAt" timestamptz, baseline json)),
    forked as (insert into brain_baselines (brain_id, schema_name, schema_version)
      select ${brainId}::bigint, baseline ->> 'schema', (baseline ->> 'version')::integer from row
      where json_typeof(baseline) = 'object' on conflict do nothing)
  insert into brain_schemas (brain_id, schema_version, kinds, change, created_at)
  select ${brainId}::bigint, "schemaVersion", kinds, change, "createdAt" from row`

/** Versions of a Brain's schema as lines of an export: all of them, or the newest. */
export const schemaLines = ({ brainId, after = ['0'], take, history }: LinePage): RawBuilder<unknown> => sql`
  select array[version::text] as key, '{"schema":' || row_to_json((select line from (
    select version as "schemaVersion", kinds, change, ${timeText(sql`created_at`)} as "createdAt",
      (select row_to_json(origin) from (select schema_name as schema, schema_version as version) as origin
        where schema_name is not null) as baseline) as line))::text || '}' as line
  from (select version.schema_version as version, kinds, change, created_at, baseline.schema_name, baseline.schema_version
    from brain_schemas as version left join brain_baselines as baseline using (brain_id)
    where version.brain_id = ${brainId} and version.schema_version > ${after[0]}::integer
    order by version.schema_version ${history ? sql`` : sql`desc`} limit ${history ? take : 1}) as stored
  order by version`

/** The newest version of a Brain's schema; 0 where it has none. */
export const selectNewestVersion = async (db: Queryable, brainId: number): Promise<number> => {
  const { rows } = await sql<{ newest: number }>`select coalesce(max(schema_version), 0) as newest
    from brain_schemas where brain_id = ${brainId}`.execute(db)
  return rows[0]?.newest ?? 0
}

/** A field among these that two records have one value of; what is unique is so by the lock, not by the table. */
export const selectShared = async (
  tx: Queryable,
  brainId: number,
  fields: readonly { kind: string; field: string }[],
) => {
  const { rows } = await sql<{ kind: string; field: string }>`
    select kind, field from field_index join json_to_recordset(${JSON.stringify(fields)}::json)
      as wanted (kind text, field text) using (kind, field)
    where brain_id = ${brainId} group by kind, field, value having count(*) > 1 limit 1`.execute(tx)
  return rows[0]
}

/** Takes away the schema that a Brain was made with. */
export const deleteSchema = (tx: Queryable, brainId: number) =>
  sql`with versions as (delete from brain_schemas where brain_id = ${brainId})
    delete from brain_baselines where brain_id = ${brainId}`.execute(tx)

/** The organization schema that a Brain was forked from. */
export const selectBaseline = async (db: Queryable, brainId: number) => {
  const { rows } = await sql<{ schema: string; version: number }>`
    select schema_name as schema, schema_version as version from brain_baselines where brain_id = ${brainId}`.execute(
    db,
  )
  return rows[0]
}

export const insertBaseline = (db: Queryable, brainId: number, baseline: { schema: string; version: number }) =>
  sql`insert into brain_baselines (brain_id, schema_name, schema_version)
    values (${brainId}, ${baseline.schema}, ${baseline.version})`.execute(db)

/** Which records hold these values of unique fields. */
export const selectHolders = async (
  tx: Queryable,
  brainId: number,
  wanted: readonly { kind: string; field: string; value: string }[],
) => {
  const { rows } = await sql<{ kind: string; field: string; value: string; recordId: string }>`
    select entry.kind, entry.field, entry.value, entry.record_id as "recordId"
    from json_to_recordset(${JSON.stringify(wanted)}::json) as wanted (kind text, field text, value text)
    join field_index as entry on entry.brain_id = ${brainId} and entry.kind = wanted.kind
      and entry.field = wanted.field and entry.value = wanted.value`.execute(tx)
  return rows
}

const entryType = sql`(kind text, field text, value text, "recordId" text, text text, number double precision, at timestamptz)`

/** Inserts the index entries of records, as one part of the statement that lands them. */
export const insertEntries = (brainId: number, rows: readonly IndexEntry[]): RawBuilder<unknown> => sql`
  insert into field_index (brain_id, kind, field, value, record_id, text, number, at)
  select ${brainId}::bigint, kind, field, value, "recordId", text, number, at
  from json_to_recordset(${JSON.stringify(rows)}::json) as row ${entryType}
  on conflict do nothing`

/** Takes index entries away. */
export const deleteEntries = (tx: Queryable, brainId: number, rows: readonly IndexEntry[]) =>
  sql`delete from field_index as entry
    using json_to_recordset(${JSON.stringify(rows)}::json) as row ${entryType}
    where entry.brain_id = ${brainId} and entry.kind = row.kind and entry.field = row.field
      and entry.value = row.value and entry.record_id = row."recordId"`.execute(tx)

type Place = { kind: string; field: string }

/** Empties the index of a field. */
export const deleteFieldIndex = (tx: Queryable, brainId: number, { kind, field }: Place) =>
  sql`delete from field_index where brain_id = ${brainId} and kind = ${kind} and field = ${field}`.execute(tx)

/** What is being done to the index of a field, and how far it has come. */
export type IndexWork = Place & { step: 'drop' | 'build'; place: string }

/** Begins, goes on with, or begins anew the work on the index of a field. Until it ends the index is not ready. */
export const putIndexWork = (tx: Queryable, brainId: number, { kind, field, step, place }: IndexWork) =>
  sql`insert into field_index_work (brain_id, kind, field, step, place)
    values (${brainId}, ${kind}, ${field}, ${step}, ${place})
    on conflict (brain_id, kind, field) do update set step = excluded.step, place = excluded.place`.execute(tx)

/** Ends the work on the index of a field. */
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

/** Brains with work on their indexes. */
export const selectBrainsWithIndexWork = async (db: Queryable, limit: number) => {
  const { rows } = await sql<{ brainId: number }>`select distinct work.brain_id as "brainId"
    from field_index_work as work join brains as brain on brain.brain_id = work.brain_id and brain.deleted_at is null
    order by 1 limit ${limit}`.execute(db)
  return rows.map(({ brainId }) => brainId)
}

/** Takes the next entries out of the index of a field, in their order, and tells the last. */
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

export type Tally = { kind: string; field: string; count: number; seen: string[] }

/** Adds to what emerged, as one part of the statement that lands it. */
export const upsertEmerged = (brainId: number, at: string, rows: readonly Tally[]): RawBuilder<unknown> => sql`
  insert into emerged_structure as known (brain_id, kind, field, count, seen, first_seen_at, last_seen_at)
  select ${brainId}::bigint, kind, field, count, seen, ${at}::timestamptz, ${at}::timestamptz
  from json_to_recordset(${JSON.stringify(rows)}::json) as row (kind text, field text, count bigint, seen text[])
  on conflict (brain_id, kind, field) do update set count = known.count + excluded.count,
    seen = case when known.seen @> excluded.seen then known.seen
      else array(select distinct sort from unnest(known.seen || excluded.seen) as sort order by sort) end,
    last_seen_at = excluded.last_seen_at`

type EmergedRow = Tally & { firstSeenAt: Date; lastSeenAt: Date }
const emergedColumns = sql`kind, field, count, seen, first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt"`

/** What emerged, by kind and field after a place. */
export const selectEmergedAfter = async (
  db: Queryable,
  brainId: number,
  after: { kind: string; field: string } | undefined,
  limit: number,
) => {
  const { rows } = await sql<EmergedRow>`select ${emergedColumns} from emerged_structure
    where brain_id = ${brainId} ${after ? sql`and (kind, field) > (${after.kind}, ${after.field})` : sql``}
    order by kind, field limit ${limit}`.execute(db)
  return rows
}

/** What emerged in these places. */
export const selectEmerged = async (db: Queryable, brainId: number, places: readonly Place[]) => {
  const { rows } = await sql<EmergedRow>`select ${emergedColumns} from emerged_structure
    where brain_id = ${brainId} and (kind, field) in
      (select kind, field from json_to_recordset(${JSON.stringify(places)}::json) as row (kind text, field text))`.execute(
    db,
  )
  return rows
}

/** Takes away what is declared now. */
export const deleteEmerged = (tx: Queryable, brainId: number, places: readonly Place[]) =>
  sql`delete from emerged_structure as known
    using json_to_recordset(${JSON.stringify(places)}::json) as row (kind text, field text)
    where known.brain_id = ${brainId} and known.kind = row.kind and known.field = row.field`.execute(tx)

/** One version of an organization schema. */
export type OrganizationSchemaRow = { name: string; version: number; kinds: SchemaKind[]; createdAt: Date }

/** An organization schema at a version, or the newest. */
export const selectOrganizationSchema = async (
  db: Queryable,
  organizationId: string,
  name: string,
  version?: number | undefined,
) => {
  const { rows } = await sql<OrganizationSchemaRow>`
    select name, version, kinds, created_at as "createdAt" from organization_schemas
    where organization_id = ${organizationId} and name = ${name}
      ${version === undefined ? sql`` : sql`and version = ${version}`}
    order by version desc limit 1`.execute(db)
  return rows[0]
}

/** Inserts a version of an organization schema unless it was just made by somebody else. */
export const insertOrganizationSchema = async (
  db: Queryable,
  organizationId: string,
  row: { name: string; version: number; kinds: readonly SchemaKind[]; createdBy: Actor },
  now: Date,
) => {
  const { rows } = await sql<OrganizationSchemaRow>`
    insert into organization_schemas (organization_id, name, version, kinds, created_by, created_by_actor, created_at)
    values (${organizationId}, ${row.name}, ${row.version}, ${JSON.stringify(row.kinds)}::json, ${row.createdBy.id}, ${actorValue(row.createdBy)}, ${now})
    on conflict do nothing returning name, version, kinds, created_at as "createdAt"`.execute(db)
  return rows[0]
}

/** The newest version of each organization schema, by name after one. */
export const selectOrganizationSchemas = async (
  db: Queryable,
  organizationId: string,
  page: { after: string; limit: number },
) => {
  const { rows } = await sql<Omit<OrganizationSchemaRow, 'kinds'>>`
    select distinct on (name) name, version, created_at as "createdAt" from organization_schemas
    where organization_id = ${organizationId} and name > ${page.after}
    order by name, version desc limit ${page.limit}`.execute(db)
  return rows
}
