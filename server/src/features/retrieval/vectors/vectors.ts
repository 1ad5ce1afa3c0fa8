import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import { withTimeout } from '../../../shared/timeout.ts'
import type { DatabaseAddress, Db, RunPrepared, RunTogether } from '../../../storage/database.ts'
import { type Embedder, EmbedderUnavailable, TextsRefused } from '../embedding/types.ts'
import type { Pgvector } from './pgvector.ts'
import { createIndexKeeper } from './pgvector-indexes.ts'
import { createPgvectorSearch } from './pgvector-search.ts'
import { selectProgress } from './queries.ts'
import { cosine, createStoredVectors, unitOf } from './stored-vectors.ts'
import { IndexCache } from './vector-cache.ts'
import type { Found } from './vector-index.ts'

// Every passage has a vector, by which it is found for what it means. PostgreSQL holds the vectors; a node keeps those of
// the Brains that are searched in memory, and large ones may have an index in the database instead. Vectors of different
// models are in different spaces and never meet.

export { createEmbedding } from './embed-passages.ts'
export { forgetSpaces } from './forget-spaces.ts'
export { openPgvector } from './pgvector.ts'

/** What a query means: a vector of length 1, and the space that it is in. */
export type QueryVector = { space: string; values: Float32Array }

/** Search by meaning on one node. */
export type Vectors = {
  /** The vector of a query; undefined where it cannot be had now, so that the search goes by words alone. */
  embedQuery(text: string): Promise<QueryVector | undefined>
  /**
   * The passages nearest to a query, of those that are accepted, with their cosines; the nearest first. Passages that ended
   * before they were embedded are not among them.
   */
  nearest(brainId: number, query: QueryVector, count: number, accepts: (passage: number) => boolean): Promise<Found[]>
  /** The cosines of a query and of passages, in their order; undefined for one that has no vector. */
  similarities(brainId: number, query: QueryVector, passages: readonly number[]): Promise<(number | undefined)[]>
  /** The vector of a passage in the space of a query, of length 1; undefined where this node did not read it lately. */
  vectorOf(brainId: number, query: QueryVector, passage: number): Float32Array | undefined
  /** How many of a Brain's passages cannot be found by meaning yet. */
  pending(brainId: number): Promise<number>
  embedder: Embedder
  /** Frees the memory of Brains that nobody searched for a while. */
  dropIdle(): void
  /** Builds and drops the indexes that are in the database, as they are wanted, unless another node is about it. */
  keepIndexes(stopping?: AbortSignal): Promise<void>
  close(): Promise<void>
}

// A search waits for the model to start, and for the index of a large Brain, about as long as somebody would.
const queryPatience = 2_000
const indexPatience = 500

/** What part of the memory holds single vectors. */
const partOfSingles = 1 / 8

export type VectorsDeps = {
  db: Db
  address: DatabaseAddress
  prepared: RunPrepared
  together: RunTogether
  clock: Clock
  log: Log
  embedder: Embedder
  /** How many bytes of vectors a node keeps in memory. */
  mostBytes: number
  /** The extension by which large Brains are indexed in the database, and the passages from which a Brain is large. */
  large: { pgvector: Pgvector; passages: number } | undefined
}

/** Opens search by meaning on a node. Starts nothing until something is searched. */
export const createVectors = (deps: VectorsDeps): Vectors => {
  const { prepared, clock, log, embedder, mostBytes, large } = deps
  const indexes = new IndexCache({ prepared, clock, mostBytes: mostBytes * (1 - partOfSingles) })
  const stored = createStoredVectors(prepared, mostBytes * partOfSingles)
  const inDatabase = large && createPgvectorSearch({ ...deps, stored, pgvector: large.pgvector })

  const embed = async (text: string): Promise<QueryVector | undefined> => {
    try {
      const { space, vectors } = await embedder.embed([text], 'now')
      return vectors[0] && { space, values: vectors[0] }
    } catch (error) {
      if (error instanceof TextsRefused) log.info({ reason: error.message }, 'a query could not be embedded')
      else if (!(error instanceof EmbedderUnavailable)) throw error
      return undefined
    }
  }

  return {
    embedder,
    embedQuery: (text) => withTimeout(embed(text), queryPatience),
    nearest: async (brainId, { space, values }, count, accepts) => {
      const place = { brainId, space }
      if (await inDatabase?.isReady(place)) {
        const found = await inDatabase?.nearest(place, values, count, accepts)
        if (found) return found
      }
      const index = await indexes.get({ ...place, dimensions: values.length }, indexPatience)
      return index.nearest(values, count, accepts)
    },
    similarities: async (brainId, { space, values }, passages) => {
      const place = { brainId, space }
      // What is in memory of a Brain that the database searches is not brought up to date.
      const known = (await inDatabase?.isReady(place)) ? undefined : indexes.peek(brainId, space)
      const found = known?.index.similarities(values, passages) ?? passages.map(() => undefined)
      const missing = known?.isWhole ? [] : passages.filter((_passage, at) => found[at] === undefined)
      const vectors = await stored.read(place, missing)
      return found.map((similarity, at) => {
        const vector = vectors.get(passages[at] ?? 0)
        return similarity ?? (vector && cosine(values, vector))
      })
    },
    vectorOf: (brainId, { space }, passage) => {
      const single = stored.peek({ brainId, space }, passage)
      return single ? unitOf(single) : indexes.peek(brainId, space)?.index.vectorOf(passage)
    },
    pending: async (brainId) => {
      // While it cannot be told which space it is, nothing can be found in it.
      const space = await embedder.space().catch(() => '')
      const [progress] = await prepared(selectProgress(brainId, space))
      if (!progress) return 0
      const known = (await inDatabase?.isReady({ brainId, space })) ? undefined : indexes.peek(brainId, space)
      const isLoading = known !== undefined && !known.isWhole
      return progress.lastPassage - (isLoading ? Math.min(known.index.newest, progress.passage) : progress.passage)
    },
    dropIdle: () => indexes.dropIdle(),
    keepIndexes: createIndexKeeper(deps),
    close: async () => {
      indexes.clear()
      stored.clear()
      await embedder.close()
    },
  }
}
