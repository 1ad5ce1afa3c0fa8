import { type RawBuilder, sql } from 'kysely'
import type { Db, Queryable } from '../../../storage/database.ts'
import { defineStatement } from '../../../storage/statements.ts'
import type { NarrowBrains } from '../../kernel/leases/lease-queries.ts'
import type { EmbedderSource } from '../embedding/types.ts'
import type { BrainSpace } from './queries.ts'

// The spaces that exist, the target space of all Brains, and the space that answers each Brain.

/** The space that was claimed last: of two that were claimed at once, all nodes choose the same. */
const target = sql`select space from vector_spaces where generation > 0 order by generation desc, space limit 1`

export type Claim = { space: string; now: Date; source: EmbedderSource; probe: Buffer | undefined }

/** Claims a space as the target. */
export const claimSpace = (db: Queryable, { space, now, source, probe }: Claim) =>
  sql`insert into vector_spaces (space, used_at, generation, source, probe)
    select ${space}, ${now}, coalesce(max(generation), 0) + 1, ${JSON.stringify(source)}::json, ${probe ?? null}::bytea
    from vector_spaces
    on conflict (space) do update set used_at = greatest(vector_spaces.used_at, excluded.used_at),
      source = excluded.source, probe = coalesce(excluded.probe, vector_spaces.probe),
      generation = case when vector_spaces.generation = excluded.generation - 1
        then vector_spaces.generation else excluded.generation end`.execute(db)

/** Records that a node works in a space. */
export const recordSpaceUse = (db: Queryable, space: string, now: Date) =>
  sql`update vector_spaces set used_at = greatest(used_at, ${now}) where space = ${space}`.execute(db)

/** The target space, and when a node last worked in it. */
export const selectTarget: RawBuilder<{ space: string; usedAt: Date }> = sql`
  select space, used_at as "usedAt" from vector_spaces where space = (${target})`

/** The source of a space's vectors, as a node described it, and its vector of the probe. */
export const selectSource = async (db: Queryable, space: string) => {
  const { rows } = await sql<{ source: unknown; probe: Buffer | null }>`
    select source, probe from vector_spaces where space = ${space}`.execute(db)
  return rows[0]
}

/** Brains that lack vectors in the target space, or do not answer by it yet; of some. */
export const brainsToEmbed = (narrow: NarrowBrains, space: string): RawBuilder<unknown> => sql`
  select head.brain_id, null::timestamptz as due
  from passage_progress as head
    join brains as brain on brain.brain_id = head.brain_id and brain.deleted_at is null and ${narrow(sql`brain.brain_id`)}
    left join vector_progress as progress on progress.brain_id = head.brain_id and progress.space = ${space}
      and ${narrow(sql`progress.brain_id`)}
    left join answering_spaces as answering on answering.brain_id = head.brain_id
      and ${narrow(sql`answering.brain_id`)}
  where head.last_passage > 0
    and (head.last_passage > coalesce(progress.passage, 0) or answering.space is distinct from ${space})
    and ${narrow(sql`head.brain_id`)}`

/** Brains that answer by another space than the target, and lack vectors there; of some. */
export const brainsToKeep = (narrow: NarrowBrains, space: string): RawBuilder<unknown> => sql`
  select head.brain_id, null::timestamptz as due
  from answering_spaces as answering
    join passage_progress as head on head.brain_id = answering.brain_id and ${narrow(sql`head.brain_id`)}
    join brains as brain on brain.brain_id = head.brain_id and brain.deleted_at is null and ${narrow(sql`brain.brain_id`)}
    left join vector_progress as progress on progress.brain_id = head.brain_id and progress.space = ${space}
      and ${narrow(sql`progress.brain_id`)}
  where answering.space = ${space} and head.last_passage > coalesce(progress.passage, 0)
    and ${narrow(sql`answering.brain_id`)}`

/** The space that answers a Brain, if one does already, and the target space. */
export const selectAnswering = defineStatement(
  ({ brainId }: { brainId: number }) => sql<{ answering: string | null; target: string | null }>`
  select (select space from answering_spaces where brain_id = ${brainId}) as answering, (${target}) as target`,
)

/**
 * Lets a Brain answer by a space, in one statement: if the space is the target and all passages have their vectors, or no space
 * answers yet.
 */
export const switchSpace = (db: Db, { brainId, space }: BrainSpace, now: Date) =>
  sql`insert into answering_spaces (brain_id, space, since)
    select progress.brain_id, progress.space, ${now}
    from vector_progress as progress
      join passage_progress as head on head.brain_id = progress.brain_id
      join (select brain_id from brains where brain_id = ${brainId} and deleted_at is null for key share) as brain
        on brain.brain_id = progress.brain_id
    where progress.brain_id = ${brainId} and progress.space = ${space} and progress.space = (${target})
      and (progress.passage >= head.last_passage
        or not exists (select 1 from answering_spaces where brain_id = ${brainId}))
    on conflict (brain_id) do update set space = excluded.space, since = excluded.since
      where answering_spaces.space <> excluded.space`.execute(db)

/** Spaces that no node worked in since a time, except the target. */
export const selectUnusedSpaces = async (db: Queryable, before: Date): Promise<string[]> => {
  const { rows } = await sql<{ space: string }>`select space from vector_spaces
    where used_at < ${before} and space is distinct from (${target}) order by space limit 100`.execute(db)
  return rows.map(({ space }) => space)
}

/** Brains, by number, that have vectors in a space and have answered by another since before a time. */
export const selectLeftBrains = async (
  db: Queryable,
  space: string,
  { before, after, limit }: { before: Date; after: number; limit: number },
): Promise<number[]> => {
  const { rows } = await sql<{ brainId: number }>`
    select progress.brain_id as "brainId" from vector_progress as progress
      join answering_spaces as answering on answering.brain_id = progress.brain_id
    where progress.space = ${space} and progress.brain_id > ${after}
      and answering.space <> ${space} and answering.since < ${before}
    order by progress.brain_id limit ${limit}`.execute(db)
  return rows.map(({ brainId }) => brainId)
}

/** Deletes some vectors of a Brain in a space, and returns their number. */
export const deleteVectors = async (db: Queryable, { brainId, space }: BrainSpace, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`delete from passage_vectors where brain_id = ${brainId} and space = ${space}
    and passage in (select passage from passage_vectors where brain_id = ${brainId} and space = ${space}
      order by passage limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

export const deleteProgress = (db: Queryable, { brainId, space }: BrainSpace) =>
  sql`delete from vector_progress where brain_id = ${brainId} and space = ${space}`.execute(db)

/** Deletes a space that no node works in and no Brain has vectors in. */
export const deleteSpace = (db: Queryable, space: string, before: Date) =>
  sql`delete from vector_spaces where space = ${space} and used_at < ${before} and space is distinct from (${target})
    and not exists (select 1 from vector_progress where space = ${space})
    and not exists (select 1 from answering_spaces where space = ${space})`.execute(db)
