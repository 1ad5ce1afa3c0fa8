import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import { withTimeout } from '../../../shared/timeout.ts'
import type { Db, ReadSource, RunPrepared, RunTogether } from '../../../storage/database.ts'
import type { DatabaseAddress } from '../../../storage/database-address.ts'
import { type Calibration, knownCalibrations, measureCalibration, probes } from '../embedding/calibration.ts'
import { type Embedder, type EmbedderSource, EmbedderUnavailable, TextsRefused } from '../embedding/types.ts'
import { createSpacePoll, type Spaces } from './claim-spaces.ts'
import { EmbeddingPace } from './embedding-pace.ts'
import { FormerEmbedders } from './former-embedders.ts'
import type { Pgvector } from './pgvector.ts'
import { createIndexKeeper } from './pgvector-indexes.ts'
import { PgvectorSearch } from './pgvector-search.ts'
import { selectAnswering, selectTarget } from './space-queries.ts'
import { createStoredVectors, type StoredVectors } from './stored-vectors.ts'
import { VectorCache } from './vector-cache.ts'
import { quantize, VectorIndex } from './vector-index.ts'
import { findProgress, type QueryVector, VectorSearch, type VectorSearchDeps } from './vector-search.ts'

// Every passage has a vector, by which search finds it by its meaning. PostgreSQL stores the vectors; a node caches those
// of the searched Brains, and large Brains may have an index in the database instead. Vectors of different models are in
// different spaces and are never compared.

/** The time that a search waits for the model to start. */
const maxQueryMilliseconds = 2_000

/** Why there is no search by meaning: the model cannot be used, or did not embed the query in time. */
export type NoMeaning = 'unavailable' | 'late'

/** The vectors of one query, by the model that made them. */
export type EmbeddedQueries = Map<Embedder, Promise<QueryVector | undefined>>

type Embed = (embedder: Embedder) => Promise<QueryVector | undefined>

/** The time that the embedding of texts which are not indexed takes at most, and the texts of one call: others are embedded in between. */
const [maxAddedMilliseconds, addedAtOnce] = [5_000, 16]

/** Vectors of texts that are not indexed, by their numbers from 1. */
export type AddedVectors = { space: string; index: VectorIndex }

/** The share of the memory for single vectors. */
const singlesShare = 1 / 8

export type VectorsDeps = {
  db: Db
  address: DatabaseAddress
  prepared: RunPrepared
  together: RunTogether
  clock: Clock
  log: Log
  embedder: Embedder
  /** The description of the embedder for other nodes. */
  source: EmbedderSource
  /** Opens an embedder that was used before, if this node still has it. */
  openSource(source: EmbedderSource): Embedder | undefined
  /** The maximum of bytes of vectors that a node caches. */
  maxBytes: number
  /** The extension by which large Brains are indexed in the database, and the passages from which a Brain is large. */
  large: { pgvector: Pgvector; passages: number } | undefined
}

/** Search by meaning on one node. The model starts with the first search. */
export class Vectors {
  readonly embedder: Embedder
  /** Finds out the target space, for a node that embeds passages. Throws EmbedderUnavailable. */
  readonly pollSpaces: () => Promise<Spaces>
  /** The models of spaces that Brains still answer by. */
  readonly formers: FormerEmbedders
  /** The speed at which this node embeds the passages of Brains. */
  readonly pace: EmbeddingPace
  /** Builds missing indexes in the database and drops others, unless another node is doing so. */
  readonly keepIndexes: (stopping?: AbortSignal) => Promise<void>
  readonly #log: Log
  readonly #prepared: RunPrepared
  readonly #indexes: VectorCache
  readonly #stored: StoredVectors
  /** Calibrations by space; undefined for a model whose cosines mean nothing. */
  readonly #calibrations = new Map<string, Calibration | undefined>(knownCalibrations)
  readonly #calibrating = new Set<string>()
  /** The dependencies of searches, which read from the primary by default. */
  readonly searchDeps: VectorSearchDeps

  constructor(deps: VectorsDeps) {
    const { db, prepared, together, log, embedder, maxBytes, large } = deps
    this.embedder = embedder
    this.pollSpaces = createSpacePoll(deps)
    // This node's own embedder is not a former one: if it is unavailable, or was replaced, no other has it.
    const isOwn = (other: EmbedderSource) => JSON.stringify(other) === JSON.stringify(deps.source)
    const openSource = (other: EmbedderSource) => (isOwn(other) ? undefined : deps.openSource(other))
    this.formers = new FormerEmbedders({ ...deps, openSource })
    this.pace = new EmbeddingPace(deps.clock)
    this.#prepared = prepared
    this.keepIndexes = createIndexKeeper(deps)
    this.#log = log
    this.#indexes = new VectorCache({ maxBytes: Math.floor(maxBytes * (1 - singlesShare)) })
    this.#stored = createStoredVectors(maxBytes * singlesShare)
    const stored = this.#stored
    this.searchDeps = {
      source: { db, prepared, together },
      indexes: this.#indexes,
      stored,
      inDatabase: large && new PgvectorSearch({ ...deps, stored, pgvector: large.pgvector }),
    }
  }

  /**
   * Opens a search by the meaning of a text; if there is none, says why, and the search uses words alone. Searches that share
   * `embedded` embed the text once.
   */
  async openSearch(
    source: ReadSource,
    brainId: number,
    text: string,
    embedded: EmbeddedQueries = new Map(),
  ): Promise<VectorSearch | NoMeaning> {
    const embed = (embedder: Embedder): Promise<QueryVector | undefined> => {
      const vector = embedded.get(embedder) ?? this.#embed(embedder, text)
      embedded.set(embedder, vector)
      return vector
    }
    const query = await withTimeout(this.#embedFor(source, brainId, embed), maxQueryMilliseconds, 'late' as const)
    if (query === undefined || query === 'late') return query ?? 'unavailable'
    return new VectorSearch({ ...this.searchDeps, source }, brainId, query)
  }

  /**
   * The vectors of texts that are not indexed, numbered from 1, and their space; undefined where the model does not embed them in
   * time. They are kept nowhere.
   */
  async embedAdded(texts: readonly string[]): Promise<AddedVectors | undefined> {
    return await withTimeout(this.#embedTexts(texts), maxAddedMilliseconds).catch((error) => {
      if (error instanceof TextsRefused || error instanceof EmbedderUnavailable) return undefined
      throw error
    })
  }

  async #embedTexts(texts: readonly string[]): Promise<AddedVectors | undefined> {
    let added: AddedVectors | undefined
    const until = performance.now() + maxAddedMilliseconds
    for (let at = 0; at < texts.length; at += addedAtOnce) {
      // The caller has gone on without them.
      if (performance.now() > until) return undefined
      const { space, vectors } = await this.embedder.embed(texts.slice(at, at + addedAtOnce), 'passage')
      if (added && added.space !== space) return undefined
      const index: VectorIndex = added?.index ?? new VectorIndex(vectors[0]?.length ?? 1)
      for (const [place, vector] of vectors.entries()) index.add([at + place + 1], quantize(vector))
      added = { space, index }
    }
    return added
  }

  /** Records that this node embeds passages in its space, if its model is available. */
  async recordSpace(): Promise<void> {
    await this.pollSpaces().catch((error) => {
      if (!(error instanceof EmbedderUnavailable)) throw error
    })
  }

  /** Returns the space in which all Brains should have vectors; undefined if no node has embedded anything yet. */
  async findTargetSpace(): Promise<string | undefined> {
    return (await this.#prepared(selectTarget))[0]?.space
  }

  /** Frees the memory of Brains that were not searched for a while. */
  dropIdle(): void {
    this.#indexes.dropIdle()
  }

  async close(): Promise<void> {
    this.#indexes.clear()
    this.#stored.clear()
    await this.formers.close()
    await this.embedder.close()
  }

  /** A query in the space that a Brain answers by. */
  async #embedFor(source: ReadSource, brainId: number, embed: Embed): Promise<QueryVector | undefined> {
    const { whole = source.prepared } = source
    const [own, [found]] = await Promise.all([embed(this.embedder), whole(selectAnswering({ brainId }))])
    const space = found?.answering ?? found?.target
    if (!space || own?.space === space) return own
    const former = await this.formers.find(space)
    const query = former && (await embed(former))
    if (query?.space === space) return query
    return own && own.space !== found?.target ? this.#findLeft(source, brainId, own) : undefined
  }

  /** A query in the space of this node, whose settings are about to be replaced, while the Brain still has vectors there. */
  async #findLeft(source: ReadSource, brainId: number, own: QueryVector): Promise<QueryVector | undefined> {
    const progress = await findProgress(source, { brainId, space: own.space })
    return progress && progress.passage > 0 ? own : undefined
  }

  async #embed(embedder: Embedder, text: string): Promise<QueryVector | undefined> {
    try {
      const { space, vectors } = await embedder.embed([text], 'query')
      // Until the space is calibrated, evidence is judged by words alone.
      if (!this.#calibrations.has(space)) void this.#calibrate(embedder, space)
      return vectors[0] && { space, values: vectors[0], calibration: this.#calibrations.get(space) }
    } catch (error) {
      if (error instanceof TextsRefused) this.#log.info({ reason: error.message }, 'a query could not be embedded')
      else if (!(error instanceof EmbedderUnavailable)) throw error
      return undefined
    }
  }

  /** Calibrates the space of a model that did not come with the service; after a failure the next search tries again. */
  async #calibrate(embedder: Embedder, expected: string): Promise<void> {
    if (this.#calibrating.has(expected)) return
    this.#calibrating.add(expected)
    try {
      const [questions, answers] = await Promise.all([
        embedder.embed(probes.questions, 'query'),
        embedder.embed(probes.answers, 'passage'),
      ])
      if (questions.space === expected && answers.space === expected)
        this.#calibrations.set(expected, measureCalibration(questions.vectors, answers.vectors))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#log.info({ reason }, 'the model could not be calibrated yet')
    } finally {
      this.#calibrating.delete(expected)
    }
  }
}
