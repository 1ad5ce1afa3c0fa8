import { type Endpoint, onlyReads } from '@noema/contracts/endpoint.ts'
import type { Principal } from '../access/principal.ts'
import { toEndpointName } from '../api/body-reader.ts'

// How large the answer of a read will be is not known before, but what a Brain answers is much the same from one time to the
// next: a read whose last answer was large is answered on the thread for heavy calls, until one is small again.

/** From how many characters on an answer is large. */
const largeLength = 256 * 1024

/** How many reads of Brains are remembered. */
const maxRemembered = 10_000

export const createLargeReads = () => {
  const large = new Set<string>()
  const toName = (endpoint: Endpoint, principal: Principal): string | undefined =>
    'brain' in principal && principal.brain && onlyReads(endpoint) && !endpoint.ndjson && !endpoint.sse
      ? `${principal.brain.brainId} ${toEndpointName(endpoint)}`
      : undefined
  return {
    has: (endpoint: Endpoint, principal: Principal): boolean => large.has(toName(endpoint, principal) ?? ''),
    /** Remembers how long an answer was. */
    note: (endpoint: Endpoint, principal: Principal, length: number): void => {
      const name = toName(endpoint, principal)
      if (name === undefined) return
      large.delete(name)
      if (length < largeLength) return
      large.add(name)
      const [oldest] = large
      if (large.size > maxRemembered && oldest !== undefined) large.delete(oldest)
    },
  }
}

export type LargeReads = ReturnType<typeof createLargeReads>
