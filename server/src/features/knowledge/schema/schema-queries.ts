import type { ListOrder } from '@noema/contracts/common.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import { defineStatement, type Statement } from '../../../storage/statements.ts'
import { timeText } from '../../kernel/export-lines/export-line-queries.ts'
import type { LinePage } from '../../kernel/export-lines/types.ts'

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

/** Takes away the schema that a Brain was made with. */
export const deleteSchema = (tx: Queryable, brainId: number) =>
  sql`with versions as (delete from brain_schemas where brain_id = ${brainId})
    delete from brain_baselines where brain_id = ${brainId}`.execute(tx)

type Place = { kind: string; field: string }

/** The number of times that something emerged in one write, and its types. */
export type Tally = { kind: string; field: string; count: number; seen: string[]; at: string }

/** Adds to the emerged structure, as one part of the statement that commits it. */
export const upsertEmerged = (brainId: number, rows: readonly Tally[]): Statement =>
  upsert({ brainId, rows: JSON.stringify(rows) })

const upsert = defineStatement<{ brainId: number; rows: string }, object>(
  ({ brainId, rows }) => sql`
  insert into emerged_structure as known (brain_id, kind, field, count, seen, first_seen_at, last_seen_at)
  select ${brainId}::bigint, kind, field, count, seen, at, at
  from json_to_recordset(${rows}::json)
    as row (kind text, field text, count bigint, seen text[], at timestamptz)
  on conflict (brain_id, kind, field) do update set count = known.count + excluded.count,
    seen = case when known.seen @> excluded.seen then known.seen
      else array(select distinct sort from unnest(known.seen || excluded.seen) as sort order by sort) end,
    last_seen_at = excluded.last_seen_at`,
)

type EmergedRow = Omit<Tally, 'at'> & { firstSeenAt: Date; lastSeenAt: Date }
const emergedColumns = sql`kind, field, count, seen, first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt"`

/** A page of what emerged, by kind and field. */
export const selectEmergedAfter = async (
  db: Queryable,
  brainId: number,
  { after, limit, order }: { after: Place | undefined; limit: number; order: ListOrder },
) => {
  const isDescending = order === 'desc'
  const comparison = isDescending ? sql`<` : sql`>`
  const { rows } = await sql<EmergedRow>`select ${emergedColumns} from emerged_structure
    where brain_id = ${brainId} ${after ? sql`and (kind, field) ${comparison} (${after.kind}, ${after.field})` : sql``}
    order by ${isDescending ? sql`kind desc, field desc` : sql`kind, field`} limit ${limit}`.execute(db)
  return rows
}

/** Selects the emerged structure at these addresses. */
export const selectEmerged = async (db: Queryable, brainId: number, places: readonly Place[]) => {
  const { rows } = await sql<EmergedRow>`select ${emergedColumns} from emerged_structure
    where brain_id = ${brainId} and (kind, field) in
      (select kind, field from json_to_recordset(${JSON.stringify(places)}::json) as row (kind text, field text))`.execute(
    db,
  )
  return rows
}

/** Deletes the structure that is declared now. */
export const deleteEmerged = (tx: Queryable, brainId: number, places: readonly Place[]) =>
  sql`delete from emerged_structure as known
    using json_to_recordset(${JSON.stringify(places)}::json) as row (kind text, field text)
    where known.brain_id = ${brainId} and known.kind = row.kind and known.field = row.field`.execute(tx)

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
