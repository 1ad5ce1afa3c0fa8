import { LRUCache } from 'lru-cache'
import type { ReadSource } from '../../../storage/database.ts'
import { type BrainSpace, selectVectors } from './queries.ts'

/** Bytes of a cached vector in addition to its numbers: its key, and the objects around both. */
const overhead = 200

export type StoredVectors = {
  /** The vectors of passages, by their numbers; passages without one are left out. */
  read(source: ReadSource, key: BrainSpace, passages: readonly number[]): Promise<Map<number, Int8Array>>
  /** Keeps a vector that was read by another statement. */
  keep(key: BrainSpace, passage: number, vector: Int8Array): void
  /** A vector that was read recently. */
  peek(key: BrainSpace, passage: number): Int8Array | undefined
  clear(): void
}

/** Reads single vectors from the database and caches them: they never change, and one search reads some twice. */
export const createStoredVectors = (maxBytes: number): StoredVectors => {
  const cache = new LRUCache<string, Int8Array>({
    maxSize: maxBytes,
    sizeCalculation: ({ length }) => length + overhead,
  })
  const toName = ({ brainId, space }: BrainSpace, passage: number) => `${brainId} ${passage} ${space}`
  const keep = (key: BrainSpace, passage: number, vector: Int8Array): void => {
    cache.set(toName(key, passage), vector)
  }
  return {
    keep,
    peek: (key, passage) => cache.get(toName(key, passage)),
    read: async ({ prepared }, key, passages) => {
      const found = new Map<number, Int8Array>()
      const missing: number[] = []
      for (const passage of passages) {
        const cached = cache.get(toName(key, passage))
        if (cached) found.set(passage, cached)
        else missing.push(passage)
      }
      const [page] = missing.length === 0 ? [] : await prepared(selectVectors({ ...key, passages: missing }))
      if (!page) return found
      const dimensions = page.vectors.length / page.passages.length
      for (const [at, passage] of page.passages.entries()) {
        // A copy, so that the cache does not keep the whole answer in memory.
        const vector = Int8Array.from(
          new Int8Array(page.vectors.buffer, page.vectors.byteOffset + at * dimensions, dimensions),
        )
        keep(key, passage, vector)
        found.set(passage, vector)
      }
      return found
    },
    clear: () => cache.clear(),
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
