import type { Tail } from '../../kernel/live-tail/tail.ts'
import { cutPage, findFirstWithdrawn, type NumberedPart, type PartPage } from './part-page.ts'

/** The next parts of a reader, and its number after them. `seen`: the version of the feed that it has read in full, if it has. */
export type Piece = { parts: readonly NumberedPart[]; place: number; seen: number | undefined; hasEnded: boolean }

/** Reads a page; undefined where the run is gone. */
type ReadPage = (after: number, version: number) => Promise<PartPage | undefined>

const maxKeptLength = 1024 * 1024

const measure = (page: PartPage): number => page.all.reduce((sum, { part }) => sum + part.length, 0)

/**
 * The stream of one run for all who read it on this node. A page that was read is kept for a moment, so that those who come
 * to it a little later find it. Nothing is held for a single reader, so a slow one costs nothing: it reads for itself.
 */
export class RunFeed {
  readonly readers = new Set<Tail>()
  readonly #read: ReadPage
  readonly #reading = new Map<number, Promise<PartPage | undefined>>()
  #kept: { page: PartPage; length: number; isOld: boolean }[] = []
  #version = 0
  #reach = 0

  constructor(read: ReadPage) {
    this.#read = read
  }

  /** Wakes all readers. */
  wake(): void {
    this.#version++
    for (const { wake } of this.readers) wake()
  }

  /** Records a known end of the stream. */
  recordReach(reach: number, hasEnded: boolean): void {
    if (reach > this.#reach || hasEnded) this.wake()
  }

  /** True if a reader who has read all of a version has something to read. */
  hasNews(seen: number | undefined): boolean {
    return seen !== this.#version
  }

  /** The parts after a number; undefined where the run is gone. */
  async next(after: number): Promise<Piece | undefined> {
    const page = this.#find(after) ?? (await this.#readOnce(after))
    if (!page) return undefined
    const { upTo: place, hasMore, hasEnded, version } = page
    return { parts: cutPage(page, after), place, seen: hasMore ? undefined : version, hasEnded: hasEnded && !hasMore }
  }

  #find(after: number): PartPage | undefined {
    return this.#kept.find(({ page }) => page.after <= after && (after < page.upTo || this.#isNewest(page, after)))
      ?.page
  }

  /** True if nothing has come after a page that was read up to here. */
  #isNewest({ upTo, hasMore, version }: PartPage, after: number): boolean {
    return upTo === after && !hasMore && version === this.#version
  }

  /** Readers at one number share one read. */
  #readOnce(after: number): Promise<PartPage | undefined> {
    const read = () =>
      this.#read(after, this.#version)
        .then((found) => this.#keep(found))
        .finally(() => this.#reading.delete(after))
    const page = this.#reading.get(after) ?? read()
    this.#reading.set(after, page)
    return page
  }

  #keep(page: PartPage | undefined): PartPage | undefined {
    if (!page) return undefined
    this.#reach = Math.max(this.#reach, page.upTo)
    const withdrawn = findFirstWithdrawn(page) ?? Number.POSITIVE_INFINITY
    // News outdate empty pages, and withdrawals the pages before them.
    this.#kept = this.#kept.filter((one) => one.page.all.length > 0 && one.page.upTo < withdrawn)
    this.#kept.push({ page, length: measure(page), isOld: false })
    let length = this.#kept.reduce((sum, one) => sum + one.length, 0)
    while (length > maxKeptLength && this.#kept.length > 1) length -= this.#kept.shift()?.length ?? 0
    return page
  }

  /** Drops pages that were cached at the last call already. */
  age(): void {
    this.#kept = this.#kept.filter(({ isOld }) => !isOld).map((one) => ({ ...one, isOld: true }))
  }

  end(): void {
    for (const { end } of this.readers) end()
  }
}
