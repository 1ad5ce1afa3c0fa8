import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import { withTimeout } from '../../../shared/timeout.ts'
import type { DatabaseAddress, Db, RunPrepared, RunTogether } from '../../../storage/database.ts'
import { type Calibration, knownCalibrations, measureCalibration, probes } from '../embedding/embedding.ts'
import { type Embedder, EmbedderUnavailable, TextsRefused } from '../embedding/types.ts'
import type { Pgvector } from './pgvector.ts'
import { createIndexKeeper } from './pgvector-indexes.ts'
import { PgvectorSearch } from './pgvector-search.ts'
import { selectProgress } from './queries.ts'
import { createStoredVectors, type StoredVectors } from './stored-vectors.ts'
import { VectorCache } from './vector-cache.ts'
import { type QueryVector, VectorSearch, type VectorSearchDeps } from './vector-search.ts'

// Every passage has a vector, by which it is found for what it means. PostgreSQL holds the vectors; a node keeps those of
// the Brains that are searched in memory, and large ones may have an index in the database instead. Vectors of different
// models are in different spaces and never meet.

export { createEmbedding } from './embed-passages.ts'
export { forgetSpaces } from './forget-spaces.ts'
export { openPgvector } from './pgvector.ts'
export { quantize } from './vector-index.ts'
export { type QueryVector, VectorSearch } from './vector-search.ts'

/** How long a search waits for the model to start, as long as somebody would. */
const queryPatience = 2_000

/** What part of the memory holds single vectors. */
const singlesShare = 1 / 8

export type VectorsDeps = {
  db: Db
  address: DatabaseAddress
  prepared: RunPrepared
  together: RunTogether
  clock: Clock
  log: Log
  embedder: Embedder
  /** How many bytes of vectors a node keeps in memory. */
  maxBytes: number
  /** The extension by which large Brains are indexed in the database, and the passages from which a Brain is large. */
  large: { pgvector: Pgvector; passages: number } | undefined
}

/** Search by meaning on one node. Nothing is started until something is searched. */
export class Vectors {
  readonly embedder: Embedder
  /** Builds and drops the indexes that are in the database, as they are wanted, unless another node is about it. */
  readonly keepIndexes: (stopping?: AbortSignal) => Promise<void>
  readonly #log: Log
  readonly #indexes: VectorCache
  readonly #stored: StoredVectors
  /** What cosines are worth, by space; undefined where a model was asked and tells nothing. */
  readonly #calibrations = new Map<string, Calibration | undefined>(knownCalibrations)
  #calibrating: Promise<void> | undefined
  /** What searches by a vector are opened with. */
  readonly searchDeps: VectorSearchDeps

  constructor(deps: VectorsDeps) {
    const { prepared, clock, log, embedder, maxBytes, large } = deps
    this.embedder = embedder
    this.keepIndexes = createIndexKeeper(deps)
    this.#log = log
    this.#indexes = new VectorCache({ prepared, clock, maxBytes: maxBytes * (1 - singlesShare) })
    this.#stored = createStoredVectors(prepared, maxBytes * singlesShare)
    const stored = this.#stored
    this.searchDeps = {
      indexes: this.#indexes,
      stored,
      inDatabase: large && new PgvectorSearch({ ...deps, stored, pgvector: large.pgvector }),
      selectProgress: async ({ brainId, space }) => (await prepared(selectProgress(brainId, space)))[0],
    }
  }

  /** Opens a search by what a text means; undefined where that cannot be told now, so that the search goes by words alone. */
  async openSearch(brainId: number, text: string): Promise<VectorSearch | undefined> {
    const query = await withTimeout(this.#embed(text), queryPatience)
    return query && new VectorSearch(this.searchDeps, brainId, query)
  }

  /** Frees the memory of Brains that nobody searched for a while. */
  dropIdle(): void {
    this.#indexes.dropIdle()
  }

  async close(): Promise<void> {
    this.#indexes.clear()
    this.#stored.clear()
    await this.embedder.close()
  }

  async #embed(text: string): Promise<QueryVector | undefined> {
    try {
      const { space, vectors } = await this.embedder.embed([text], 'query')
      // Until it is known, words alone tell how much speaks for what is found.
      if (!this.#calibrations.has(space)) this.#calibrating ??= this.#calibrate()
      return vectors[0] && { space, values: vectors[0], calibration: this.#calibrations.get(space) }
    } catch (error) {
      if (error instanceof TextsRefused) this.#log.info({ reason: error.message }, 'a query could not be embedded')
      else if (!(error instanceof EmbedderUnavailable)) throw error
      return undefined
    }
  }

  /** Finds out what the cosines of a model are worth that did not come with the service; the next search tries again. */
  async #calibrate(): Promise<void> {
    try {
      const { space, vectors } = await this.embedder.embed(probes, 'passage')
      this.#calibrations.set(space, measureCalibration(vectors))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#log.info({ reason }, 'what the model takes for near is not known yet')
    } finally {
      this.#calibrating = undefined
    }
  }
}
