import { type Endpoint, onlyReads } from '@noema/contracts/endpoint.ts'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../../access/principal.ts'
import { toEndpointName } from './messages.ts'

// Decides which reads the worker for large requests answers. The size of an answer is unknown before it is made, so a Brain that
// gave a large answer at an endpoint is remembered: its reads go to the worker for a while, however small some of them are. After
// a large write to a Brain, its reads of unknown size go there, too.

/** An answer with at least this many characters is large. */
export const largeLength = 256 * 1024

const rememberedMilliseconds = 15 * 60_000
const maxRemembered = 10_000

const findBrain = (principal: Principal): string | undefined =>
  'brain' in principal && principal.brain ? String(principal.brain.brainId) : undefined

const mayBeLarge = (endpoint: Endpoint): boolean =>
  (onlyReads(endpoint) || endpoint.jsonRpc === true) && !endpoint.ndjson && !endpoint.file && !endpoint.sse

export type LargeAnswers = {
  /** The Brains and endpoints with something large; if empty, no request is checked. */
  readonly remembered: { readonly size: number }
  /** True if the worker answers a read. */
  isExpected(endpoint: Endpoint, principal: Principal): boolean
  /** Remembers how long an answer was. */
  recordAnswer(endpoint: Endpoint, principal: Principal, length: number): void
  /** Remembers that something large was written to the Brain of a principal. */
  recordWrite(principal: Principal): void
}

export const createLargeAnswers = (now?: () => number): LargeAnswers => {
  const options = { max: maxRemembered, ttl: rememberedMilliseconds, ...(now && { perf: { now }, ttlResolution: 0 }) }
  /** By Brain, and by Brain and endpoint. */
  const remembered = new LRUCache<string, 'large' | 'small'>(options)
  return {
    remembered,
    isExpected: (endpoint, principal) => {
      const brain = findBrain(principal)
      if (brain === undefined || !mayBeLarge(endpoint)) return false
      return (remembered.get(`${brain} ${toEndpointName(endpoint)}`) ?? remembered.get(brain)) === 'large'
    },
    recordAnswer: (endpoint, principal, length) => {
      const brain = findBrain(principal)
      if (brain === undefined || !mayBeLarge(endpoint)) return
      const name = `${brain} ${toEndpointName(endpoint)}`
      if (length >= largeLength) remembered.set(name, 'large')
      else if (remembered.has(brain) && remembered.get(name) === undefined) remembered.set(name, 'small')
    },
    recordWrite: (principal) => {
      const brain = findBrain(principal)
      if (brain !== undefined) remembered.set(brain, 'large')
    },
  }
}
