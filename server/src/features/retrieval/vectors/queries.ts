import { sql } from 'kysely'
import type { Db, Queryable } from '../../../storage/database.ts'
import { defineStatement } from '../../../storage/statements.ts'

/** A Brain and a space: the key of a set of vectors. */
export type BrainSpace = { brainId: number; space: string }

/** The last passage of a Brain that is embedded, and the last passage. */
export type Progress = { passage: number; lastPassage: number }

/** Reads the progress of a Brain's passages in a space; undefined if the Brain was deleted. */
export const openProgress = async (db: Queryable, brainId: number, space: string): Promise<Progress | undefined> => {
  const { rows } = await sql<Progress>`
    with opened as (
      insert into vector_progress (brain_id, space)
      select brain_id, ${space} from brains where brain_id = ${brainId} and deleted_at is null for key share
      on conflict (brain_id, space) do nothing returning passage),
    present as (
      select passage from vector_progress where brain_id = ${brainId} and space = ${space}
      union all select passage from opened)
    select present.passage, head.last_passage as "lastPassage"
    from present cross join passage_progress as head where head.brain_id = ${brainId}`.execute(db)
  return rows[0]
}

export type Embedded = { brainId: number; space: string; from: number; to: number }

/**
 * Stores vectors and advances the progress to the passage that they reach, in one statement. Returns the Brain's progress, or
 * undefined where it was deleted or another node advanced it meanwhile: then nothing is stored.
 */
export const insertVectors = async (
  db: Db,
  { brainId, space, from, to }: Embedded,
  vectors: ReadonlyMap<number, Int8Array>,
): Promise<Progress | undefined> => {
  const bytes = [...vectors.values()].map(({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length))
  const { rows } = await sql<Progress>`
    with brain as (select brain_id from brains where brain_id = ${brainId} and deleted_at is null for key share),
    moved as (
      update vector_progress set passage = ${to}
      where brain_id = ${brainId} and space = ${space} and passage = ${from} and exists (select 1 from brain)
      returning passage),
    stored as (
      insert into passage_vectors (brain_id, space, passage, vector)
      select ${brainId}, ${space}, row.passage, row.vector
      from unnest(${[...vectors.keys()]}::bigint[], ${bytes}::bytea[]) as row (passage, vector)
      where exists (select 1 from moved))
    select passage, (select last_passage from passage_progress where brain_id = ${brainId}) as "lastPassage"
    from moved`.execute(db)
  return rows[0]
}

/** Selects the progress of a Brain's passages in a space; no row if it has no passages. */
export const selectProgress = defineStatement(
  ({ brainId, space }: BrainSpace) => sql<Progress>`
  select coalesce((select passage from vector_progress where brain_id = ${brainId} and space = ${space}), 0) as passage,
    last_passage as "lastPassage"
  from passage_progress where brain_id = ${brainId}`,
)

/** Passages and their vectors, one after the other. */
type VectorPage = { passages: number[]; vectors: Buffer }

/** The vectors after a passage, one after the other, in the order of their passages; and how far the Brain is embedded. */
export const selectVectorsAfter = defineStatement(
  ({ brainId, space, passage, limit }: BrainSpace & { passage: number; limit: number }) => sql<
    VectorPage & { progress: Progress }
  >`
  select coalesce(json_agg(passage order by passage), '[]') as passages,
    coalesce(string_agg(vector, ''::bytea order by passage), '') as vectors,
    json_build_object(
      'passage', coalesce((select passage from vector_progress where brain_id = ${brainId} and space = ${space}), 0),
      'lastPassage', coalesce((select last_passage from passage_progress where brain_id = ${brainId}), 0)) as progress
  from (select passage, vector from passage_vectors
    where brain_id = ${brainId} and space = ${space} and passage > ${passage} order by passage limit ${limit}) as page`,
)

/** The vectors of some passages, one after the other, in the order of their passages. */
export const selectVectors = defineStatement(
  ({ brainId, space, passages }: BrainSpace & { passages: readonly number[] }) => sql<VectorPage>`
  select coalesce(json_agg(passage order by passage), '[]') as passages,
    coalesce(string_agg(vector, ''::bytea order by passage), '') as vectors
  from passage_vectors where brain_id = ${brainId} and space = ${space} and passage = any(${passages}::bigint[])`,
)
