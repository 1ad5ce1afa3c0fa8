import { createNews, type News, type StreamPage } from './news.ts'

/** One who follows a stream: called when there may be news, and when it is over. */
export type Follower = { wake(): void; end(): void }

/** Reads what comes after a position for everybody; undefined where the Brain is deleted. */
type ReadNews = (after: number) => Promise<StreamPage | undefined>

const nextLoopTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * The stream of one Brain for all its followers on this node: new events are read once and kept for a moment. A follower
 * that has fallen further behind reads for itself until it has caught up. Nothing is stored per follower, so a slow one
 * costs nothing.
 */
export class BrainFeed<One extends Follower> {
  readonly followers = new Set<One>()
  readonly news: News = createNews()
  readonly #read: ReadNews
  /** The position up to which new events were read; undefined until the first follower has reached the head. */
  #head: number | undefined
  #isWoken = false
  #isReading = false

  constructor(read: ReadNews) {
    this.#read = read
  }

  /** Checks whether a follower at this position waits for new events. */
  isAtHead(position: number): boolean {
    return this.#head !== undefined && position >= this.#head
  }

  /** Notes that a follower found nothing after a position: with the first of them the news begin. */
  async recordHead(position: number): Promise<void> {
    if (this.#head !== undefined) return
    this.#head = position
    if (this.#isWoken) await this.wake()
  }

  /** Records the end of the stream that a reader has seen. */
  async recordReach(position: number): Promise<void> {
    if (this.#head !== undefined && position > this.#head) await this.wake()
  }

  /** Reads new events once for all; a notification during the read is handled after it. */
  async wake(): Promise<void> {
    this.#isWoken = true
    if (this.#head === undefined || this.#isReading) return
    this.#isReading = true
    try {
      while (this.#isWoken && this.followers.size > 0) {
        this.#isWoken = false
        this.#head = await this.#readPage(this.#head)
        for (const { wake } of this.followers) wake()
        // Those who were woken take the page before the next is read.
        await nextLoopTurn()
      }
    } finally {
      this.#isReading = false
    }
  }

  async #readPage(after: number): Promise<number> {
    const page = await this.#read(after)
    if (!page) {
      this.end()
      return after
    }
    if (page.upTo > after) this.news.add({ ...page, after })
    this.#isWoken ||= page.hasMore
    return page.upTo
  }

  end(): void {
    for (const { end } of this.followers) end()
  }
}
