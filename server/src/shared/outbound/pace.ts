import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'

/** Waits until the machine at these addresses may be called again. Rejects where the signal aborts. */
export type Pace = (addresses: readonly string[], signal: AbortSignal | undefined) => Promise<void>

const maxHosts = 10_000

/** Keeps a pause between the calls of this node to one machine, which is known by its addresses, however many names lead to it. */
export const createPace = (pauseMilliseconds: number): Pace => {
  const nextAt = new LRUCache<string, number>({ max: maxHosts })
  return async (addresses, signal) => {
    const now = performance.now()
    const start = Math.max(now, ...addresses.map((address) => nextAt.get(address) ?? 0))
    for (const address of addresses) nextAt.set(address, start + pauseMilliseconds)
    // A timer may fire early.
    for (let left = start - now; left > 0; left = start - performance.now())
      await delay(Math.ceil(left), undefined, signal ? { signal } : {})
  }
}
