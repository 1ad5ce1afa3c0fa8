import type { Clock } from '../../../shared/clock.ts'
import type { ReadSource } from '../../../storage/database.ts'
import type { AcceptedPassages } from '../lexical-index/types.ts'
import type { Pgvector } from './pgvector.ts'
import { indexName, searchSettings, selectIndexes, selectNearest } from './pgvector-queries.ts'
import { type BrainSpace, selectProgress } from './queries.ts'
import { cosine, type StoredVectors } from './stored-vectors.ts'
import { isAccepted, type NearPassage } from './vector-index.ts'

// The nearest passages of a large Brain, proposed by its index in the database. The index is approximate and knows nothing of
// states, kinds or types: its proposals are filtered here, and compared again by their stored bytes.

/** The time for which the list of indexes is cached. */
const cachedMilliseconds = 5_000
/** The number of passages that the index proposes for each requested one, and the minimum. */
const proposedForEach = 1.5
const minProposed = 150
/** The number that it considers for each proposed one, the minimum, and the maximum, which is pgvector's own limit. */
const view = { forEach: 1.25, min: 320, max: 1_000 }
/** The number of passages that can be compared in the time that proposing one takes. */
const comparedForProposed = 6
const vectorsAtOnce = 2_000
/** The minimum of rows that pgvector scans before it gives up. */
const minScanned = 20_000

export type PgvectorSearchDeps = {
  clock: Clock
  stored: StoredVectors
  pgvector: Pgvector
}

const compareNearness = (one: NearPassage, other: NearPassage): number =>
  other.similarity - one.similarity || one.passage - other.passage

/** The nearest of some vectors and of those found before. */
const chooseNearest = (
  query: Float32Array,
  count: number,
  vectors: Iterable<readonly [passage: number, vector: Int8Array]>,
  before: readonly NearPassage[] = [],
): NearPassage[] => {
  const found = [...before]
  for (const [passage, vector] of vectors) {
    const similarity = cosine(query, vector)
    if (similarity !== undefined) found.push({ passage, similarity })
  }
  return found.sort(compareNearness).slice(0, count)
}

/** Searches the indexes in the database. */
export class PgvectorSearch {
  readonly #deps: PgvectorSearchDeps
  #names: Promise<Set<string>> | undefined
  #readAt = 0

  constructor(deps: PgvectorSearchDeps) {
    this.#deps = deps
  }

  /** Checks whether a Brain's vectors in a space have an index here. */
  async isReady(source: ReadSource, key: BrainSpace): Promise<boolean> {
    const now = this.#deps.clock.now().getTime()
    if (now - this.#readAt >= cachedMilliseconds) this.#names = undefined
    if (!this.#names) {
      this.#readAt = now
      this.#names = this.#readNames(source)
      this.#names.catch(() => {
        this.#names = undefined
      })
    }
    return (await this.#names).has(indexName(key))
  }

  /** The nearest passages; undefined where the index was just dropped. */
  async findNearest(
    source: ReadSource,
    key: BrainSpace,
    query: Float32Array,
    count: number,
    accepted: AcceptedPassages,
  ): Promise<NearPassage[] | undefined> {
    const requested = Math.max(minProposed, Math.ceil(count * proposedForEach))
    const proposed = await this.#propose(source, key, query, requested)
    if (proposed.length === 0) return undefined
    const near = chooseNearest(query, count, this.#keepAccepted(key, proposed, accepted))
    if (near.length === count) return near
    // Few of the nearest are accepted: compare all accepted passages, or request as many more as that would take.
    const { passages, last } = await this.#listAccepted(source, key, accepted)
    const farther = Math.ceil((requested * last) / passages.length)
    if (passages.length > farther * comparedForProposed) {
      const more = await this.#propose(source, key, query, farther)
      const found = chooseNearest(query, count, this.#keepAccepted(key, more, accepted))
      if (found.length === count) return found
    }
    return this.#compareAll(source, key, query, passages, count)
  }

  async #readNames({ prepared }: ReadSource): Promise<Set<string>> {
    const indexes = await prepared(selectIndexes)
    return new Set(indexes.flatMap(({ name, isValid }) => (isValid ? [name] : [])))
  }

  #propose({ together }: ReadSource, key: BrainSpace, vector: Float32Array, limit: number) {
    const inView = Math.min(view.max, Math.max(view.min, Math.ceil(limit * view.forEach)))
    const { schema } = this.#deps.pgvector
    const nearest = selectNearest(key, { schema, vector, limit })
    return together(searchSettings(inView, Math.max(minScanned, 2 * limit)), nearest)
  }

  /** The vectors of the proposed passages that are accepted; they are cached, since they are compared again. */
  #keepAccepted(
    key: BrainSpace,
    proposed: readonly { passage: number; vector: Buffer }[],
    accepted: AcceptedPassages,
  ): Map<number, Int8Array> {
    const vectors = new Map<number, Int8Array>()
    for (const { passage, vector } of proposed) {
      if (!isAccepted(accepted, passage)) continue
      const numbers = new Int8Array(vector.buffer, vector.byteOffset, vector.length)
      vectors.set(passage, numbers)
      this.#deps.stored.keep(key, passage, numbers)
    }
    return vectors
  }

  /** The nearest of some passages, all compared. */
  async #compareAll(
    source: ReadSource,
    key: BrainSpace,
    query: Float32Array,
    passages: readonly number[],
    count: number,
  ) {
    let found: NearPassage[] = []
    for (let at = 0; at < passages.length; at += vectorsAtOnce) {
      const vectors = await this.#deps.stored.read(source, key, passages.slice(at, at + vectorsAtOnce))
      found = chooseNearest(query, count, vectors, found)
    }
    return found
  }

  /** All accepted passages of a Brain and space, by their numbers alone. */
  async #listAccepted({ prepared }: ReadSource, { brainId, space }: BrainSpace, accepted: AcceptedPassages) {
    const [progress] = await prepared(selectProgress({ brainId, space }))
    const last = progress?.passage ?? 0
    const passages: number[] = []
    for (let passage = 1; passage <= last; passage++) if (isAccepted(accepted, passage)) passages.push(passage)
    return { passages, last }
  }
}
