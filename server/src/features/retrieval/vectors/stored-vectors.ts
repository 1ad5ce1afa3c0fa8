import { LRUCache } from 'lru-cache'
import type { ReadSource } from '../../../storage/database.ts'
import { type Place, selectVectors } from './queries.ts'

/** Bytes of a vector beside its numbers: its key and what holds both. */
const overhead = 200

export type StoredVectors = {
  /** The vectors of passages, by their numbers; a passage without one is not among them. */
  read(source: ReadSource, place: Place, passages: readonly number[]): Promise<Map<number, Int8Array>>
  /** Keeps a vector that was read otherwise. */
  keep(place: Place, passage: number, vector: Int8Array): void
  /** A vector that was read a moment ago. */
  peek(place: Place, passage: number): Int8Array | undefined
  clear(): void
}

/** Reads single vectors from the database and keeps the last ones: they never change, and one search asks twice. */
export const createStoredVectors = (maxBytes: number): StoredVectors => {
  const kept = new LRUCache<string, Int8Array>({
    maxSize: maxBytes,
    sizeCalculation: ({ length }) => length + overhead,
  })
  const toKey = ({ brainId, space }: Place, passage: number) => `${brainId} ${passage} ${space}`
  const keep = (place: Place, passage: number, vector: Int8Array): void => {
    kept.set(toKey(place, passage), vector)
  }
  return {
    keep,
    peek: (place, passage) => kept.get(toKey(place, passage)),
    read: async ({ prepared }, place, passages) => {
      const found = new Map<number, Int8Array>()
      const missing: number[] = []
      for (const passage of passages) {
        const known = kept.get(toKey(place, passage))
        if (known) found.set(passage, known)
        else missing.push(passage)
      }
      const [page] = missing.length === 0 ? [] : await prepared(selectVectors(place.brainId, place.space, missing))
      if (!page) return found
      const dimensions = page.vectors.length / page.passages.length
      for (const [at, passage] of page.passages.entries()) {
        // A copy: the rest of what came with it is not to be kept for its sake.
        const vector = Int8Array.from(
          new Int8Array(page.vectors.buffer, page.vectors.byteOffset + at * dimensions, dimensions),
        )
        keep(place, passage, vector)
        found.set(passage, vector)
      }
      return found
    },
    clear: () => kept.clear(),
  }
}

/** The cosine of a vector of length 1 and a stored one; undefined where they are of different spaces after all. */
export const cosine = (query: Float32Array, vector: Int8Array): number | undefined => {
  if (vector.length !== query.length) return undefined
  let [product, square] = [0, 0]
  for (let axis = 0; axis < vector.length; axis++) {
    const value = vector[axis] ?? 0
    product += value * (query[axis] ?? 0)
    square += value * value
  }
  return product / Math.sqrt(square || 1)
}

/** A stored vector scaled to length 1. */
export const toUnit = (vector: Int8Array): Float32Array => {
  let square = 0
  for (const value of vector) square += value * value
  const scale = 1 / Math.sqrt(square || 1)
  return Float32Array.from(vector, (value) => value * scale)
}
