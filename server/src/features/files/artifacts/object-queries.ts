import { sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { BodyKey } from './body-queries.ts'

// Bodies whose bytes are objects of a store.

/** The objects of a body: their size but for the last, and how many there may be. */
export type BodyObjects = BodyKey & { partBytes: number; parts: number }

/** Says that a body has objects, before the first is written. */
export const insertObjects = (
  tx: Queryable,
  { organizationId, id, partBytes, isCopy }: BodyKey & { partBytes: number; isCopy: boolean },
) =>
  sql`insert into artifact_objects (organization_id, body_id, part_bytes, is_copy)
    values (${organizationId}, ${id}, ${partBytes}, ${isCopy}) on conflict do nothing`.execute(tx)

/** Says that an arriving body has one more object, before it is written. False if the body is erased. */
export const addPart = async (db: Queryable, { organizationId, id }: BodyKey, parts: number): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    update artifact_objects set parts = greatest(parts, ${parts}::integer)
    where organization_id = ${organizationId} and body_id = ${id} and exists (
      select 1 from artifact_bodies where organization_id = ${organizationId} and id = ${id} for key share)`.execute(db)
  return numAffectedRows === 1n
}

/** The objects of a body; undefined if its bytes are in PostgreSQL, or it is gone. */
export const findObjects = async (
  db: Queryable,
  { organizationId, id }: BodyKey,
): Promise<(BodyObjects & { isCopy: boolean }) | undefined> => {
  const { rows } = await sql<BodyObjects & { isCopy: boolean }>`
    select organization_id as "organizationId", body_id as id, part_bytes as "partBytes", parts, is_copy as "isCopy"
    from artifact_objects where organization_id = ${organizationId} and body_id = ${id}`.execute(db)
  return rows[0]
}

/** Removes the record of objects that are deleted. */
export const deleteObjects = (db: Queryable, { organizationId, id }: BodyKey) =>
  sql`delete from artifact_objects where organization_id = ${organizationId} and body_id = ${id}`.execute(db)

/** Puts off the erasing of a body. */
export const postponeBody = (db: Queryable, { organizationId, id }: BodyKey, eraseAt: Date) =>
  sql`update artifact_bodies set erase_at = ${eraseAt}
    where organization_id = ${organizationId} and id = ${id} and erase_at is not null`.execute(db)

/** Some bodies with objects of an organization, and whether each is still arriving. */
export const selectOrganizationObjects = async (
  db: Queryable,
  { organizationId, now, limit }: { organizationId: string; now: Date; limit: number },
): Promise<(BodyKey & { isArriving: boolean })[]> => {
  const { rows } = await sql<BodyKey & { isArriving: boolean }>`
    select objects.organization_id as "organizationId", objects.body_id as id, coalesce(body.erase_at > ${now}, false) as "isArriving"
    from artifact_objects as objects left join artifact_bodies as body
      on body.organization_id = objects.organization_id and body.id = objects.body_id
    where objects.organization_id = ${organizationId} order by "isArriving", objects.body_id limit ${limit}`.execute(db)
  return rows
}

/** Some objects whose body is gone: a node of the version before, which does not know of objects, erased it. */
export const selectLostObjects = async (db: Queryable, limit: number): Promise<BodyKey[]> => {
  const { rows } = await sql<BodyKey>`
    select organization_id as "organizationId", body_id as id from artifact_objects as objects
    where not exists (select 1 from artifact_bodies as body
      where body.organization_id = objects.organization_id and body.id = objects.body_id)
    order by organization_id, body_id limit ${limit}`.execute(db)
  return rows
}

/** The body of a version. */
type VersionBody = { artifactId: string; version: number; id: string; bytes: number }

/** A page of the bodies of all versions of an organization's files. */
export const selectVersionBodies = async (
  db: Queryable,
  {
    organizationId,
    after,
    limit,
  }: { organizationId: string; after: { artifactId: string; version: number }; limit: number },
): Promise<VersionBody[]> => {
  const { rows } = await sql<VersionBody>`
    select artifact_id as "artifactId", version, body_id as id, bytes from artifact_versions
    where organization_id = ${organizationId} and (artifact_id, version) > (${after.artifactId}, ${after.version}::integer)
    order by artifact_id, version limit ${limit}`.execute(db)
  return rows
}

/** Locks a kept body until the transaction ends. False if it is gone or being erased. */
export const lockKeptBody = async (tx: Tx, { organizationId, id }: BodyKey): Promise<boolean> => {
  const { rows } = await sql`select from artifact_bodies
    where organization_id = ${organizationId} and id = ${id} and erase_at is null for update`.execute(tx)
  return rows.length > 0
}

/** Says where the whole bytes of a body are: only in the store, or also in PostgreSQL. */
export const markCopy = (tx: Tx, { organizationId, id }: BodyKey, isCopy: boolean) =>
  sql`update artifact_objects set is_copy = ${isCopy}
    where organization_id = ${organizationId} and body_id = ${id}`.execute(tx)

/** A page of the kept bodies whose bytes are in PostgreSQL, or in the store. */
export const selectKeptBodies = async (
  db: Queryable,
  { from, after, limit }: { from: 'database' | 'store'; after: BodyKey; limit: number },
): Promise<(BodyKey & { bytes: number })[]> => {
  const isStored = sql`exists (select 1 from artifact_objects as objects where objects.organization_id = body.organization_id
    and objects.body_id = body.id ${from === 'database' ? sql`and not objects.is_copy` : sql``})`
  const { rows } = await sql<BodyKey & { bytes: number }>`
    select organization_id as "organizationId", id, bytes from artifact_bodies as body
    where erase_at is null and bytes > 0 and (organization_id, id) > (${after.organizationId}, ${after.id})
      and ${from === 'database' ? sql`not ${isStored}` : isStored}
    order by organization_id, id limit ${limit}`.execute(db)
  return rows
}

/** Adds a chunk of a kept body that moves into PostgreSQL, unless it is there or the body is being erased. */
export const insertMovedChunk = (
  db: Queryable,
  { organizationId, id, number, bytes }: BodyKey & { number: number; bytes: Buffer },
) =>
  sql`
    insert into artifact_chunks (organization_id, body_id, number, bytes)
    select organization_id, id, ${number}::integer, ${bytes}::bytea from artifact_bodies
    where organization_id = ${organizationId} and id = ${id} and erase_at is null for key share
    on conflict do nothing`.execute(db)
