import { type RawBuilder, sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { NarrowBrains } from '../leases/lease-queries.ts'
import type { ContentType } from '../versioning/types.ts'

/** A version: a document's by its number, others by the state that made them. */
export type FailedVersion = { type: ContentType; id: string; version: number | null; state: number | null }

export type Failure = { position: number; reason: string; indexVersion: number }

/** Notes versions that could not be indexed. One that was noted before gets the newer reason. */
export const insertUnsearchable = (
  tx: Queryable,
  brainId: number,
  versions: readonly FailedVersion[],
  { position, reason, indexVersion }: Failure,
) =>
  sql`
  insert into unsearchable_versions (brain_id, type, id, version, position, from_state, to_state, reason, index_version)
  select ${brainId}, failed.type, failed.id, item.version, ${position}::bigint, from_state, to_state, ${reason}::text,
    ${indexVersion}::integer
  from json_to_recordset(${JSON.stringify(versions)}::json)
    as failed (type text, id text, version integer, state bigint) cross join lateral (
    select record.version, from_state, to_state from record_versions as record where failed.type = 'record'
      and record.brain_id = ${brainId} and record.id = failed.id and record.from_state = failed.state
    union all
    select statement.version, from_state, to_state from statements as statement where failed.type = 'statement'
      and statement.brain_id = ${brainId} and statement.id = failed.id and statement.from_state = failed.state
    union all
    select document.version, from_state, to_state from document_versions as document where failed.type = 'document'
      and document.brain_id = ${brainId} and document.id = failed.id and document.version = failed.version) as item
  where to_state is distinct from from_state
  on conflict (brain_id, type, id, version)
    do update set reason = excluded.reason, index_version = excluded.index_version, to_state = excluded.to_state`.execute(
    tx,
  )

/** Records which of these items' versions have ended. */
export const updateUnsearchableEnds = (tx: Tx, brainId: number, items: readonly { type: ContentType; id: string }[]) =>
  sql`
  update unsearchable_versions as failed set to_state = ended.to_state
  from json_to_recordset(${JSON.stringify(items)}::json) as item (type text, id text)
  cross join lateral (
    select version, to_state from record_versions as record where item.type = 'record' and record.brain_id = ${brainId}
      and record.id = item.id and to_state is not null
    union all select version, to_state from statements where item.type = 'statement' and statements.brain_id = ${brainId}
      and statements.id = item.id and to_state is not null
    union all select version, to_state from document_versions as document where item.type = 'document'
      and document.brain_id = ${brainId} and document.id = item.id and to_state is not null) as ended
  where failed.brain_id = ${brainId} and failed.type = item.type and failed.id = item.id
    and failed.version = ended.version and failed.to_state is null`.execute(tx)

export type Unsearchable = FailedVersion & { position: number; version: number; state: number }

/** Versions that other code could not index, in their order. */
export const selectUntried = async (db: Queryable, brainId: number, indexVersion: number, limit: number) => {
  const { rows } = await sql<Unsearchable>`
    select type, id, version, position, from_state as state from unsearchable_versions
    where brain_id = ${brainId} and index_version < ${indexVersion}
    order by position, type, id, version limit ${limit}`.execute(db)
  return rows
}

export const deleteUnsearchable = (tx: Queryable, brainId: number, { type, id, version }: Unsearchable) =>
  sql`delete from unsearchable_versions
    where brain_id = ${brainId} and type = ${type} and id = ${id} and version = ${version}`.execute(tx)

/** The numbers of Brains, of some, that have versions which other code could not index. */
export const brainsWithUntried = (narrow: NarrowBrains, indexVersion: number): RawBuilder<unknown> => sql`
  select distinct failed.brain_id from unsearchable_versions as failed
  where failed.index_version < ${indexVersion} and ${narrow(sql`failed.brain_id`)}`

/** Versions of a Brain that are live in a state and cannot be found, at most so many. */
export const selectUnsearchable = (brainId: number, state: number, limit: number) => sql<{
  type: ContentType
  id: string
}>`
  select type, id from unsearchable_versions
  where brain_id = ${brainId} and from_state <= ${state} and (to_state is null or to_state > ${state})
  order by position, type, id, version limit ${limit}`

/** Why a version cannot be found; null where it can. */
export const unsearchableReason = (
  type: ContentType,
  brainId: number,
  table: string,
): RawBuilder<string | null> => sql`(
  select reason from unsearchable_versions as failed where failed.brain_id = ${brainId} and failed.type = ${type}
    and failed.id = ${sql.ref(`${table}.id`)} and failed.version = ${sql.ref(`${table}.version`)})`
