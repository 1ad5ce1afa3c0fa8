import type { EventType } from '@noema/contracts/event-types.ts'
import { createSemaphore } from '../../../shared/concurrency/semaphore.ts'
import { brainTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { RunPrepared } from '../../../storage/database.ts'
import { readPage, splitEvents } from '../stream/stream.ts'
import { BrainFeed } from './brain-feed.ts'
import type { StreamPage } from './news.ts'
import { selectHeads } from './queries.ts'
import { createTail, type Tail } from './tail.ts'
import { createTicks } from './ticks.ts'

// Live tails of a node. New events of a Brain are read once for all its followers. Without new events, all tails of the
// node together cost one statement a second, which finds events whose notification was lost, and from time to time a check
// of the readers' access.

const pageLimit = 500
/** Connections that tails use at once: some for new events, some for tails that lag. */
const maxReads = 2

type Deps = { prepared: RunPrepared; topics: Pick<Topics, 'subscribe'>; log: Log }

export type TailRequest = {
  after: number
  types?: readonly EventType[] | undefined
  signal: AbortSignal
  /** Checks whether its reader may still read; undefined if that is unknown now. */
  isStillAllowed(): Promise<boolean | undefined>
}

export type LiveTails = {
  /**
   * Follows a Brain's stream from a position: yields events as JSON text, several at once if there are, and an empty list
   * at intervals while nothing is new. It ends by its signal, with the Brain, and when its reader loses access.
   */
  follow(brainId: number, request: TailRequest): AsyncGenerator<readonly string[]>
  /** Ends all tails. */
  close(): void
}

type Feed = BrainFeed<Tail>
/** The position of a tail. */
type Place = { brainId: number; after: number; types: readonly EventType[] | undefined }

const readStream = async (
  prepared: RunPrepared,
  brainId: number,
  request: Parameters<typeof readPage>[2],
): Promise<StreamPage | undefined> => {
  try {
    const page = await readPage(prepared, brainId, request)
    return { events: splitEvents(page), upTo: page.examined, hasMore: page.hasMore }
  } catch (error) {
    // A follower of a deleted Brain is at the end, which is no error.
    if (error instanceof ApiError && error.kind === 'not_found') return undefined
    throw error
  }
}

/** Reads pages: followers at the same position share one read, and few run at once. */
const createReader = (prepared: RunPrepared) => {
  const reading = new Map<string, Promise<StreamPage | undefined>>()
  const places = createSemaphore(maxReads)
  return (brainId: number, after: number, types?: readonly EventType[]): Promise<StreamPage | undefined> => {
    const key = `${brainId} ${after} ${types?.toSorted() ?? ''}`
    const read = () => places.run(() => readStream(prepared, brainId, { after, limit: pageLimit, types }))
    const page = reading.get(key) ?? read().finally(() => reading.delete(key))
    reading.set(key, page)
    return page
  }
}

/** The feeds of Brains that are followed. One is there while it has followers. */
const createFeeds = ({ prepared, topics, log }: Deps) => {
  const feeds = new Map<number, Feed>()
  const stops = new Map<Feed, () => void>()
  const readNews = createReader(prepared)
  const recordFailure = (error: unknown) => log.debug({ err: error }, 'news of a Brain could not be read yet')

  const open = (brainId: number): Feed => {
    const feed: Feed = new BrainFeed((after) => readNews(brainId, after))
    feeds.set(brainId, feed)
    stops.set(
      feed,
      topics.subscribe(brainTopic(brainId), () => void feed.wake().catch(recordFailure)),
    )
    return feed
  }
  /** Finds events whose notification was lost, and deleted Brains. */
  const poll = async (): Promise<void> => {
    const asked = [...feeds]
    const found = await prepared(selectHeads(asked.map(([brainId]) => brainId)))
    const heads = new Map(found.map(({ brainId, head }) => [brainId, head]))
    for (const [brainId, feed] of asked) {
      const head = heads.get(brainId)
      if (head === undefined) feed.end()
      else feed.recordReach(head).catch(recordFailure)
    }
  }
  return {
    join: (brainId: number, tail: Tail): Feed => {
      const feed = feeds.get(brainId) ?? open(brainId)
      feed.followers.add(tail)
      return feed
    },
    leave: (brainId: number, feed: Feed, tail: Tail): void => {
      feed.followers.delete(tail)
      if (feed.followers.size > 0) return
      stops.get(feed)?.()
      stops.delete(feed)
      if (feeds.get(brainId) === feed) feeds.delete(brainId)
    },
    list: (): Feed[] => [...feeds.values()],
    poll: () => poll().catch(recordFailure),
    recordFailure,
  }
}

/** Opens the live tails of a node. The caller closes them. */
export const openLiveTails = (deps: Deps): LiveTails => {
  const feeds = createFeeds(deps)
  const ticks = createTicks({
    ...feeds,
    list: () => feeds.list().map(({ followers, news }) => ({ tails: followers, age: () => news.age() })),
  })
  const readOwn = createReader(deps.prepared)

  const read = (feed: Feed, { brainId, after, types }: Place) =>
    feed.news.find(after, types) ?? readOwn(brainId, after, types)

  /** The next events, which are none where it is time to say that nothing is new; undefined at the end. */
  const next = async (tail: Tail, feed: Feed, place: Place): Promise<readonly string[] | undefined> => {
    while (!tail.hasEnded()) {
      if (feed.isAtHead(place.after)) {
        if ((await tail.wait()) === 'heartbeat') return []
        continue
      }
      const page = await read(feed, place)
      if (!page) return undefined
      place.after = page.upTo
      if (!page.hasMore) feed.recordHead(page.upTo).catch(feeds.recordFailure)
      if (page.events.length > 0) return page.events
    }
    return undefined
  }

  async function* follow(brainId: number, { after, types, signal, isStillAllowed }: TailRequest) {
    const tail = createTail(isStillAllowed, signal)
    const feed = feeds.join(brainId, tail)
    const place = { brainId, after, types }
    ticks.start()
    try {
      for (let events = await next(tail, feed, place); events; events = await next(tail, feed, place)) yield events
    } finally {
      tail.end()
      feeds.leave(brainId, feed, tail)
      if (feeds.list().length === 0) ticks.stop()
    }
  }
  return {
    follow,
    close: () => {
      ticks.stop()
      for (const feed of feeds.list()) feed.end()
    },
  }
}
