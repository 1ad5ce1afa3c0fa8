import { LRUCache } from 'lru-cache'
import { withTimeout } from '../../../shared/timeout.ts'
import type { ReadSource } from '../../../storage/database.ts'
import { type Progress, selectVectorsAfter } from './queries.ts'
import { VectorIndex } from './vector-index.ts'

const pageSize = 500
const keptMilliseconds = 600_000
/** The share of the memory that an index counts at most: one that is larger is kept as long as no other needs the memory. */
const maxShare = 0.9

/** The index of a Brain and a space in memory. */
export type CachedIndex = {
  readonly index: VectorIndex
  /** True after all vectors have been read once. */
  isWhole: boolean
  /** The progress of the Brain's embedding, at the last reading. */
  progress: Progress | undefined
}

type Reading = { source: ReadSource; done: Promise<void> }

type Entry = CachedIndex & {
  key: string
  brainId: number
  space: string
  /** The reading that is under way, if any; later searches wait for the same one. */
  reading: Reading | undefined
}

export type VectorCacheOptions = {
  /** The maximum of bytes of all indexes together. The one in use is kept, however large. */
  maxBytes: number
  /** The clock by which indexes expire; the process's monotonic clock by default. */
  perf?: { now(): number }
}

/**
 * The indexes of the Brains that are searched: read from the database at the first search, updated by every later one, and
 * dropped when they are not used or others need the memory.
 */
export class VectorCache {
  /** The cache measures an entry when it is set, and only if it is another object. */
  readonly #entries: LRUCache<string, { entry: Entry }>

  constructor({ maxBytes, perf }: VectorCacheOptions) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ entry }) => Math.ceil(Math.min(maxBytes * maxShare, Math.max(1, entry.index.bytes))),
      ...{ ttl: keptMilliseconds, ttlResolution: 0, updateAgeOnGet: true, ...(perf && { perf }) },
    })
  }

  get bytes(): number {
    return this.#entries.calculatedSize
  }

  get size(): number {
    return this.#entries.size
  }

  /**
   * The index with all vectors that a source shows, or more; one that was never whole has those that were read within
   * `maxMilliseconds`.
   */
  async get(
    source: ReadSource,
    { brainId, space, dimensions }: { brainId: number; space: string; dimensions: number },
    maxMilliseconds: number,
  ): Promise<CachedIndex> {
    const key = `${brainId} ${space}`
    const cached = this.#entries.get(key)?.entry
    const entry: Entry = cached ?? {
      ...{ key, brainId, space, reading: undefined, isWhole: false, progress: undefined },
      index: new VectorIndex(dimensions),
    }
    if (!cached) this.#entries.set(key, { entry })
    entry.reading ??= this.#begin(source, entry)
    const { reading } = entry
    // Few vectors are new since all were read.
    const done = entry.isWhole ? reading.done : withTimeout(reading.done, maxMilliseconds)
    if (reading.source === source) {
      await done
      return entry
    }
    // A reading of another search, from another source, may fail by itself, or end before what this source shows.
    await done.catch(() => undefined)
    return entry.isWhole || !entry.reading ? this.get(source, { brainId, space, dimensions }, maxMilliseconds) : entry
  }

  /** Drops the indexes that were not used for a while. */
  dropIdle(): void {
    this.#entries.purgeStale()
  }

  clear(): void {
    this.#entries.clear()
  }

  #begin(source: ReadSource, entry: Entry): Reading {
    const done = this.#read(source, entry).finally(() => {
      entry.reading = undefined
    })
    return { source, done }
  }

  async #read({ prepared }: ReadSource, entry: Entry): Promise<void> {
    const { key, brainId, space, index } = entry
    for (let isLast = false; !isLast; ) {
      const [page] = await prepared(selectVectorsAfter({ brainId, space, passage: index.newest, limit: pageSize }))
      if (!page) return
      const { passages, vectors, progress } = page
      entry.progress = progress
      isLast = passages.length < pageSize
      if (passages.length === 0) continue
      index.add(passages, new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length))
      if (this.#entries.peek(key)?.entry === entry) this.#entries.set(key, { entry })
    }
    entry.isWhole = true
  }
}
