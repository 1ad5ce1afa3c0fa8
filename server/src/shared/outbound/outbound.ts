import { buildConnector, Pool } from 'undici'
import { validation } from '../errors.ts'
import { type CallLimits, createCallPlaces } from './call-places.ts'
import { type Exchange, exchange } from './exchange.ts'
import { isNoSuchName, type Resolve, resolveHost } from './resolve.ts'
import { checkAddresses, createRules, parseTarget, Refusal, type Target } from './targets.ts'

// The one way from the service to the network (mail aside): every URL comes from somebody else, so each call is checked,
// pinned to the addresses that were checked, and bounded in time and size. Redirects are answers like any other.

/**
 * How a call ended. `status` is null where no answer began; `error` is null where the answer came whole. `isPostponed`: it was
 * not made at all, because as many are under way as may be; try again soon. `hasRunOut`: it took all the time that it may.
 */
export type Outcome = Exchange & { milliseconds: number; isPostponed: boolean; hasRunOut: boolean }

/** `organization`: whose share of the calls that may be under way at once this one is. */
type OutboundRequest = { url: string; headers: Record<string, string>; body: string; organization: string }

export type Outbound = {
  /** Throws `validation` where a URL may not be called. A DNS that does not answer is no reason: each call checks again. */
  check(url: string): Promise<void>
  /** Posts a body, once. Never rejects. */
  post(request: OutboundRequest): Promise<Outcome>
  limits: CallLimits
  close(): Promise<void>
}

export type OutboundSettings = {
  allow: readonly string[]
  ports: readonly number[]
  limits: CallLimits
  /** Replaced in tests, which have no DNS. */
  resolve?: Resolve
  /** Certificates to trust, in place of the usual ones. */
  ca?: string
  /** For a call in all, from the first question to DNS to the last byte; 10 unless a test cannot wait. */
  seconds?: number
}

const connectMilliseconds = 3_000
const maxHeaderBytes = 16 * 1024
// Kept for the next delivery, but not so long that the far end gives it up at the moment we send.
const keepAliveMilliseconds = 2_000
const maxPools = 256

type Ended = Exchange & { isPostponed: boolean }

const failed = (error: string): Ended => ({ status: null, answer: '', error, isPostponed: false })
const postponed = (what: string): Ended => ({
  ...failed(`It was not sent: as many calls ${what} are under way as may be at once.`),
  isPostponed: true,
})

/** Gives work a signal that aborts when its time is over. */
const inTime = async <Result>(seconds: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
  const over = new AbortController()
  const timer = setTimeout(
    () => over.abort(`There was no complete response within ${seconds} seconds.`),
    seconds * 1000,
  )
  try {
    return await work(over.signal)
  } finally {
    clearTimeout(timer)
  }
}

const beforeAbort = <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('No answer in time.')), { once: true })
    work.then(resolve, reject)
  })

/** Connections by origin and checked addresses: one that was made is used again only while the same addresses pass. */
const createPools = (ca: string | undefined) => {
  const pools = new Map<string, Pool>()
  const open = ({ url }: Target, addresses: readonly string[]) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const connect = buildConnector({
      timeout: connectMilliseconds,
      allowH2: false,
      autoSelectFamily: true,
      ...(ca === undefined ? {} : { ca }),
      // The name is not asked for again between the check and the connection, so no other answer can slip in.
      lookup: (_host, options, done) =>
        options.all ? done(null, found) : done(null, found[0]?.address ?? '', found[0]?.family),
    })
    return new Pool(url.origin, {
      connect,
      pipelining: 1,
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: keepAliveMilliseconds,
      keepAliveMaxTimeout: keepAliveMilliseconds,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }
  return {
    get: (target: Target, addresses: readonly string[]): Pool => {
      const key = [target.url.origin, ...addresses.toSorted()].join(' ')
      const pool = pools.get(key) ?? open(target, addresses)
      // Put last again, so that the first is the one unused for longest.
      pools.delete(key)
      pools.set(key, pool)
      const [oldest] = pools
      if (pools.size > maxPools && oldest) {
        pools.delete(oldest[0])
        void oldest[1].close()
      }
      return pool
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

/** Opens the way to the network. Whoever opens it closes it. */
export const createOutbound = (given: OutboundSettings): Outbound => {
  const { resolve = resolveHost, ca, seconds = 10, limits, ...settings } = given
  const rules = createRules(settings)
  const places = createCallPlaces(limits)
  const pools = createPools(ca)
  const vet = async (target: Target, signal: AbortSignal): Promise<string[]> => {
    const addresses = target.isLiteral
      ? [target.host]
      : await beforeAbort(resolve(target.host, target.isAllowed), signal)
    checkAddresses(target, addresses, rules)
    return addresses
  }
  const call = async ({ url, headers, body, organization }: OutboundRequest, signal: AbortSignal): Promise<Ended> => {
    const target = parseTarget(url, rules)
    const addresses = await vet(target, signal)
    const leave = places.takeHost(addresses, organization)
    if (!leave) return postponed('to this host')
    try {
      const path = target.url.pathname + target.url.search
      const request = { path, method: 'POST', headers, body } as const
      return { ...(await exchange(pools.get(target, addresses), request, signal)), isPostponed: false }
    } finally {
      leave()
    }
  }
  const callInPlace = async (request: OutboundRequest): Promise<Ended> => {
    const leave = places.take(request.organization)
    if (!leave) return postponed('of this organization')
    return inTime(seconds, (signal) => call(request, signal))
      .catch((error: unknown) => failed(error instanceof Refusal ? error.message : 'The host could not be resolved.'))
      .finally(leave)
  }
  return {
    check: async (url) => {
      try {
        await inTime(seconds, (signal) => vet(parseTarget(url, rules), signal))
      } catch (error) {
        if (!(error instanceof Refusal) && !isNoSuchName(error)) return
        const message = error instanceof Refusal ? error.message : 'The host does not exist.'
        throw validation(`url: ${message}`, { details: [{ path: ['url'], message }] })
      }
    },
    post: async (request) => {
      const begun = performance.now()
      const ended = await callInPlace(request)
      const milliseconds = Math.round(performance.now() - begun)
      return { ...ended, milliseconds, hasRunOut: ended.error !== null && milliseconds >= seconds * 1000 }
    },
    limits,
    close: pools.close,
  }
}
