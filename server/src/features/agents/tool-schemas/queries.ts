import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

/** The schemas of one tool, as JSON text. */
export type ToolSchemas = { hash: string; input: string; output: string | null }

/** Inserts schemas that are not stored yet. Of those that are, `used_at` moves on where it is older than `staleBefore`. */
export const upsertToolSchemas = (
  db: Queryable,
  organizationId: string,
  schemas: readonly ToolSchemas[],
  { now, staleBefore }: { now: Date; staleBefore: Date },
) =>
  sql`insert into tool_schemas as known (organization_id, hash, input_schema, output_schema, bytes, used_at)
    select ${organizationId}, hash, input::json, output::json, octet_length(input) + coalesce(octet_length(output), 0), ${now}
    from json_to_recordset(${JSON.stringify(schemas)}::json) as given (hash text, input text, output text)
    order by hash
    on conflict (organization_id, hash) do update set used_at = excluded.used_at
      where known.used_at < ${staleBefore}`.execute(db)

export type ToolSchemasRow = { hash: string; inputSchema: unknown; outputSchema: unknown }

/** The schemas with these hashes, the first of them for as long as they fit into `maxBytes` together. */
export const selectToolSchemas = async (
  db: Queryable,
  organizationId: string,
  { hashes, maxBytes }: { hashes: readonly string[]; maxBytes: number },
): Promise<ToolSchemasRow[]> => {
  const { rows } = await sql<ToolSchemasRow>`
    select hash, input_schema as "inputSchema", output_schema as "outputSchema"
    from (select stored.*, sum(bytes) over (order by place) as total
      from unnest(${[...hashes]}::text[]) with ordinality as requested (hash, place)
        join tool_schemas as stored on stored.organization_id = ${organizationId} and stored.hash = requested.hash) as stored
    where total <= ${maxBytes}`.execute(db)
  return rows
}

/** Deletes some schemas last used before a time, where every run of their organization began later. Answers how many. */
export const deleteUnusedToolSchemas = async (db: Queryable, before: Date, limit: number): Promise<number> => {
  const { rows } = await sql`
    with unused as (
      select organization_id, hash from tool_schemas as stored where used_at < ${before}
        and coalesce((select run.created_at from runs as run where run.organization_id = stored.organization_id
          order by run.id limit 1) > used_at + interval '2 days', true)
      order by used_at limit ${limit} for update skip locked)
    delete from tool_schemas as stored using unused
    where stored.organization_id = unused.organization_id and stored.hash = unused.hash returning stored.hash`.execute(
    db,
  )
  return rows.length
}
