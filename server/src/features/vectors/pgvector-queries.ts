import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable, Tx } from '../../storage/database.ts'

// What is asked of the extension pgvector. Its names are written with the schema that it is in, which need not be searched.

/** The vectors of one Brain in one space. */
export type Place = { brainId: number; space: string }

const prefix = 'passage_vectors_hnsw_'

/** The name of the index over a Brain's vectors in a space. */
export const indexName = ({ brainId, space }: Place): string =>
  `${prefix}${brainId}_${createHash('sha256').update(space).digest('hex').slice(0, 16)}`

/** The Brain that an index is of, by its name. */
export const brainOfIndex = (name: string): number => Number(name.slice(prefix.length).split('_')[0])

/** Where the extension is, and in which version; undefined where the database does not have it. */
export const selectExtension = async (db: Queryable) => {
  const { rows } = await sql<{ schema: string; version: string }>`
    select nspname as schema, extversion as version from pg_extension join pg_namespace as place on place.oid = extnamespace
    where extname = 'vector'`.execute(db)
  return rows[0]
}

/** Whether the extension could be added to the database. */
export const isExtensionAvailable = async (db: Queryable): Promise<boolean> =>
  (await sql`select from pg_available_extensions where name = 'vector'`.execute(db)).rows.length > 0

/** Adds the extension to the database. Nodes that start together take turns, here and below. */
export const createExtension = async (tx: Tx): Promise<void> => {
  await sql`create extension if not exists vector`.execute(tx)
}

const lockNumber = 4_100_002

/** Waits for other nodes that prepare the database; the transaction's end lets the next one go on. */
export const lockPreparation = async (tx: Tx): Promise<void> => {
  await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(tx)
}

/**
 * Makes the function by which stored bytes are a vector to pgvector. Its body is bound to what it names as it is made, so
 * it does the same whatever is searched for names (PostgreSQL 17 builds indexes under a path of its own). The cost tells
 * the planner that sorting all vectors of a Brain is never cheaper than its index.
 */
export const createVectorFunction = async (tx: Tx, schema: string): Promise<void> => {
  const { rows } = await sql`select where to_regproc('passage_halfvec') is not null`.execute(tx)
  if (rows.length > 0) return
  const halfvec = sql.id(schema, 'halfvec')
  await sql`create function passage_halfvec(vector bytea) returns ${halfvec}
    language sql immutable strict parallel safe cost 10000
    return array(select (get_byte(vector, axis) # 128) - 128 from generate_series(0, length(vector) - 1) as axis)::${halfvec}`.execute(
    tx,
  )
}

/** Indexes of Brains' vectors, and whether each is whole. */
export const selectIndexes: RawBuilder<{ name: string; isValid: boolean }> = sql`
  select relname as name, indisvalid as "isValid" from pg_index join pg_class on pg_class.oid = indexrelid
  where indrelid = 'passage_vectors'::regclass and starts_with(relname, ${prefix}) order by relname`

/** In which spaces live Brains have vectors, of some Brains. */
export const selectPlacesOf = async (db: Queryable, brainIds: readonly number[]): Promise<Place[]> => {
  const { rows } = await sql<Place>`
    select progress.brain_id as "brainId", space from vector_progress as progress
      join brains as brain on brain.brain_id = progress.brain_id and brain.deleted_at is null
    where progress.brain_id = any(${[...brainIds]}::bigint[]) order by 1, 2`.execute(db)
  return rows
}

/** Live Brains that may have so many vectors in a space, the largest first. */
export const selectPerhapsLarge = async (
  db: Queryable,
  space: string,
  { vectors, limit }: { vectors: number; limit: number },
): Promise<Place[]> => {
  // Passages count up from 1, so the number of the last one is no less than how many there are.
  const { rows } = await sql<Place>`
    select progress.brain_id as "brainId", space from vector_progress as progress
      join brains as brain on brain.brain_id = progress.brain_id and brain.deleted_at is null
    where space = ${space} and passage >= ${vectors} order by passage desc, progress.brain_id limit ${limit}`.execute(
    db,
  )
  return rows
}

/** How many numbers the vectors of a place have; undefined where there are not so many vectors. */
export const selectDimensions = async (
  db: Queryable,
  { brainId, space }: Place,
  vectors: number,
): Promise<number | undefined> => {
  const { rows } = await sql<{ dimensions: number }>`
    select length(vector) as dimensions from passage_vectors
    where brain_id = ${brainId} and space = ${space} and passage = (select passage from passage_vectors
      where brain_id = ${brainId} and space = ${space} order by passage offset ${vectors - 1} limit 1)`.execute(db)
  return rows[0]?.dimensions
}

const halfvecOf = (schema: string, dimensions: number) => sql`${sql.id(schema, 'halfvec')}(${sql.lit(dimensions)})`

/** The statement that builds an index without holding up writers. It must run outside a transaction. */
export const buildIndex = (place: Place & { dimensions: number }, schema: string): RawBuilder<unknown> =>
  sql`create index concurrently if not exists ${sql.id(indexName(place))} on passage_vectors
    using hnsw ((passage_halfvec(vector)::${halfvecOf(schema, place.dimensions)}) ${sql.id(schema, 'halfvec_cosine_ops')})
    where brain_id = ${sql.lit(place.brainId)} and space = ${sql.lit(place.space)}`

/** The statement that drops an index without holding up anybody. It must run outside a transaction. */
export const dropIndex = (name: string): RawBuilder<unknown> => sql`drop index concurrently if exists ${sql.id(name)}`

/** How far an index is searched: `list` is what is kept in view, `most` what may be looked at in all. */
export type Reach = { list: number; most: number }

/** Sets how far indexes are searched in this transaction, and tells whether an index is there to be searched. */
export const reachIndex = async (tx: Tx, name: string, { list, most }: Reach): Promise<boolean> => {
  const { rows } = await sql<{ isReady: boolean }>`
    select set_config('hnsw.ef_search', ${String(list)}, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
      set_config('hnsw.max_scan_tuples', ${String(most)}, true),
      exists (select from pg_index where indexrelid = to_regclass(${name}) and indisvalid) as "isReady"`.execute(tx)
  return rows[0]?.isReady ?? false
}

/** The passages that the index of a place finds nearest to a vector, about in that order. */
export const selectNearest = async (
  tx: Tx,
  { brainId, space }: Place,
  { schema, vector, limit }: { schema: string; vector: Float32Array; limit: number },
): Promise<number[]> => {
  const halfvec = halfvecOf(schema, vector.length)
  // The place is written out: a plan that is made for any place could not use the index of one.
  const { rows } = await sql<{ passage: number }>`select passage from passage_vectors
    where brain_id = ${sql.lit(brainId)} and space = ${sql.lit(space)}
    order by passage_halfvec(vector)::${halfvec} operator(${sql.id(schema)}.<=>) ${`[${vector.join(',')}]`}::${halfvec}
    limit ${limit}`.execute(tx)
  return rows.map(({ passage }) => passage)
}
