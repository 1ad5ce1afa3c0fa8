import type { Clock } from '../../../shared/clock.ts'
import type { RunPrepared, RunTogether } from '../../../storage/database.ts'
import type { Pgvector } from './pgvector.ts'
import { indexName, searchSettings, selectIndexes, selectNearest } from './pgvector-queries.ts'
import { type Place, selectProgress } from './queries.ts'
import { cosine, type StoredVectors } from './stored-vectors.ts'
import type { Found } from './vector-index.ts'

// The nearest passages of a large Brain, proposed by its index in the database. The index is approximate and knows nothing
// of states, kinds or types: what it proposes is asked for acceptance here, and compared anew by the bytes that are stored.

/** How long the list of indexes is believed. */
const believedMilliseconds = 5_000
/** How many passages the index proposes for each one wanted, and at least. */
const proposedForEach = 1.5
const leastProposed = 150
/** How many it keeps in view for each one proposed, at least, and at most, which is pgvector's own limit. */
const view = { forEach: 1.25, least: 320, most: 1_000 }
/** How many passages are compared in the time that it takes to propose one. */
const comparedForProposed = 6
const vectorsAtOnce = 2_000
/** What pgvector looks at before it gives up, at least. */
const leastScanned = 20_000

export type PgvectorSearch = {
  /** Whether the vectors of a place are searched here. */
  isReady(place: Place): Promise<boolean>
  /** The nearest passages; undefined where the index has just gone. */
  nearest(
    place: Place,
    query: Float32Array,
    count: number,
    accepts: (passage: number) => boolean,
  ): Promise<Found[] | undefined>
}

export type PgvectorSearchDeps = {
  together: RunTogether
  prepared: RunPrepared
  clock: Clock
  stored: StoredVectors
  pgvector: Pgvector
}

const isNearer = (one: Found, other: Found): number => other.similarity - one.similarity || one.passage - other.passage

/** The nearest of some vectors and of what was found already. */
const nearestOf = (
  query: Float32Array,
  count: number,
  vectors: Iterable<readonly [passage: number, vector: Int8Array]>,
  known: readonly Found[] = [],
): Found[] => {
  const found = [...known]
  for (const [passage, vector] of vectors) {
    const similarity = cosine(query, vector)
    if (similarity !== undefined) found.push({ passage, similarity })
  }
  return found.sort(isNearer).slice(0, count)
}

/** Opens the search of the indexes that are in the database. */
export const createPgvectorSearch = (deps: PgvectorSearchDeps): PgvectorSearch => {
  const { prepared, together, clock, stored, pgvector } = deps
  let ready: Promise<Set<string>> | undefined
  let readAt = 0

  const readNames = async () =>
    new Set((await prepared(selectIndexes)).flatMap(({ name, isValid }) => (isValid ? [name] : [])))

  const propose = (place: Place, vector: Float32Array, limit: number) => {
    const inView = Math.min(view.most, Math.max(view.least, Math.ceil(limit * view.forEach)))
    const wanted = selectNearest(place, { schema: pgvector.schema, vector, limit })
    return together(searchSettings(inView, Math.max(leastScanned, 2 * limit)), wanted)
  }

  /** The nearest of some passages, all compared. */
  const best = async (place: Place, query: Float32Array, passages: readonly number[], count: number) => {
    let found: Found[] = []
    for (let at = 0; at < passages.length; at += vectorsAtOnce)
      found = nearestOf(query, count, await stored.read(place, passages.slice(at, at + vectorsAtOnce)), found)
    return found
  }

  /** All passages of a place that are accepted, known by their numbers alone. */
  const acceptedOf = async ({ brainId, space }: Place, accepts: (passage: number) => boolean) => {
    const [progress] = await prepared(selectProgress(brainId, space))
    const last = progress?.passage ?? 0
    const accepted: number[] = []
    for (let passage = 1; passage <= last; passage++) if (accepts(passage)) accepted.push(passage)
    return { accepted, last }
  }

  return {
    isReady: async (place) => {
      const now = clock.now().getTime()
      if (now - readAt >= believedMilliseconds) ready = undefined
      if (!ready) {
        readAt = now
        ready = readNames()
        ready.catch(() => {
          ready = undefined
        })
      }
      return (await ready).has(indexName(place))
    },
    nearest: async (place, query, count, accepts) => {
      const nearestIn = (rows: readonly { passage: number; vector: Buffer }[]) => {
        const accepted = new Map<number, Int8Array>()
        for (const { passage, vector } of rows) {
          if (!accepts(passage)) continue
          const numbers = new Int8Array(vector.buffer, vector.byteOffset, vector.length)
          accepted.set(passage, numbers)
          stored.keep(place, passage, numbers)
        }
        return nearestOf(query, count, accepted)
      }
      const wanted = Math.max(leastProposed, Math.ceil(count * proposedForEach))
      const proposed = await propose(place, query, wanted)
      if (proposed.length === 0) return undefined
      const near = nearestIn(proposed)
      if (near.length === count) return near
      // Few of the nearest are accepted: either all that are get compared, or as many more are looked at as that takes.
      const { accepted, last } = await acceptedOf(place, accepts)
      const farther = Math.ceil((wanted * last) / accepted.length)
      if (accepted.length > farther * comparedForProposed) {
        const found = nearestIn(await propose(place, query, farther))
        if (found.length === count) return found
      }
      return best(place, query, accepted, count)
    },
  }
}
