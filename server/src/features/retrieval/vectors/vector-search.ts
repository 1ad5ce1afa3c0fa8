import type { ReadSource } from '../../../storage/database.ts'
import { type Calibration, toCloseness } from '../embedding/calibration.ts'
import type { AcceptedPassages, Feedback } from '../lexical-index/types.ts'
import { addFeedbackVectors } from './feedback.ts'
import type { PgvectorSearch } from './pgvector-search.ts'
import { type Place, type Progress, selectProgress } from './queries.ts'
import { cosine, type StoredVectors, toUnit } from './stored-vectors.ts'
import type { CachedIndex, VectorCache } from './vector-cache.ts'
import type { NearPassage } from './vector-index.ts'

/** What a query means: a vector of length 1, the space that it is in, and what cosines are worth there if that is known. */
export type QueryVector = { space: string; values: Float32Array; calibration?: Calibration | undefined }

/** The passages nearest to a query, the nearest first, and how many of the Brain cannot be found by meaning yet. */
export type Nearest = { passages: NearPassage[]; pending: number }

export type VectorSearchDeps = {
  /** What is read from. */
  source: ReadSource
  indexes: VectorCache
  stored: StoredVectors
  /** The indexes of large Brains in the database, where they are used. */
  inDatabase: PgvectorSearch | undefined
}

/** How far a Brain's passages are embedded in a space, as a source shows it. */
export const findProgress = async (
  { prepared }: ReadSource,
  { brainId, space }: Place,
): Promise<Progress | undefined> => (await prepared(selectProgress(brainId, space)))[0]

/** How long a search waits for the index of a large Brain, as long as somebody would. */
const indexPatience = 500

/** One search of a Brain by meaning: what it knows of passages by their numbers. */
export class VectorSearch {
  readonly #deps: VectorSearchDeps
  readonly #place: Place
  readonly #asked: Float32Array
  readonly #calibration: Calibration | undefined
  /** What is in memory of the Brain, unless the database searches it. */
  #cached: CachedIndex | undefined
  /** Passages after this one are not indexed yet: their numbers are others' by the time that they have vectors. */
  #lastPassage = Number.POSITIVE_INFINITY
  /** The cosines that were told already; NaN for passages without a vector. */
  readonly similarities: ReadonlyMap<number, number>
  readonly #similarities = new Map<number, number>()

  constructor(deps: VectorSearchDeps, brainId: number, { space, values, calibration }: QueryVector) {
    this.#deps = deps
    this.#place = { brainId, space }
    this.#asked = values
    this.#calibration = calibration
    this.similarities = this.#similarities
  }

  /**
   * The passages nearest to the query, of those that are accepted, with their cosines. Passages that ended before they were
   * embedded are not among them.
   */
  async findNearest(count: number, accepted: AcceptedPassages): Promise<Nearest> {
    this.#lastPassage = accepted.lastPassage
    const nearest = (await this.#findInDatabase(count, accepted)) ?? (await this.#findInMemory(count, accepted))
    for (const { passage, similarity } of nearest.passages) this.#similarities.set(passage, similarity)
    return nearest
  }

  /** The cosines of the query and of passages, in their order; NaN for one that has no vector. */
  async compare(passages: readonly number[]): Promise<Float64Array> {
    const unknown = passages.filter((passage) => !this.#similarities.has(passage))
    if (unknown.length > 0) {
      const found = await this.#compare(this.#asked, unknown)
      for (const [index, passage] of unknown.entries()) this.#similarities.set(passage, found[index] ?? Number.NaN)
    }
    return Float64Array.from(passages, (passage) => this.#similarities.get(passage) ?? Number.NaN)
  }

  /** How near a passage is in meaning, on a scale that is the same for all models; NaN where that is not known. */
  findCloseness(passage: number): number {
    const similarity = this.#similarities.get(passage)
    return similarity === undefined || !this.#calibration ? Number.NaN : toCloseness(this.#calibration, similarity)
  }

  /** The cosines of passages, in their order, and of the query with the vectors of feedback added. */
  async compareWithFeedback({ share, passages }: Feedback, compared: readonly number[]): Promise<Float64Array> {
    const numbers = passages.map(({ passage }) => this.#toKnown(passage))
    const inMemory = this.#cached?.index.findVectors(numbers)
    const vectors = passages.flatMap(({ weight }, index) => {
      const number = numbers[index] ?? 0
      const single = inMemory?.[index] ? undefined : this.#deps.stored.peek(this.#place, number)
      const vector = inMemory?.[index] ?? (single && toUnit(single))
      return vector ? [{ weight, vector }] : []
    })
    return this.#compare(addFeedbackVectors(this.#asked, share, vectors), compared)
  }

  async #findInDatabase(count: number, accepted: AcceptedPassages): Promise<Nearest | undefined> {
    const { source, inDatabase } = this.#deps
    if (!inDatabase || !(await inDatabase.isReady(source, this.#place))) return undefined
    const passages = await inDatabase.findNearest(source, this.#place, this.#asked, count, accepted)
    if (!passages) return undefined
    const progress = await findProgress(source, this.#place)
    return { passages, pending: progress ? progress.lastPassage - progress.passage : 0 }
  }

  async #findInMemory(count: number, accepted: AcceptedPassages): Promise<Nearest> {
    const dimensions = this.#asked.length
    const { source, indexes } = this.#deps
    const cached = await indexes.get(source, { ...this.#place, dimensions }, indexPatience)
    this.#cached = cached
    const { index, isWhole, progress = { passage: 0, lastPassage: accepted.lastPassage } } = cached
    const known = isWhole ? progress.passage : Math.min(index.newest, progress.passage)
    return { passages: index.findNearest(this.#asked, count, accepted), pending: progress.lastPassage - known }
  }

  /** The number under which vectors know a passage; 0 for one that has none yet. */
  #toKnown(passage: number): number {
    return passage <= this.#lastPassage ? passage : 0
  }

  async #compare(vector: Float32Array, passages: readonly number[]): Promise<Float64Array> {
    const numbers = passages.map((passage) => this.#toKnown(passage))
    const found = this.#cached?.index.compare(vector, numbers) ?? new Float64Array(numbers.length).fill(Number.NaN)
    if (this.#cached?.isWhole) return found
    const missing = numbers.filter((number, index) => number > 0 && Number.isNaN(found[index]))
    const stored = await this.#deps.stored.read(this.#deps.source, this.#place, missing)
    return found.map((similarity, index) => {
      const single = stored.get(numbers[index] ?? 0)
      return single ? (cosine(vector, single) ?? similarity) : similarity
    })
  }
}
