import type { Clock } from '../../../shared/clock.ts'
import { withTimeout } from '../../../shared/timeout.ts'
import type { ReadSource } from '../../../storage/database.ts'
import { type Progress, selectVectorsAfter } from './queries.ts'
import { VectorIndex } from './vector-index.ts'

const pageSize = 500
const keptMilliseconds = 600_000

/** The index of a Brain and a space as it is in memory. */
export type CachedIndex = {
  readonly index: VectorIndex
  /** Whether all vectors have been read once. */
  isWhole: boolean
  /** How far the Brain is embedded, as the last reading found it. */
  progress: Progress | undefined
}

type Reading = { source: ReadSource; done: Promise<void> }

type Entry = CachedIndex & {
  brainId: number
  space: string
  /** The reading that is under way, if any; whoever comes meanwhile waits for the same one. */
  reading: Reading | undefined
  usedAt: number
}

export type VectorCacheDeps = {
  clock: Clock
  /** How many bytes the indexes may take together. The one in use is kept, however large. */
  maxBytes: number
}

/**
 * The indexes of the Brains that are searched: read from the database at the first search, brought up to it by every
 * later one, and dropped when nobody asks for them or others need the room.
 */
export class VectorCache {
  readonly #deps: VectorCacheDeps
  /** The one used last is the last. */
  readonly #entries = new Map<string, Entry>()

  constructor(deps: VectorCacheDeps) {
    this.#deps = deps
  }

  get bytes(): number {
    let sum = 0
    for (const { index } of this.#entries.values()) sum += index.bytes
    return sum
  }

  get size(): number {
    return this.#entries.size
  }

  /**
   * The index with all vectors that a source shows, or more; of one that was never whole, those that were read in so many
   * milliseconds.
   */
  async get(
    source: ReadSource,
    { brainId, space, dimensions }: { brainId: number; space: string; dimensions: number },
    patience: number,
  ): Promise<CachedIndex> {
    const key = `${brainId} ${space}`
    const entry = this.#entries.get(key) ?? {
      ...{ brainId, space, reading: undefined, isWhole: false, progress: undefined },
      index: new VectorIndex(dimensions),
      usedAt: 0,
    }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    entry.usedAt = this.#deps.clock.now().getTime()
    entry.reading ??= this.#begin(source, entry)
    const { reading } = entry
    // What is new since all was read is little.
    const done = entry.isWhole ? reading.done : withTimeout(reading.done, patience)
    if (reading.source === source) {
      await done
      return entry
    }
    // What is read for somebody else, from elsewhere, may be lost alone, or end before what this source shows.
    await done.catch(() => undefined)
    return entry.isWhole || !entry.reading ? this.get(source, { brainId, space, dimensions }, patience) : entry
  }

  /** Drops the indexes that were not used for a while. */
  dropIdle(): void {
    const before = this.#deps.clock.now().getTime() - keptMilliseconds
    for (const [key, { usedAt }] of this.#entries) if (usedAt < before) this.#entries.delete(key)
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
    const { brainId, space, index } = entry
    for (let isLast = false; !isLast; ) {
      const from = { passage: index.newest, limit: pageSize }
      const [page] = await prepared(selectVectorsAfter(brainId, space, from))
      if (!page) return
      const { passages, vectors, progress } = page
      entry.progress = progress
      isLast = passages.length < pageSize
      if (passages.length === 0) continue
      index.add(passages, new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length))
      this.#makeRoom(entry)
    }
    entry.isWhole = true
  }

  #makeRoom(kept: Entry): void {
    let over = this.bytes - this.#deps.maxBytes
    for (const [key, entry] of this.#entries) {
      if (over <= 0) return
      if (entry === kept) continue
      over -= entry.index.bytes
      this.#entries.delete(key)
    }
  }
}
