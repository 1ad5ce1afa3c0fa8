import { CompiledQuery, sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { defineStatement, runStatement } from '../../../storage/statements.ts'
import { ownedTogether, toDay } from '../../kernel/usage/usage-queries.ts'

// The bytes of files: bodies, their chunks, and the usage that they count for.

/** A body by its id. */
export type BodyKey = { organizationId: string; id: string }

/** The usage of an account: bytes that its organizations keep, and that arrived today; and the bodies of this organization. */
export type ArtifactUsage = { bytes: number; dayBytes: number; bodies: number }

export const selectArtifactUsage = async (db: Queryable, organizationId: string, now: Date): Promise<ArtifactUsage> => {
  const { rows } = await sql<ArtifactUsage>`
    select coalesce(sum(bytes), 0)::bigint as bytes,
      coalesce(sum(day_bytes) filter (where day = ${toDay(now)}::date), 0)::bigint as "dayBytes",
      coalesce(sum(bodies) filter (where organization_id = ${organizationId}), 0)::bigint as bodies
    from artifact_usage where organization_id in ${ownedTogether(sql`${organizationId}::text`)}`.execute(db)
  return rows[0] ?? { bytes: 0, dayBytes: 0, bodies: 0 }
}

/** Adds a body, or more bytes to one that is arriving. It is erased at a time unless a version takes it. */
export const reserveBody = (
  tx: Tx,
  { organizationId, id, bytes, eraseAt, now }: BodyKey & { bytes: number; eraseAt: Date; now: Date },
) =>
  sql`
  with body as (
    insert into artifact_bodies (organization_id, id, bytes, erase_at)
    values (${organizationId}, ${id}, ${bytes}, ${eraseAt})
    on conflict (organization_id, id) do update set bytes = artifact_bodies.bytes + excluded.bytes
    returning (xmax = 0)::integer as added)
  insert into artifact_usage (organization_id, bytes, bodies, day, day_bytes)
  select ${organizationId}, ${bytes}, added, ${toDay(now)}::date, ${bytes} from body
  on conflict (organization_id) do update set bytes = artifact_usage.bytes + excluded.bytes,
    bodies = artifact_usage.bodies + excluded.bodies, day = excluded.day,
    day_bytes = excluded.day_bytes + case when artifact_usage.day = excluded.day then artifact_usage.day_bytes else 0 end`.execute(
    tx,
  )

type Chunk = BodyKey & { number: number }

const chunkInsertion = defineStatement(
  ({ organizationId, id, number, bytes }: Chunk & { bytes: Buffer }) => sql<object>`
    insert into artifact_chunks (organization_id, body_id, number, bytes)
    select organization_id, id, ${number}::integer, ${bytes}::bytea from artifact_bodies
    where organization_id = ${organizationId} and id = ${id} and erase_at is not null for key share`,
  { hasBytes: true },
)

/** Adds a chunk of a body that is arriving. False if the body is erased. */
export const insertChunk = async (db: Queryable, chunk: Chunk & { bytes: Buffer }): Promise<boolean> => {
  const { text, values } = chunkInsertion(chunk)
  const { numAffectedRows } = await db.executeQuery(CompiledQuery.raw(text, [...values]))
  return numAffectedRows === 1n
}

/** Sets the true size of a body that has arrived, or of a part that did. A kept body is not erased. */
export const settleBody = async (
  tx: Queryable,
  { organizationId, id, bytes, eraseAt }: BodyKey & { bytes: number; eraseAt: Date | null },
): Promise<boolean> => {
  const { rows } = await sql`
    with former as (
      select bytes from artifact_bodies
      where organization_id = ${organizationId} and id = ${id} and erase_at is not null for update),
    body as (
      update artifact_bodies set bytes = ${bytes}, erase_at = ${eraseAt} from former
      where organization_id = ${organizationId} and id = ${id})
    update artifact_usage as usage set bytes = usage.bytes - former.bytes + ${bytes}::bigint,
      day_bytes = greatest(usage.day_bytes - former.bytes + ${bytes}::bigint, 0)
    from former where organization_id = ${organizationId} returning 1`.execute(tx)
  return rows.length === 1
}

/** Has bodies erased from a time on. */
export const releaseBodies = (tx: Tx, organizationId: string, ids: readonly string[], eraseAt: Date) =>
  sql`update artifact_bodies set erase_at = ${eraseAt}
    where organization_id = ${organizationId} and id = any(${ids}::text[])`.execute(tx)

/** Bodies that are due to be erased, some of many: all, or those in the store of objects or not. */
export const selectDueBodies = async (
  db: Queryable,
  now: Date,
  { limit, isStored }: { limit: number; isStored: boolean | undefined },
): Promise<BodyKey[]> => {
  const hasObjects = sql`exists (select 1 from artifact_objects as objects
    where objects.organization_id = body.organization_id and objects.body_id = body.id)`
  const isIncluded = isStored === undefined ? sql`true` : sql`${hasObjects} = ${isStored}`
  const { rows } = await sql<BodyKey>`
    select organization_id as "organizationId", id from artifact_bodies as body
    where erase_at <= ${now} and ${isIncluded} order by erase_at, organization_id, id limit ${limit}`.execute(db)
  return rows
}

/** Deletes some chunks of a body, and answers how many. */
export const deleteChunks = async (
  db: Queryable,
  { organizationId, id, limit }: BodyKey & { limit: number },
): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from artifact_chunks where organization_id = ${organizationId} and body_id = ${id} and number in (
      select number from artifact_chunks where organization_id = ${organizationId} and body_id = ${id}
      order by number limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** Deletes a body that is due, with chunks that arrived meanwhile, and gives back what it counted as. */
export const deleteBody = async (tx: Tx, { organizationId, id }: BodyKey): Promise<void> => {
  const { rows } = await sql<{ bytes: number }>`
    delete from artifact_bodies where organization_id = ${organizationId} and id = ${id} and erase_at is not null
    returning bytes`.execute(tx)
  const [body] = rows
  if (!body) return
  await sql`delete from artifact_chunks where organization_id = ${organizationId} and body_id = ${id}`.execute(tx)
  await sql`update artifact_usage set bytes = bytes - ${body.bytes}, bodies = bodies - 1
    where organization_id = ${organizationId}`.execute(tx)
}

const chunkSelection = defineStatement(
  ({ organizationId, id, number }: Chunk) => sql<{ bytes: Buffer }>`
    select bytes from artifact_chunks
    where organization_id = ${organizationId} and body_id = ${id} and number = ${number}`,
  { hasBytes: true },
)

/** A chunk of a body; undefined if there is none. */
export const selectChunk = async (db: Queryable, chunk: Chunk): Promise<Buffer | undefined> =>
  (await runStatement(db, chunkSelection(chunk)))[0]?.bytes
