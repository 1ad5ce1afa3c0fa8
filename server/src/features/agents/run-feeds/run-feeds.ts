import { createSemaphore } from '../../../shared/concurrency/semaphore.ts'
import { runTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { RunPrepared } from '../../../storage/database.ts'
import { createTail, type Tail } from '../../kernel/live-tail/tail.ts'
import { createTicks } from '../../kernel/live-tail/ticks.ts'
import { type NumberedPart, type PartPage, toPage } from './part-page.ts'
import { type RunKey, selectParts, selectReaches, selectRun } from './queries.ts'
import { RunFeed } from './run-feed.ts'

// The readers of runs on a node. One read serves all who read a run here; while there is no news, all readers of the node
// together cost one statement a second, which also finds news whose wake was lost.

const maxParts = 500
const maxPageLength = 512 * 1024
/** Connections that readers use at once. */
const maxReads = 2

type Deps = { prepared: RunPrepared; topics: Pick<Topics, 'subscribe'>; log: Log }

/** The news for a reader: parts, none when it is time for a heartbeat, or the end of the run. */
export type RunNews = readonly NumberedPart[] | 'ended'

type RunReading = {
  /** The number of the part that was read last; 0 is the beginning. */
  after: number
  signal: AbortSignal
  /** True if the reader may still read; undefined if that cannot be decided now. */
  isStillAllowed(): Promise<boolean | undefined>
}

export type RunFeeds = {
  /**
   * Reads a run from a part on, and follows it to its end. It ends early by its signal, when the run is deleted, and when its
   * reader may not read any more.
   */
  follow(run: RunKey, reading: RunReading): Promise<AsyncGenerator<RunNews>>
  /** Ends all. */
  close(): void
}

/** Reads pages of parts, of which only so many are read at once. */
const createReader = (prepared: RunPrepared) => {
  const places = createSemaphore(maxReads)
  return async (key: RunKey, after: number, version: number): Promise<PartPage | undefined> => {
    const request = { after, limit: maxParts, maxLength: maxPageLength }
    const rows = await places.run(() => prepared(selectParts(key, request)))
    const [first] = rows
    if (!first) return undefined
    const all = rows.flatMap(({ number, part }) => (number === null || part === null ? [] : [{ number, part }]))
    const hasMore = (first.found ?? 0) > all.length
    return toPage({ after, upTo: all.at(-1)?.number ?? after, all, hasMore, hasEnded: first.hasEnded, version })
  }
}

/** The feeds of runs that are read. One is there while it has readers. */
const createFeeds = ({ prepared, topics, log }: Deps) => {
  const feeds = new Map<string, { feed: RunFeed; key: RunKey; stop: () => void }>()
  const read = createReader(prepared)
  const recordFailure = (error: unknown) => log.debug({ err: error }, 'news of runs could not be looked for')

  const open = (key: RunKey) => {
    const feed = new RunFeed((after, version) => read(key, after, version))
    const opened = { feed, key, stop: topics.subscribe(runTopic(key.id), () => feed.wake()) }
    feeds.set(key.id, opened)
    return opened
  }
  /** Finds what a lost wake left, and runs that are gone. */
  const poll = async (): Promise<void> => {
    const asked = [...feeds.values()]
    if (asked.length === 0) return
    const found = await prepared(selectReaches(asked.map(({ key }) => key)))
    const reaches = new Map(found.map((one) => [one.id, one]))
    for (const { feed, key } of asked) {
      const { reach, hasEnded } = reaches.get(key.id) ?? {}
      if (reach === undefined) feed.end()
      else feed.recordReach(reach, hasEnded === true)
    }
  }
  return {
    join: (key: RunKey, tail: Tail): RunFeed => {
      const { feed } = feeds.get(key.id) ?? open(key)
      feed.readers.add(tail)
      return feed
    },
    leave: (key: RunKey, feed: RunFeed, tail: Tail): void => {
      feed.readers.delete(tail)
      if (feed.readers.size > 0) return
      feeds.get(key.id)?.stop()
      feeds.delete(key.id)
    },
    list: (): RunFeed[] => [...feeds.values()].map(({ feed }) => feed),
    poll: () => poll().catch(recordFailure),
    recordFailure,
  }
}

/** All that one reader is sent, from a part on. */
async function* readFeed(feed: RunFeed, tail: Tail, after: number): AsyncGenerator<RunNews> {
  let place = after
  let seen: number | undefined
  while (!tail.hasEnded()) {
    if (!feed.hasNews(seen)) {
      if ((await tail.wait()) === 'heartbeat') yield []
      continue
    }
    const piece = await feed.next(place)
    if (!piece) return
    ;({ place, seen } = piece)
    if (piece.parts.length > 0) yield piece.parts
    if (piece.hasEnded) {
      yield 'ended'
      return
    }
  }
}

/** Opens the feeds of runs on a node. The caller closes them. */
export const openRunFeeds = (deps: Deps): RunFeeds => {
  const feeds = createFeeds(deps)
  const ticks = createTicks({
    ...feeds,
    list: () => feeds.list().map((feed) => ({ tails: feed.readers, age: () => feed.age() })),
  })
  async function* follow(key: RunKey, { after, signal, isStillAllowed }: RunReading) {
    const tail = createTail(isStillAllowed, signal)
    const feed = feeds.join(key, tail)
    ticks.start()
    try {
      yield* readFeed(feed, tail, after)
    } finally {
      tail.end()
      feeds.leave(key, feed, tail)
      if (feeds.list().length === 0) ticks.stop()
    }
  }
  return {
    follow: async (key, reading) => {
      const [run] = await deps.prepared(selectRun(key))
      if (!run) throw notFound('There is no run with this id. The list of runs has those of your organization.')
      return follow(key, reading)
    },
    close: () => {
      ticks.stop()
      for (const feed of feeds.list()) feed.end()
    },
  }
}
