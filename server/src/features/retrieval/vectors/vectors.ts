import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import { withTimeout } from '../../../shared/timeout.ts'
import type { Db, ReadSource, RunPrepared, RunTogether } from '../../../storage/database.ts'
import type { DatabaseAddress } from '../../../storage/database-address.ts'
import { type Calibration, knownCalibrations, measureCalibration, probes } from '../embedding/calibration.ts'
import { type Embedder, type EmbedderSource, EmbedderUnavailable, TextsRefused } from '../embedding/types.ts'
import { createSpaceLook, type Spaces } from './claim-spaces.ts'
import { FormerEmbedders } from './former-embedders.ts'
import type { Pgvector } from './pgvector.ts'
import { createIndexKeeper } from './pgvector-indexes.ts'
import { PgvectorSearch } from './pgvector-search.ts'
import { selectAnswering, selectWanted } from './space-queries.ts'
import { createStoredVectors, type StoredVectors } from './stored-vectors.ts'
import { VectorCache } from './vector-cache.ts'
import { findProgress, type QueryVector, VectorSearch, type VectorSearchDeps } from './vector-search.ts'

// Every passage has a vector, by which it is found for what it means. PostgreSQL holds the vectors; a node keeps those of
// the Brains that are searched in memory, and large ones may have an index in the database instead. Vectors of different
// models are in different spaces and never meet.

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
  /** What the embedder is, as others are told. */
  source: EmbedderSource
  /** Opens what embedded texts before, if it is still here. */
  openSource(source: EmbedderSource): Embedder | undefined
  /** How many bytes of vectors a node keeps in memory. */
  maxBytes: number
  /** The extension by which large Brains are indexed in the database, and the passages from which a Brain is large. */
  large: { pgvector: Pgvector; passages: number } | undefined
}

/** Search by meaning on one node. Nothing is started until something is searched. */
export class Vectors {
  readonly embedder: Embedder
  /** Looks which space is wanted, for a node that embeds passages. Throws EmbedderUnavailable. */
  readonly look: () => Promise<Spaces>
  /** The models of spaces that Brains still answer by. */
  readonly formers: FormerEmbedders
  /** Builds and drops the indexes that are in the database, as they are wanted, unless another node is about it. */
  readonly keepIndexes: (stopping?: AbortSignal) => Promise<void>
  readonly #log: Log
  readonly #prepared: RunPrepared
  readonly #indexes: VectorCache
  readonly #stored: StoredVectors
  /** What cosines are worth, by space; undefined where a model was asked and tells nothing. */
  readonly #calibrations = new Map<string, Calibration | undefined>(knownCalibrations)
  readonly #calibrating = new Set<string>()
  /** What searches by a vector are opened with; they read from the primary unless told. */
  readonly searchDeps: VectorSearchDeps

  constructor(deps: VectorsDeps) {
    const { db, prepared, together, clock, log, embedder, maxBytes, large } = deps
    this.embedder = embedder
    this.look = createSpaceLook(deps)
    // What this node has itself is no former one: where it is away, or is another by now, nobody else has it.
    const isOwn = (other: EmbedderSource) => JSON.stringify(other) === JSON.stringify(deps.source)
    const openSource = (other: EmbedderSource) => (isOwn(other) ? undefined : deps.openSource(other))
    this.formers = new FormerEmbedders({ ...deps, openSource })
    this.#prepared = prepared
    this.keepIndexes = createIndexKeeper(deps)
    this.#log = log
    this.#indexes = new VectorCache({ clock, maxBytes: maxBytes * (1 - singlesShare) })
    this.#stored = createStoredVectors(maxBytes * singlesShare)
    const stored = this.#stored
    this.searchDeps = {
      source: { db, prepared, together },
      indexes: this.#indexes,
      stored,
      inDatabase: large && new PgvectorSearch({ ...deps, stored, pgvector: large.pgvector }),
    }
  }

  /** Opens a search by what a text means; undefined where that cannot be told now, so that the search goes by words alone. */
  async openSearch(source: ReadSource, brainId: number, text: string): Promise<VectorSearch | undefined> {
    const query = await withTimeout(this.#embedFor(source, brainId, text), queryPatience)
    return query && new VectorSearch({ ...this.searchDeps, source }, brainId, query)
  }

  /** Notes that this node embeds passages in its space; one whose model is away does not. */
  async noteSpace(): Promise<void> {
    await this.look().catch((error) => {
      if (!(error instanceof EmbedderUnavailable)) throw error
    })
  }

  /** The space that all Brains are to have vectors in; undefined where no node embedded anything yet. */
  async findWanted(): Promise<string | undefined> {
    return (await this.#prepared(selectWanted))[0]?.space
  }

  /** Frees the memory of Brains that nobody searched for a while. */
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
  async #embedFor(source: ReadSource, brainId: number, text: string): Promise<QueryVector | undefined> {
    const [own, [found]] = await Promise.all([
      this.#embed(this.embedder, text),
      source.prepared(selectAnswering(brainId)),
    ])
    const space = found?.answering ?? found?.wanted
    if (!space || own?.space === space) return own
    const former = await this.formers.find(space)
    const query = former && (await this.#embed(former, text))
    if (query?.space === space) return query
    return own && own.space !== found?.wanted ? this.#findLeft(source, brainId, own) : undefined
  }

  /** A query in the space of this node, of settings that are about to be replaced, where the Brain has vectors there still. */
  async #findLeft(source: ReadSource, brainId: number, own: QueryVector): Promise<QueryVector | undefined> {
    const progress = await findProgress(source, { brainId, space: own.space })
    return progress && progress.passage > 0 ? own : undefined
  }

  async #embed(embedder: Embedder, text: string): Promise<QueryVector | undefined> {
    try {
      const { space, vectors } = await embedder.embed([text], 'query')
      // Until it is known, words alone tell how much speaks for what is found.
      if (!this.#calibrations.has(space)) void this.#calibrate(embedder, space)
      return vectors[0] && { space, values: vectors[0], calibration: this.#calibrations.get(space) }
    } catch (error) {
      if (error instanceof TextsRefused) this.#log.info({ reason: error.message }, 'a query could not be embedded')
      else if (!(error instanceof EmbedderUnavailable)) throw error
      return undefined
    }
  }

  /** Finds out what the cosines of a model are worth that did not come with the service; the next search tries again. */
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
      this.#log.info({ reason }, 'what the model takes for near is not known yet')
    } finally {
      this.#calibrating.delete(expected)
    }
  }
}
