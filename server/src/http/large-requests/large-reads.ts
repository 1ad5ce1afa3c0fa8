import { type Endpoint, onlyReads } from '@noema/contracts/endpoint.ts'
import type { Principal } from '../../access/principal.ts'
import { toEndpointName } from '../../api/body-reader.ts'

// How large the answer of a read will be is not known before. What a Brain answered at an endpoint tells it: after a large
// answer its reads go to the thread for large requests for a while, however small some of them are, so that who asks for small
// and large ones in turn keeps nobody waiting. Of a Brain into which something large was written, reads that nothing is known of
// go there, too. Of any other Brain, the first read of an endpoint is waited for before the next is begun.

/** From how many characters on an answer is large. */
const largeLength = 256 * 1024

/** How long what was large is remembered. */
const rememberedMilliseconds = 15 * 60_000

/** How many reads are remembered, and how many Brains with something large in them. */
const maxRemembered = 10_000

/** Where a read is answered, and what is told when it is. */
export type PlacedRead = {
  isElsewhere: boolean
  /** `length`: that of the answer; undefined where there was none. */
  end(length: number | undefined): void
}

/** A read of which nothing is remembered. */
export const unplaced: PlacedRead = { isElsewhere: false, end: () => undefined }

/** A map that forgets what was set longest ago. */
const createMemory = <Value>() => {
  const values = new Map<string, Value>()
  return {
    get: (name: string): Value | undefined => values.get(name),
    set: (name: string, value: Value): void => {
      values.delete(name)
      values.set(name, value)
      const [oldest] = values.keys()
      if (values.size > maxRemembered && oldest !== undefined) values.delete(oldest)
    },
  }
}

const findBrainName = (principal: Principal): string | undefined =>
  'brain' in principal && principal.brain ? String(principal.brain.brainId) : undefined

const mayBeLarge = (endpoint: Endpoint): boolean =>
  (onlyReads(endpoint) || endpoint.jsonRpc === true) && !endpoint.ndjson && !endpoint.sse

export const createLargeReads = (now: () => number = () => performance.now()) => {
  /** Until when reads of a name are taken for large; 0 for small ones. */
  const known = createMemory<number>()
  const largeBrains = createMemory<number>()
  const first = new Map<string, Promise<void>>()
  const isRecent = (until: number | undefined): boolean => until !== undefined && until > now()
  const note = (name: string, length: number): void => {
    if (length >= largeLength) known.set(name, now() + rememberedMilliseconds)
    else if (!isRecent(known.get(name))) known.set(name, 0)
  }
  const place = (name: string, isElsewhere: boolean, ended?: () => void): PlacedRead => ({
    isElsewhere,
    end: (length) => {
      if (length !== undefined) note(name, length)
      ended?.()
    },
  })
  const beginFirst = (name: string): PlacedRead => {
    const { promise, resolve } = Promise.withResolvers<void>()
    first.set(name, promise)
    return place(name, false, () => {
      first.delete(name)
      resolve()
    })
  }
  return {
    /** Says where a read is answered; waits for the first one of its sort. */
    begin: async (endpoint: Endpoint, principal: Principal): Promise<PlacedRead> => {
      const brain = findBrainName(principal)
      if (brain === undefined || !mayBeLarge(endpoint)) return unplaced
      const name = `${brain} ${toEndpointName(endpoint)}`
      // Nothing is waited for where there is none: the next would not see this one.
      if (first.has(name)) await first.get(name)
      const until = known.get(name)
      if (until !== undefined) return place(name, isRecent(until))
      if (isRecent(largeBrains.get(brain))) return place(name, true)
      // A message of a protocol may be a write, which waits for other writes.
      return first.has(name) || !onlyReads(endpoint) ? place(name, false) : beginFirst(name)
    },
    /** Remembers that something large was written into the Brain that a principal is at. */
    noteWrite: (principal: Principal): void => {
      const brain = findBrainName(principal)
      if (brain !== undefined) largeBrains.set(brain, now() + rememberedMilliseconds)
    },
  }
}

export type LargeReads = ReturnType<typeof createLargeReads>
