import { type Embedder, EmbedderUnavailable, TextsRefused } from '../../embedding/embedder.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Log } from '../../shared/log.ts'
import type { RunPrepared } from '../../storage/database.ts'
import { atMost, IndexCache } from './index-cache.ts'
import { selectProgress, selectVectors } from './queries.ts'
import type { Found } from './vector-index.ts'

// Every passage has a vector, by which it is found for what it means. PostgreSQL holds the vectors; a node keeps those of
// the Brains that are searched in memory. Vectors of different models are in different spaces and never meet.

export { createPassageEmbedder } from './embed-passages.ts'
export { forgetSpaces } from './forget-spaces.ts'

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
  /** The vector of a passage in the space of a query, of length 1; undefined where the index in memory does not hold it. */
  vectorOf(brainId: number, query: QueryVector, passage: number): Float32Array | undefined
  /** How many of a Brain's passages cannot be found by meaning yet. */
  pending(brainId: number): Promise<number>
  embedder: Embedder
  /** Frees the memory of Brains that nobody searched for a while. */
  dropIdle(): void
  close(): Promise<void>
}

// A search waits for the model to start, and for the index of a large Brain, about as long as somebody would.
const queryPatience = 2_000
const indexPatience = 500

export type VectorsDeps = {
  prepared: RunPrepared
  clock: Clock
  log: Log
  embedder: Embedder
  /** How many bytes of vectors a node keeps in memory. */
  mostBytes: number
}

const cosine = (query: Float32Array, vector: Int8Array): number | undefined => {
  if (vector.length !== query.length) return undefined
  let [product, square] = [0, 0]
  for (const [axis, value] of vector.entries()) {
    product += value * (query[axis] ?? 0)
    square += value * value
  }
  return product / Math.sqrt(square || 1)
}

/** Opens search by meaning on a node. Starts nothing until something is searched. */
export const createVectors = ({ prepared, clock, log, embedder, mostBytes }: VectorsDeps): Vectors => {
  const indexes = new IndexCache({ prepared, clock, mostBytes })

  /** Those of passages that the index in memory does not hold. */
  const storedSimilarities = async (brainId: number, query: QueryVector, passages: readonly number[]) => {
    const rows = passages.length === 0 ? [] : await prepared(selectVectors(brainId, query.space, passages))
    return new Map(
      rows.map(({ passage, vector: { buffer, byteOffset, length } }) => [
        passage,
        cosine(query.values, new Int8Array(buffer, byteOffset, length)),
      ]),
    )
  }

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
    embedQuery: (text) => atMost(embed(text), queryPatience),
    nearest: async (brainId, { space, values }, count, accepts) => {
      const index = await indexes.get({ brainId, space, dimensions: values.length }, indexPatience)
      return index.nearest(values, count, accepts)
    },
    similarities: async (brainId, query, passages) => {
      const known = indexes.peek(brainId, query.space)
      const found = known?.index.similarities(query.values, passages) ?? passages.map(() => undefined)
      if (known?.isWhole) return found
      const missing = passages.filter((_passage, place) => found[place] === undefined)
      const stored = await storedSimilarities(brainId, query, missing)
      return found.map((similarity, place) => similarity ?? stored.get(passages[place] ?? 0))
    },
    vectorOf: (brainId, { space }, passage) => indexes.peek(brainId, space)?.index.vectorOf(passage),
    pending: async (brainId) => {
      // While it cannot be told which space it is, nothing can be found in it.
      const space = await embedder.space().catch(() => '')
      const [progress] = await prepared(selectProgress(brainId, space))
      if (!progress) return 0
      const known = indexes.peek(brainId, space)
      const isLoading = known !== undefined && !known.isWhole
      return progress.lastPassage - (isLoading ? Math.min(known.index.newest, progress.passage) : progress.passage)
    },
    dropIdle: () => indexes.dropIdle(),
    close: async () => {
      indexes.clear()
      await embedder.close()
    },
  }
}
