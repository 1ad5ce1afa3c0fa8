import type { Clock } from '../../../shared/clock.ts'
import type { ReadSource } from '../../../storage/database.ts'
import type { AcceptedPassages } from '../lexical-index/types.ts'
import type { Pgvector } from './pgvector.ts'
import { indexName, searchSettings, selectIndexes, selectNearest } from './pgvector-queries.ts'
import { type Place, selectProgress } from './queries.ts'
import { cosine, type StoredVectors } from './stored-vectors.ts'
import { isAccepted, type NearPassage } from './vector-index.ts'

// The nearest passages of a large Brain, proposed by its index in the database. The index is approximate and knows nothing
// of states, kinds or types: what it proposes is asked for acceptance here, and compared anew by the bytes that are stored.

/** How long the list of indexes is believed. */
const believedMilliseconds = 5_000
/** How many passages the index proposes for each one wanted, and at least. */
const proposedForEach = 1.5
const minProposed = 150
/** How many it keeps in view for each one proposed, at least, and at most, which is pgvector's own limit. */
const view = { forEach: 1.25, min: 320, max: 1_000 }
/** How many passages are compared in the time that it takes to propose one. */
const comparedForProposed = 6
const vectorsAtOnce = 2_000
/** What pgvector looks at before it gives up, at least. */
const minScanned = 20_000

export type PgvectorSearchDeps = {
  clock: Clock
  stored: StoredVectors
  pgvector: Pgvector
}

const compareNearness = (one: NearPassage, other: NearPassage): number =>
  other.similarity - one.similarity || one.passage - other.passage

/** The nearest of some vectors and of what was found already. */
const chooseNearest = (
  query: Float32Array,
  count: number,
  vectors: Iterable<readonly [passage: number, vector: Int8Array]>,
  known: readonly NearPassage[] = [],
): NearPassage[] => {
  const found = [...known]
  for (const [passage, vector] of vectors) {
    const similarity = cosine(query, vector)
    if (similarity !== undefined) found.push({ passage, similarity })
  }
  return found.sort(compareNearness).slice(0, count)
}

/** The search of the indexes that are in the database. */
export class PgvectorSearch {
  readonly #deps: PgvectorSearchDeps
  #names: Promise<Set<string>> | undefined
  #readAt = 0

  constructor(deps: PgvectorSearchDeps) {
    this.#deps = deps
  }

  /** Whether the vectors of a place are searched here. */
  async isReady(source: ReadSource, place: Place): Promise<boolean> {
    const now = this.#deps.clock.now().getTime()
    if (now - this.#readAt >= believedMilliseconds) this.#names = undefined
    if (!this.#names) {
      this.#readAt = now
      this.#names = this.#readNames(source)
      this.#names.catch(() => {
        this.#names = undefined
      })
    }
    return (await this.#names).has(indexName(place))
  }

  /** The nearest passages; undefined where the index has just gone. */
  async findNearest(
    source: ReadSource,
    place: Place,
    query: Float32Array,
    count: number,
    accepted: AcceptedPassages,
  ): Promise<NearPassage[] | undefined> {
    const wanted = Math.max(minProposed, Math.ceil(count * proposedForEach))
    const proposed = await this.#propose(source, place, query, wanted)
    if (proposed.length === 0) return undefined
    const near = chooseNearest(query, count, this.#keepAccepted(place, proposed, accepted))
    if (near.length === count) return near
    // Few of the nearest are accepted: either all that are get compared, or as many more are looked at as that takes.
    const { passages, last } = await this.#listAccepted(source, place, accepted)
    const farther = Math.ceil((wanted * last) / passages.length)
    if (passages.length > farther * comparedForProposed) {
      const more = await this.#propose(source, place, query, farther)
      const found = chooseNearest(query, count, this.#keepAccepted(place, more, accepted))
      if (found.length === count) return found
    }
    return this.#compareAll(source, place, query, passages, count)
  }

  async #readNames({ prepared }: ReadSource): Promise<Set<string>> {
    const indexes = await prepared(selectIndexes)
    return new Set(indexes.flatMap(({ name, isValid }) => (isValid ? [name] : [])))
  }

  #propose({ together }: ReadSource, place: Place, vector: Float32Array, limit: number) {
    const inView = Math.min(view.max, Math.max(view.min, Math.ceil(limit * view.forEach)))
    const { schema } = this.#deps.pgvector
    const wanted = selectNearest(place, { schema, vector, limit })
    return together(searchSettings(inView, Math.max(minScanned, 2 * limit)), wanted)
  }

  /** The vectors of what was proposed and is accepted; they are kept, as they are compared again. */
  #keepAccepted(
    place: Place,
    proposed: readonly { passage: number; vector: Buffer }[],
    accepted: AcceptedPassages,
  ): Map<number, Int8Array> {
    const vectors = new Map<number, Int8Array>()
    for (const { passage, vector } of proposed) {
      if (!isAccepted(accepted, passage)) continue
      const numbers = new Int8Array(vector.buffer, vector.byteOffset, vector.length)
      vectors.set(passage, numbers)
      this.#deps.stored.keep(place, passage, numbers)
    }
    return vectors
  }

  /** The nearest of some passages, all compared. */
  async #compareAll(source: ReadSource, place: Place, query: Float32Array, passages: readonly number[], count: number) {
    let found: NearPassage[] = []
    for (let at = 0; at < passages.length; at += vectorsAtOnce) {
      const vectors = await this.#deps.stored.read(source, place, passages.slice(at, at + vectorsAtOnce))
      found = chooseNearest(query, count, vectors, found)
    }
    return found
  }

  /** All passages of a place that are accepted, known by their numbers alone. */
  async #listAccepted({ prepared }: ReadSource, { brainId, space }: Place, accepted: AcceptedPassages) {
    const [progress] = await prepared(selectProgress(brainId, space))
    const last = progress?.passage ?? 0
    const passages: number[] = []
    for (let passage = 1; passage <= last; passage++) if (isAccepted(accepted, passage)) passages.push(passage)
    return { passages, last }
  }
}
