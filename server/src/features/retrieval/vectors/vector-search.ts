import type { ReadSource } from '../../../storage/database.ts'
import type { Calibration } from '../embedding/calibration.ts'
import type { AcceptedPassages, FeedbackPassage } from '../lexical-index/types.ts'
import { addFeedbackVectors, type WeighedVector } from './feedback.ts'
import type { PgvectorSearch } from './pgvector-search.ts'
import { type BrainSpace, type Progress, selectProgress } from './queries.ts'
import { cosine, type StoredVectors, toUnit } from './stored-vectors.ts'
import type { CachedIndex, VectorCache } from './vector-cache.ts'
import type { NearPassage, VectorIndex } from './vector-index.ts'

/** The meaning of a query: a vector of length 1, its space, and the calibration of that space if it is known. */
export type QueryVector = { space: string; values: Float32Array; calibration?: Calibration | undefined }

/** The passages nearest to a query, the nearest first, and how many of the Brain cannot be found by meaning yet. */
export type Nearest = { passages: NearPassage[]; pending: number }

export type VectorSearchDeps = {
  /** The database that the search reads from. */
  source: ReadSource
  indexes: VectorCache
  stored: StoredVectors
  /** The indexes of large Brains in the database, where the operator uses them. */
  inDatabase: PgvectorSearch | undefined
}

/** Reads the progress of a Brain's passages in a space from a source. */
export const findProgress = async (
  { prepared }: ReadSource,
  { brainId, space }: BrainSpace,
): Promise<Progress | undefined> => (await prepared(selectProgress({ brainId, space })))[0]

/** The time that a search waits for the index of a large Brain. */
const maxIndexMilliseconds = 500

/** One search of a Brain by meaning. Passages are known by their numbers. */
export class VectorSearch {
  readonly #deps: VectorSearchDeps
  readonly #key: BrainSpace
  readonly #query: Float32Array
  /** The space of the vectors: cosines of different spaces are not comparable. */
  readonly space: string
  /** The calibration of the space, if it is known. */
  readonly calibration: Calibration | undefined
  /** The Brain's index in memory, unless the database searches it. */
  #cached: CachedIndex | undefined
  /** Passages after this one are not indexed yet: by the time that they have vectors, their numbers are different. */
  #lastPassage = Number.POSITIVE_INFINITY
  /** The number of passages whose vectors were added. */
  addedCount = 0
  /** Vectors of passages that are not indexed, by numbers from 1, and the passage before the first of them. */
  #added: { before: number; index: VectorIndex } | undefined
  /** The cosines that were computed so far; NaN for passages without a vector. */
  readonly similarities: ReadonlyMap<number, number>
  readonly #similarities = new Map<number, number>()

  constructor(deps: VectorSearchDeps, brainId: number, { space, values, calibration }: QueryVector) {
    this.#deps = deps
    this.#key = { brainId, space }
    this.#query = values
    this.space = space
    this.calibration = calibration
    this.similarities = this.#similarities
  }

  /** Adds vectors of passages that are not indexed; `before`: the passage before the first of them. */
  addVectors(before: number, index: VectorIndex): void {
    this.#added = { before, index }
    this.addedCount = index.size
  }

  /**
   * The accepted passages nearest to the query, with their cosines. Passages that ended before they were embedded have no vector
   * and are left out.
   */
  async findNearest(count: number, accepted: AcceptedPassages): Promise<Nearest> {
    this.#lastPassage = accepted.lastPassage
    const indexed = (await this.#findInDatabase(count, accepted)) ?? (await this.#findInMemory(count, accepted))
    const nearest = this.#added ? this.#addNearest(indexed, count, accepted) : indexed
    for (const { passage, similarity } of nearest.passages) this.#similarities.set(passage, similarity)
    return nearest
  }

  /** The cosines of the query and of passages, in their order; NaN for one that has no vector. */
  async compare(passages: readonly number[]): Promise<Float64Array> {
    const missing = passages.filter((passage) => !this.#similarities.has(passage))
    if (missing.length > 0) {
      const found = await this.#compare(this.#query, missing)
      for (const [index, passage] of missing.entries()) this.#similarities.set(passage, found[index] ?? Number.NaN)
    }
    return Float64Array.from(passages, (passage) => this.#similarities.get(passage) ?? Number.NaN)
  }

  /** The vectors of those passages that have one in memory. */
  findFeedback(passages: readonly FeedbackPassage[]): WeighedVector[] {
    const added = this.#findAddedVectors(passages)
    const numbers = passages.map(({ passage }) => this.#toNumber(passage))
    const inMemory = this.#cached?.index.findVectors(numbers)
    return passages.flatMap(({ weight }, index) => {
      const number = numbers[index] ?? 0
      const single = inMemory?.[index] ? undefined : this.#deps.stored.peek(this.#key, number)
      const vector = added?.[index] ?? inMemory?.[index] ?? (single && toUnit(single))
      return vector ? [{ weight, vector }] : []
    })
  }

  /** The cosines of passages, in their order, and of the query with vectors of feedback added. */
  compareWithFeedback(
    { share, vectors }: { share: number; vectors: readonly WeighedVector[] },
    compared: readonly number[],
  ): Promise<Float64Array> {
    return this.#compare(addFeedbackVectors(this.#query, share, vectors), compared)
  }

  /** The nearest of the indexed passages and of those whose vectors were added. */
  #addNearest({ passages, pending }: Nearest, count: number, { filter }: AcceptedPassages): Nearest {
    const { before = 0, index } = this.#added ?? {}
    const numbers = Array.from({ length: index?.newest ?? 0 }, (_one, at) => at + 1)
    const compared = index?.compare(this.#query, numbers) ?? []
    const own = numbers
      .map((number, at) => ({ passage: before + number, similarity: compared[at] ?? Number.NaN }))
      .filter(({ passage, similarity }) => !Number.isNaN(similarity) && filter?.[passage] !== 0)
    const all = [...passages, ...own].sort((a, b) => b.similarity - a.similarity || a.passage - b.passage)
    return { passages: all.slice(0, count), pending }
  }

  #findAddedVectors(passages: readonly FeedbackPassage[]) {
    const { before = 0, index } = this.#added ?? {}
    return index?.findVectors(passages.map(({ passage }) => Math.max(0, passage - before)))
  }

  /** The cosines of a vector and of passages, those that were added among them. */
  async #compare(vector: Float32Array, passages: readonly number[]): Promise<Float64Array> {
    const { before = 0, index } = this.#added ?? {}
    const indexed = await this.#compareIndexed(vector, passages)
    if (!index) return indexed
    const added = index.compare(
      vector,
      passages.map((passage) => Math.max(0, passage - before)),
    )
    return indexed.map((similarity, at) => ((passages[at] ?? 0) > before ? (added[at] ?? Number.NaN) : similarity))
  }

  async #findInDatabase(count: number, accepted: AcceptedPassages): Promise<Nearest | undefined> {
    const { source, inDatabase } = this.#deps
    if (!inDatabase || !(await inDatabase.isReady(source, this.#key))) return undefined
    const passages = await inDatabase.findNearest(source, this.#key, this.#query, count, accepted)
    if (!passages) return undefined
    const progress = await findProgress(source, this.#key)
    return { passages, pending: progress ? progress.lastPassage - progress.passage : 0 }
  }

  async #findInMemory(count: number, accepted: AcceptedPassages): Promise<Nearest> {
    const dimensions = this.#query.length
    const { source, indexes } = this.#deps
    const cached = await indexes.get(source, { ...this.#key, dimensions }, maxIndexMilliseconds)
    this.#cached = cached
    const { index, isWhole, progress = { passage: 0, lastPassage: accepted.lastPassage } } = cached
    const embedded = isWhole ? progress.passage : Math.min(index.newest, progress.passage)
    return { passages: index.findNearest(this.#query, count, accepted), pending: progress.lastPassage - embedded }
  }

  /** The number by which a passage has a vector; 0 for one that has none yet. */
  #toNumber(passage: number): number {
    return passage <= this.#lastPassage ? passage : 0
  }

  async #compareIndexed(vector: Float32Array, passages: readonly number[]): Promise<Float64Array> {
    const numbers = passages.map((passage) => this.#toNumber(passage))
    const found = this.#cached?.index.compare(vector, numbers) ?? new Float64Array(numbers.length).fill(Number.NaN)
    if (this.#cached?.isWhole) return found
    const missing = numbers.filter((number, index) => number > 0 && Number.isNaN(found[index]))
    const stored = await this.#deps.stored.read(this.#deps.source, this.#key, missing)
    return found.map((similarity, index) => {
      const single = stored.get(numbers[index] ?? 0)
      return single ? (cosine(vector, single) ?? similarity) : similarity
    })
  }
}
