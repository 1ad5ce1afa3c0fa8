import type { Clock } from '../../shared/clock.ts'
import type { Db, RunPrepared } from '../../storage/database.ts'
import type { Pgvector } from './pgvector.ts'
import { indexName, type Place, reachIndex, selectIndexes, selectNearest } from './pgvector-queries.ts'
import { selectProgress } from './queries.ts'
import { cosine, type StoredVectors } from './stored-vectors.ts'
import type { Found } from './vector-index.ts'

// The nearest passages of a large Brain, proposed by its index in the database. The index is approximate and knows nothing
// of states, kinds or types: what it proposes is asked for acceptance here, and compared anew by the bytes that are stored.

/** How long the list of indexes is believed. */
const believedMilliseconds = 5_000
/** How many passages the index proposes for each one wanted, and keeps in view while it looks for them. */
const proposedForEach = 2
const leastProposed = 200
const list = { least: 200, most: 1_000 }
/** Passages up to which all that are accepted are compared, and beyond which the index is not asked to propose. */
const mostCompared = 4_096
const mostProposed = 20_000
const vectorsAtOnce = 2_000

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
  db: Db
  prepared: RunPrepared
  clock: Clock
  stored: StoredVectors
  pgvector: Pgvector
}

const isNearer = (one: Found, other: Found): number => other.similarity - one.similarity || one.passage - other.passage

/** Opens the search of the indexes that are in the database. */
export const createPgvectorSearch = (deps: PgvectorSearchDeps): PgvectorSearch => {
  const { db, prepared, clock, stored, pgvector } = deps
  let ready: Promise<Set<string>> | undefined
  let readAt = 0

  const readNames = async () =>
    new Set((await prepared(selectIndexes)).flatMap(({ name, isValid }) => (isValid ? [name] : [])))

  const propose = (place: Place, vector: Float32Array, limit: number): Promise<number[] | undefined> =>
    db.transaction().execute(async (tx) => {
      const reach = { list: Math.min(list.most, Math.max(list.least, limit)), most: 2 * mostProposed }
      if (!(await reachIndex(tx, indexName(place), reach))) return undefined
      return selectNearest(tx, place, { schema: pgvector.schema, vector, limit })
    })

  /** The nearest of some passages, all compared. */
  const best = async (place: Place, query: Float32Array, passages: readonly number[], count: number) => {
    let found: Found[] = []
    for (let at = 0; at < passages.length; at += vectorsAtOnce) {
      const vectors = await stored.read(place, passages.slice(at, at + vectorsAtOnce))
      for (const [passage, vector] of vectors) {
        const similarity = cosine(query, vector)
        if (similarity !== undefined) found.push({ passage, similarity })
      }
      found = found.sort(isNearer).slice(0, count)
    }
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
      const wanted = Math.max(leastProposed, count * proposedForEach)
      const first = await propose(place, query, wanted)
      if (!first) return undefined
      const near = first.filter((passage) => accepts(passage))
      if (near.length >= count) return best(place, query, near, count)
      // Few of the nearest are accepted. Where few are at all, those are compared; else as many more are looked at as it takes.
      const { accepted, last } = await acceptedOf(place, accepts)
      const proposed = Math.ceil((wanted * last) / accepted.length)
      if (accepted.length <= mostCompared || proposed > mostProposed) return best(place, query, accepted, count)
      const farther = ((await propose(place, query, proposed)) ?? []).filter((passage) => accepts(passage))
      return best(place, query, farther.length >= count ? farther.slice(0, wanted) : accepted, count)
    },
  }
}
