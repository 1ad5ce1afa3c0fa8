import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { BrainSpace } from './queries.ts'

// Statements for the extension pgvector. Its names include its schema, which need not be in the search path.

const prefix = 'passage_vectors_hnsw_'

/** The name of the index over a Brain's vectors in a space. */
export const indexName = ({ brainId, space }: BrainSpace): string =>
  `${prefix}${brainId}_${createHash('sha256').update(space).digest('hex').slice(0, 16)}`

/** The Brain that an index is of, by its name. */
export const parseIndexBrain = (name: string): number => Number(name.slice(prefix.length).split('_')[0])

/** The schema and version of the extension; undefined where the database does not have it. */
export const selectExtension = async (db: Queryable) => {
  const { rows } = await sql<{ schema: string; version: string }>`
    select nspname as schema, extversion as version from pg_extension join pg_namespace as namespace on namespace.oid = extnamespace
    where extname = 'vector'`.execute(db)
  return rows[0]
}

/** Checks whether the extension could be added to the database. */
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
 * Creates the function that makes a vector of pgvector of stored bytes of so many dimensions. PostgreSQL calls it for each vector
 * that is added and again for each that is found: so it names every byte, which takes a fourth of the time of a loop. Its cost
 * makes sorting a Brain more expensive than its index for the planner.
 */
export const createVectorFunction = async (tx: Tx, schema: string, dimensions: number): Promise<void> => {
  const name = functionName(dimensions)
  const { rows } = await sql`select where to_regproc(${name}) is not null`.execute(tx)
  if (rows.length > 0) return
  // One signed byte for each number. PostgreSQL casts the list to the returned type, whatever the search path.
  const numbers = Array.from({ length: dimensions }, (_, axis) => `(get_byte(vector,${axis})#128)-128`)
  await sql`create function ${sql.id(name)}(vector bytea) returns ${sql.id(schema, 'halfvec')}
    language plpgsql immutable strict parallel safe cost 10000
    as ${sql.lit(`begin return array[${numbers.join()}]; end`)}`.execute(tx)
}

/** The indexes of Brains' vectors, and whether each is valid. */
export const selectIndexes: RawBuilder<{ name: string; isValid: boolean }> = sql`
  select relname as name, indisvalid as "isValid" from pg_index join pg_class on pg_class.oid = indexrelid
  where indrelid = 'passage_vectors'::regclass and starts_with(relname, ${prefix}) order by relname`

/** The spaces in which live Brains have vectors, of some Brains. */
export const selectSpaces = async (db: Queryable, brainIds: readonly number[]): Promise<BrainSpace[]> => {
  const { rows } = await sql<BrainSpace>`
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
): Promise<BrainSpace[]> => {
  // Passages count up from 1, so the number of the last one is at least their count.
  const { rows } = await sql<BrainSpace>`
    select progress.brain_id as "brainId", space from vector_progress as progress
      join brains as brain on brain.brain_id = progress.brain_id and brain.deleted_at is null
    where space = ${space} and passage >= ${vectors} order by passage desc, progress.brain_id limit ${limit}`.execute(
    db,
  )
  return rows
}

/** The number of dimensions of a Brain's vectors; undefined where there are fewer vectors. */
export const selectDimensions = async (
  db: Queryable,
  { brainId, space }: BrainSpace,
  vectors: number,
): Promise<number | undefined> => {
  const { rows } = await sql<{ dimensions: number }>`
    select length(vector) as dimensions from passage_vectors
    where brain_id = ${brainId} and space = ${space} and passage = (select passage from passage_vectors
      where brain_id = ${brainId} and space = ${space} order by passage offset ${vectors - 1} limit 1)`.execute(db)
  return rows[0]?.dimensions
}

const halfvec = (schema: string, dimensions: number) => sql`${sql.id(schema, 'halfvec')}(${sql.lit(dimensions)})`

/** The indexed expression: an index and its searches must write it alike. */
const indexedVector = (schema: string, dimensions: number) =>
  sql`${sql.id(functionName(dimensions))}(vector)::${halfvec(schema, dimensions)}`

/** The statement that builds an index without blocking writers. It must run outside a transaction. */
export const buildIndex = (key: BrainSpace & { dimensions: number }, schema: string): RawBuilder<unknown> =>
  sql`create index concurrently if not exists ${sql.id(indexName(key))} on passage_vectors
    using hnsw ((${indexedVector(schema, key.dimensions)}) ${sql.id(schema, 'halfvec_cosine_ops')})
    where brain_id = ${sql.lit(key.brainId)} and space = ${sql.lit(key.space)}`

/** The statement that drops an index without blocking reads or writes. It must run outside a transaction. */
export const dropIndex = (name: string): RawBuilder<unknown> => sql`drop index concurrently if exists ${sql.id(name)}`

/** The settings with which a search considers this many vectors at once, and continues until it has enough. */
export const searchSettings = (view: number, maxScanned: number): RawBuilder<unknown>[] => [
  sql`set local hnsw.ef_search = ${sql.lit(view)}`,
  sql`set local hnsw.iterative_scan = relaxed_order`,
  sql`set local hnsw.max_scan_tuples = ${sql.lit(maxScanned)}`,
]

/** The vectors that an index finds nearest to one, about in that order; none where the index was dropped. */
export const selectNearest = (
  key: BrainSpace,
  { schema, vector, limit }: { schema: string; vector: Float32Array; limit: number },
): RawBuilder<{ passage: number; vector: Buffer }> =>
  // Values are literals: a plan for any Brain could not use the index of one, and settings allow no parameters.
  sql`select passage, vector from passage_vectors
    where brain_id = ${sql.lit(key.brainId)} and space = ${sql.lit(key.space)}
      and exists (select 1 from pg_index where indexrelid = to_regclass(${sql.lit(indexName(key))}) and indisvalid)
    order by ${indexedVector(schema, vector.length)} operator(${sql.id(schema)}.<=>)
      ${sql.lit(`[${vector.join()}]`)}::${halfvec(schema, vector.length)}
    limit ${sql.lit(limit)}`
