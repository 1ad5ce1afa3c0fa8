import { type RawBuilder, sql } from 'kysely'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { NarrowBrains } from '../../brain/brain-turns/brain-turns.ts'

/** The vectors of one Brain in one space. */
export type Place = { brainId: number; space: string }

/** Brains with passages that were not looked at in a space, of some. */
export const brainsToEmbed = (narrow: NarrowBrains, space: string): RawBuilder<unknown> => sql`
  select head.brain_id, null::timestamptz as due
  from passage_progress as head
    join brains as brain on brain.brain_id = head.brain_id and brain.deleted_at is null
    left join vector_progress as known on known.brain_id = head.brain_id and known.space = ${space}
  where head.last_passage > coalesce(known.passage, 0) and ${narrow(sql`head.brain_id`)}`

/** Up to which passage a Brain's are embedded, and up to which there are any. */
export type Progress = { passage: number; lastPassage: number }

/** How far a Brain's passages are embedded in a space; none where the Brain is gone. */
export const openProgress = async (db: Queryable, brainId: number, space: string): Promise<Progress | undefined> => {
  const { rows } = await sql<Progress>`
    with opened as (
      insert into vector_progress (brain_id, space)
      select brain_id, ${space} from brains where brain_id = ${brainId} and deleted_at is null for key share
      on conflict (brain_id, space) do nothing returning passage),
    known as (
      select passage from vector_progress where brain_id = ${brainId} and space = ${space}
      union all select passage from opened)
    select known.passage, head.last_passage as "lastPassage"
    from known cross join passage_progress as head where head.brain_id = ${brainId}`.execute(db)
  return rows[0]
}

export type Embedded = { brainId: number; space: string; from: number; to: number }

/**
 * Stores vectors and moves on to the passage that they reach, in one statement. Tells how far the Brain's passages go, or
 * undefined where it is gone or another node moved on from here: then nothing is stored.
 */
export const insertVectors = async (
  db: Db,
  { brainId, space, from, to }: Embedded,
  vectors: ReadonlyMap<number, Int8Array>,
): Promise<Progress | undefined> => {
  const bytes = [...vectors.values()].map(({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length))
  const { rows } = await sql<Progress>`
    with brain as (select from brains where brain_id = ${brainId} and deleted_at is null for key share),
    moved as (
      update vector_progress set passage = ${to}
      where brain_id = ${brainId} and space = ${space} and passage = ${from} and exists (select from brain)
      returning passage),
    stored as (
      insert into passage_vectors (brain_id, space, passage, vector)
      select ${brainId}, ${space}, row.passage, row.vector
      from unnest(${[...vectors.keys()]}::bigint[], ${bytes}::bytea[]) as row (passage, vector)
      where exists (select from moved))
    select passage, (select last_passage from passage_progress where brain_id = ${brainId}) as "lastPassage"
    from moved`.execute(db)
  return rows[0]
}

/** How far a Brain's passages are embedded in a space; none where it has no passages. */
export const selectProgress = (brainId: number, space: string): RawBuilder<Progress> => sql`
  select coalesce((select passage from vector_progress where brain_id = ${brainId} and space = ${space}), 0) as passage,
    last_passage as "lastPassage"
  from passage_progress where brain_id = ${brainId}`

/** The vectors after a passage, one after the other, in the order of their passages; and how far the Brain is embedded. */
export const selectVectorsAfter = (
  brainId: number,
  space: string,
  { passage, limit }: { passage: number; limit: number },
): RawBuilder<{ passages: number[]; vectors: Buffer; progress: Progress }> => sql`
  select coalesce(json_agg(passage order by passage), '[]') as passages,
    coalesce(string_agg(vector, ''::bytea order by passage), '') as vectors,
    json_build_object(
      'passage', coalesce((select passage from vector_progress where brain_id = ${brainId} and space = ${space}), 0),
      'lastPassage', coalesce((select last_passage from passage_progress where brain_id = ${brainId}), 0)) as progress
  from (select passage, vector from passage_vectors
    where brain_id = ${brainId} and space = ${space} and passage > ${passage} order by passage limit ${limit}) as page`

/** The vectors of some passages, one after the other, in the order of their passages. */
export const selectVectors = (
  brainId: number,
  space: string,
  passages: readonly number[],
): RawBuilder<{ passages: number[]; vectors: Buffer }> => sql`
  select coalesce(json_agg(passage order by passage), '[]') as passages,
    coalesce(string_agg(vector, ''::bytea order by passage), '') as vectors
  from passage_vectors where brain_id = ${brainId} and space = ${space} and passage = any(${[...passages]}::bigint[])`

/** Notes that a space is in use. */
export const noteSpace = (db: Queryable, space: string, now: Date) =>
  sql`insert into vector_spaces (space, used_at) values (${space}, ${now})
    on conflict (space) do update set used_at = greatest(vector_spaces.used_at, excluded.used_at)`.execute(db)

/** Spaces that nobody used since. */
export const selectUnusedSpaces = async (db: Queryable, before: Date): Promise<string[]> => {
  const { rows } = await sql<{ space: string }>`select space from vector_spaces
    where used_at < ${before} order by space limit 100`.execute(db)
  return rows.map(({ space }) => space)
}

/** Brains that have vectors in a space. */
export const selectBrainsBySpace = async (db: Queryable, space: string, limit: number): Promise<number[]> => {
  const { rows } = await sql<{ brainId: number }>`select brain_id as "brainId" from vector_progress
    where space = ${space} order by brain_id limit ${limit}`.execute(db)
  return rows.map(({ brainId }) => brainId)
}

/** Deletes some vectors of a Brain in a space, and answers how many. */
export const deleteVectors = async (db: Queryable, brainId: number, space: string, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`delete from passage_vectors where brain_id = ${brainId} and space = ${space}
    and passage in (select passage from passage_vectors where brain_id = ${brainId} and space = ${space}
      order by passage limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

export const deleteProgress = (db: Queryable, brainId: number, space: string) =>
  sql`delete from vector_progress where brain_id = ${brainId} and space = ${space}`.execute(db)

export const deleteSpace = (db: Queryable, space: string, before: Date) =>
  sql`delete from vector_spaces where space = ${space} and used_at < ${before}`.execute(db)
