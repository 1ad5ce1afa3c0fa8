import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { Place } from './queries.ts'

// What is asked of the extension pgvector. Its names are written with the schema that it is in, which need not be searched.

const prefix = 'passage_vectors_hnsw_'

/** The name of the index over a Brain's vectors in a space. */
export const indexName = ({ brainId, space }: Place): string =>
  `${prefix}${brainId}_${createHash('sha256').update(space).digest('hex').slice(0, 16)}`

/** The Brain that an index is of, by its name. */
export const parseIndexBrain = (name: string): number => Number(name.slice(prefix.length).split('_')[0])

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

const lockNumber = 4_100_002

/** Adds the extension to the database. Nodes that start together take turns. */
export const createExtension = async (tx: Tx): Promise<void> => {
  await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(tx)
  await sql`create extension if not exists vector`.execute(tx)
}

const functionName = (dimensions: number) => `passage_halfvec_${dimensions}`

/**
 * Makes the function by which stored bytes of so many dimensions are a vector to pgvector. PostgreSQL calls it for each
 * vector that is added and, once more, for each that is found: so it names every byte, which takes a fourth of the time
 * of counting through them. The cost tells the planner that sorting a Brain is never cheaper than its index.
 */
export const createVectorFunction = async (tx: Tx, schema: string, dimensions: number): Promise<void> => {
  const name = functionName(dimensions)
  const { rows } = await sql`select where to_regproc(${name}) is not null`.execute(tx)
  if (rows.length > 0) return
  // One signed byte for each number. PostgreSQL turns the list into what is returned, whatever names are searched.
  const numbers = Array.from({ length: dimensions }, (_, axis) => `(get_byte(vector,${axis})#128)-128`)
  await sql`create function ${sql.id(name)}(vector bytea) returns ${sql.id(schema, 'halfvec')}
    language plpgsql immutable strict parallel safe cost 10000
    as ${sql.lit(`begin return array[${numbers.join()}]; end`)}`.execute(tx)
}

/** Indexes of Brains' vectors, and whether each is whole. */
export const selectIndexes: RawBuilder<{ name: string; isValid: boolean }> = sql`
  select relname as name, indisvalid as "isValid" from pg_index join pg_class on pg_class.oid = indexrelid
  where indrelid = 'passage_vectors'::regclass and starts_with(relname, ${prefix}) order by relname`

/** In which spaces live Brains have vectors, of some Brains. */
export const selectPlaces = async (db: Queryable, brainIds: readonly number[]): Promise<Place[]> => {
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

const halfvec = (schema: string, dimensions: number) => sql`${sql.id(schema, 'halfvec')}(${sql.lit(dimensions)})`

/** What indexes are of, and what is asked of them must be written alike. */
const indexedVector = (schema: string, dimensions: number) =>
  sql`${sql.id(functionName(dimensions))}(vector)::${halfvec(schema, dimensions)}`

/** The statement that builds an index without holding up writers. It must run outside a transaction. */
export const buildIndex = (place: Place & { dimensions: number }, schema: string): RawBuilder<unknown> =>
  sql`create index concurrently if not exists ${sql.id(indexName(place))} on passage_vectors
    using hnsw ((${indexedVector(schema, place.dimensions)}) ${sql.id(schema, 'halfvec_cosine_ops')})
    where brain_id = ${sql.lit(place.brainId)} and space = ${sql.lit(place.space)}`

/** The statement that drops an index without holding up anybody. It must run outside a transaction. */
export const dropIndex = (name: string): RawBuilder<unknown> => sql`drop index concurrently if exists ${sql.id(name)}`

/** Settings by which a search keeps so many vectors in view, and goes on until it has found what is wanted. */
export const searchSettings = (view: number, maxScanned: number): RawBuilder<unknown>[] => [
  sql`set local hnsw.ef_search = ${sql.lit(view)}`,
  sql`set local hnsw.iterative_scan = relaxed_order`,
  sql`set local hnsw.max_scan_tuples = ${sql.lit(maxScanned)}`,
]

/** The vectors that the index of a place finds nearest to one, about in that order; none where the index has gone. */
export const selectNearest = (
  place: Place,
  { schema, vector, limit }: { schema: string; vector: Float32Array; limit: number },
): RawBuilder<{ passage: number; vector: Buffer }> =>
  // All is written out: a plan that is made for any Brain could not use the index of one, and settings allow no parameters.
  sql`select passage, vector from passage_vectors
    where brain_id = ${sql.lit(place.brainId)} and space = ${sql.lit(place.space)}
      and exists (select from pg_index where indexrelid = to_regclass(${sql.lit(indexName(place))}) and indisvalid)
    order by ${indexedVector(schema, vector.length)} operator(${sql.id(schema)}.<=>)
      ${sql.lit(`[${vector.join()}]`)}::${halfvec(schema, vector.length)}
    limit ${sql.lit(limit)}`
