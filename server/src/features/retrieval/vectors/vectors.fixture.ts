import { sql } from 'kysely'
import { createLog } from '../../../shared/log.ts'
import type { TestClock } from '../../../test/clock.ts'
import type { SearchDatabase } from '../../../test/pgvector-database.ts'
import type { Embedder } from '../embedding/types.ts'
import type { AcceptedPassages } from '../lexical-index/types.ts'
import type { Pgvector } from './pgvector.ts'
import type { NearPassage } from './vector-index.ts'
import { quantize } from './vector-index.ts'
import { type QueryVector, VectorSearch } from './vector-search.ts'
import { Vectors } from './vectors.ts'

/** The passages up to a last one that may be answered: all, or those that match. */
export const acceptedPassages = (
  fits: (passage: number) => boolean = () => true,
  lastPassage = 20_000,
): AcceptedPassages => ({
  lastPassage,
  state: 1,
  fromStates: new Uint32Array(lastPassage + 1),
  toStates: new Uint32Array(lastPassage + 1).fill(2),
  filter: Uint8Array.from({ length: lastPassage + 1 }, (_, passage) => (fits(passage) ? 1 : 0)),
})

/** A database that vectors are kept in, with the extension where it is used. */
export type VectorDatabase = Omit<SearchDatabase, 'drop'> & { pgvector: Pgvector | undefined }

/** Pseudo-random numbers between -1 and 1, the same each time. */
export const createNoise = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return state / 2 ** 31
  }
}

export const unit = (values: readonly number[]): Float32Array => {
  const length = Math.hypot(...values) || 1
  return Float32Array.from(values, (value) => value / length)
}

/** The cosine of a vector of length 1 and the stored form of another. */
export const keptCosine = (query: Float32Array, vector: Float32Array): number => {
  const kept = quantize(vector)
  let product = 0
  for (const [axis, value] of kept.entries()) product += value * (query[axis] ?? 0)
  return product / (Math.hypot(...kept) || 1)
}

/** One node's search by meaning, with a model that is of one space and embeds nothing. */
export const openVectors = (
  { db, url, prepared, together, pgvector }: VectorDatabase,
  { clock, space = 'model/8', passages = 100 }: { clock: TestClock; space?: string; passages?: number },
): Vectors => {
  const embedder: Embedder = {
    space: async () => space,
    embed: async () => ({ space, vectors: [] }),
    close: async () => {},
  }
  const large = pgvector && { pgvector, passages }
  return new Vectors({
    ...{ db, address: url, prepared, together, clock, embedder, large },
    source: { is: 'built-in' },
    openSource: () => undefined,
    log: createLog('silent'),
    maxBytes: 16 * 1024 * 1024,
  })
}

const all = acceptedPassages()

/** A node's nearest passages to a vector. */
export const findNearest = async (
  node: Vectors,
  brainId: number,
  query: QueryVector,
  count: number,
  accepted: AcceptedPassages = all,
): Promise<NearPassage[]> =>
  (await new VectorSearch(node.searchDeps, brainId, query).findNearest(count, accepted)).passages

/** The cosines of a vector and passages, from a node that has not searched. */
export const compare = async (
  node: Vectors,
  brainId: number,
  query: QueryVector,
  passages: readonly number[],
): Promise<number[]> => [...(await new VectorSearch(node.searchDeps, brainId, query).compare(passages))]

let brains = 0

/** A Brain with nothing in it but vectors, of passages that count up from 1. */
export const createVectorBrain = async ({ db }: Pick<VectorDatabase, 'db'>) => {
  const name = `vectors-${++brains}`
  await sql`insert into organization (id, name, slug, "createdAt") values ('o', 'o', 'o', now()) on conflict do nothing`.execute(
    db,
  )
  const { rows } = await sql<{ id: number }>`
    insert into brain_directory (organization_id, handle, id) values ('o', ${name}, ${name}) returning brain_id as id`.execute(
    db,
  )
  const brainId = rows[0]?.id ?? 0
  await sql`insert into brains (brain_id, id, organization_id, handle, cursor_key, created_at, updated_at)
    overriding system value values (${brainId}, ${name}, 'o', ${name}, '', now(), now())`.execute(db)
  const lasts = new Map<string, number>()
  return {
    brainId,
    /** Adds vectors and returns the numbers of their passages. */
    add: async (vectors: readonly Float32Array[], space = 'model/8'): Promise<number[]> => {
      const from = lasts.get(space) ?? 0
      const passages = vectors.map((_vector, index) => from + index + 1)
      lasts.set(space, from + vectors.length)
      const bytes = vectors.map((vector) => Buffer.from(quantize(vector).buffer))
      await sql`insert into passage_vectors (brain_id, space, passage, vector)
        select ${brainId}, ${space}, * from unnest(${passages}::bigint[], ${bytes}::bytea[])`.execute(db)
      await sql`insert into vector_progress (brain_id, space, passage) values (${brainId}, ${space}, ${passages.at(-1)})
        on conflict (brain_id, space) do update set passage = excluded.passage`.execute(db)
      await sql`insert into passage_progress (brain_id, last_passage) values (${brainId}, ${passages.at(-1)})
        on conflict (brain_id) do update set last_passage = greatest(passage_progress.last_passage, excluded.last_passage)`.execute(
        db,
      )
      return passages
    },
    /** Erases it as the erasure of deleted Brains does. */
    erase: async () => {
      await sql`update brains set deleted_at = now() where brain_id = ${brainId}`.execute(db)
      await sql`delete from passage_vectors where brain_id = ${brainId}`.execute(db)
      await sql`delete from vector_progress where brain_id = ${brainId}`.execute(db)
    },
  }
}

/** The indexes of vectors that a database has. */
export const findIndexes = async ({ db }: Pick<VectorDatabase, 'db'>): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`select indexname as name from pg_indexes
    where tablename = 'passage_vectors' and indexname like 'passage_vectors_hnsw_%' order by 1`.execute(db)
  return rows.map(({ name }) => name)
}
