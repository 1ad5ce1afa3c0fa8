import type { Clock } from '../../../shared/clock.ts'
import { withTimeout } from '../../../shared/timeout.ts'
import type { RunPrepared } from '../../../storage/database.ts'
import { selectVectorsAfter } from './queries.ts'
import { VectorIndex } from './vector-index.ts'

const vectorsOfAPage = 500
const keptMilliseconds = 600_000

type Entry = {
  brainId: number
  space: string
  index: VectorIndex
  /** The reading that is under way, if any; whoever comes meanwhile waits for the same one. */
  reading: Promise<void> | undefined
  /** Whether all vectors have been read once. */
  isWhole: boolean
  usedAt: number
}

export type IndexCacheDeps = {
  prepared: RunPrepared
  clock: Clock
  /** How many bytes the indexes may take together. The one in use is kept, however large. */
  mostBytes: number
}

/**
 * The indexes of the Brains that are searched: read from the database at the first search, brought up to it by every
 * later one, and dropped when nobody asks for them or others need the room.
 */
export class IndexCache {
  readonly #deps: IndexCacheDeps
  /** The one used last is the last. */
  readonly #entries = new Map<string, Entry>()

  constructor(deps: IndexCacheDeps) {
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

  /** The index as it is in memory, whole or not. */
  peek(brainId: number, space: string): { index: VectorIndex; isWhole: boolean } | undefined {
    return this.#entries.get(keyOf(brainId, space))
  }

  /** The index with all vectors that are stored, or with those that were read in so many milliseconds. */
  async get(
    { brainId, space, dimensions }: { brainId: number; space: string; dimensions: number },
    patience: number,
  ): Promise<VectorIndex> {
    const key = keyOf(brainId, space)
    const entry = this.#entries.get(key) ?? {
      ...{ brainId, space, reading: undefined, isWhole: false },
      index: new VectorIndex(dimensions),
      usedAt: 0,
    }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    entry.usedAt = this.#deps.clock.now().getTime()
    entry.reading ??= this.#read(entry).finally(() => {
      entry.reading = undefined
    })
    await withTimeout(entry.reading, patience)
    return entry.index
  }

  /** Drops the indexes that were not used for a while. */
  dropIdle(): void {
    const before = this.#deps.clock.now().getTime() - keptMilliseconds
    for (const [key, { usedAt }] of this.#entries) if (usedAt < before) this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  async #read(entry: Entry): Promise<void> {
    const { brainId, space, index } = entry
    for (let isLast = false; !isLast; ) {
      const from = { passage: index.newest, limit: vectorsOfAPage }
      const [page] = await this.#deps.prepared(selectVectorsAfter(brainId, space, from))
      if (!page) return
      const { buffer, byteOffset, length } = page.vectors
      index.add(page.passages, new Int8Array(buffer, byteOffset, length))
      isLast = page.passages.length < vectorsOfAPage
      if (page.passages.length > 0) this.#makeRoom(entry)
    }
    entry.isWhole = true
  }

  #makeRoom(kept: Entry): void {
    let over = this.bytes - this.#deps.mostBytes
    for (const [key, entry] of this.#entries) {
      if (over <= 0) return
      if (entry === kept) continue
      over -= entry.index.bytes
      this.#entries.delete(key)
    }
  }
}

const keyOf = (brainId: number, space: string): string => `${brainId} ${space}`
