import { readEventHead } from '../stream/stream.ts'

/** Events of a stream as JSON text, up to a position. */
export type StreamPage = { events: readonly string[]; upTo: number; hasMore: boolean }

/** The events that were read for all followers at the head: those of the positions (after, upTo]. */
type NewsPage = StreamPage & { after: number }

/** The news of a stream for a while, gapless, for those who are not quite at its head. */
export type News = {
  add(page: NewsPage): void
  /** The events after a position, of these types; undefined where they are not kept. */
  find(after: number, types: readonly string[] | undefined): StreamPage | undefined
  /** Drops the events that were there at the last call. */
  age(): void
}

const maxBytes = 2 * 1024 * 1024

type Kept = NewsPage & { bytes: number; isOld: boolean; chosen: Map<string, readonly string[]> }

const ofTypes = (events: readonly string[], types: readonly string[]) =>
  events.filter((event) => types.includes(readEventHead(event).type))

/** Returns the same list to all followers with the same types, so that it is encoded only once. */
const choose = (page: Kept, types: readonly string[] | undefined): readonly string[] => {
  if (types === undefined) return page.events
  const key = types.toSorted().join()
  const chosen = page.chosen.get(key) ?? ofTypes(page.events, types)
  page.chosen.set(key, chosen)
  return chosen
}

export const createNews = (): News => {
  let pages: Kept[] = []
  let bytes = 0
  const drop = (count: number) => {
    for (const page of pages.splice(0, count)) bytes -= page.bytes
  }
  return {
    add: (page) => {
      const size = page.events.reduce((sum, event) => sum + event.length, 0)
      pages.push({ ...page, bytes: size, isOld: false, chosen: new Map() })
      bytes += size
      while (bytes > maxBytes && pages.length > 1) drop(1)
    },
    find: (after, types) => {
      const page = pages.find((one) => one.after <= after && after < one.upTo)
      if (!page) return undefined
      const { upTo, hasMore } = page
      if (after === page.after) return { events: choose(page, types), upTo, hasMore }
      // Positions have no gaps, so an event's index in the page gives its position.
      const events = page.events.slice(after - page.after)
      return { events: types ? ofTypes(events, types) : events, upTo, hasMore }
    },
    age: () => {
      drop(pages.filter(({ isOld }) => isOld).length)
      pages = pages.map((page) => ({ ...page, isOld: true }))
    },
  }
}
