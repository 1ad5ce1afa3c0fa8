import { validation } from '../errors.ts'
import type { Measures } from '../measures.ts'
import { inSpan } from '../tracing/spans.ts'
import { toTraceparent } from '../tracing/trace-context.ts'
import { type CallLimits, createCallSlots } from './call-slots.ts'
import { aboutCall, endCall } from './call-spans.ts'
import { type Exchange, exchange } from './exchange.ts'
import { createPace } from './pace.ts'
import { createPools } from './pools.ts'
import { isNoSuchName, type Resolve } from './resolve.ts'
import { createStreamingFetch, type StreamingFetchFor } from './streaming-fetch.ts'
import { type Allowed, parseTarget, Refusal, type Rules } from './targets.ts'
import { createVet, type Vet } from './vetting.ts'

// The only module that connects to the network (mail aside). Every URL is untrusted, so each call is checked, pinned to the
// checked addresses, and bounded in time and size. Redirects are answers like any other.

/**
 * The outcome of a call. `status` is null if no answer began; `error` is null if the answer arrived completely.
 * `isPostponed`: the call was not made, because the maximum number is running; try again soon. `hasRunOut`: it used up its
 * time.
 */
export type Outcome = Exchange & { milliseconds: number; isPostponed: boolean; hasRunOut: boolean }

/** `organization`: whose share of the calls that may be under way at once this one is. */
type OutboundRequest = { url: string; headers: Record<string, string>; body: string; organization: string }

/** The called party: each type has its own exceptions from the rule that only public hosts are allowed. */
type Callee = 'webhook' | 'provider' | 'connector' | 'app' | 'page'

export type Outbound = {
  /** Throws `validation` if a URL may not be called. It accepts the URL if DNS does not answer: each call checks again. */
  check(url: string, as?: { callee?: Callee; field?: string }): Promise<void>
  /** The reason why the text of a web page's URL cannot be fetched; undefined if it can. Asks no DNS: each fetch does. */
  findRefusal(url: string): string | undefined
  /** Posts a body, once. Never rejects. */
  post(request: OutboundRequest): Promise<Outcome>
  /**
   * A `fetch` to providers of models, to connectors, or of the documents by which apps describe themselves, with its own slots: such
   * a call may last for minutes. Fetches of web pages have slots of their own, and pauses between those from one host.
   */
  fetch(callee: Exclude<Callee, 'webhook'>, request: StreamingFetchFor): typeof fetch
  limits: CallLimits
  close(): Promise<void>
}

export type OutboundSettings = {
  allow: readonly Allowed[]
  ports: readonly number[]
  limits: CallLimits
  /** The limits of agents' calls, each of which may last for minutes. */
  agents: { allowProviders: readonly Allowed[]; allowConnectors: readonly Allowed[]; limits: CallLimits }
  /** The limits of fetches of web pages. */
  pages: { allow: readonly Allowed[]; calls: CallLimits; pauseMilliseconds: number }
  measures?: Measures
  /** Replaced in tests, which have no DNS. */
  resolve?: Resolve
  /** Certificates to trust instead of the usual ones. */
  ca?: string
  /** For a call in all, from the first question to DNS to the last byte; 10 unless a test cannot wait. */
  seconds?: number
}

type Ended = Exchange & { isPostponed: boolean }

const failed = (error: string): Ended => ({ status: null, answer: '', error, isPostponed: false })
const postponed = (what: string): Ended => ({
  ...failed(`It was not sent: as many calls ${what} are under way as may be at once.`),
  isPostponed: true,
})

const nameOutcome = ({ status, isPostponed }: Ended): string => {
  if (isPostponed) return 'postponed'
  if (status === null) return 'failed'
  return status >= 200 && status < 300 ? 'delivered' : 'refused'
}

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

/** Makes a call in its own span, whose trace context it sends to the receiver. */
const inCallSpan = (request: OutboundRequest, call: (request: OutboundRequest) => Promise<Ended>): Promise<Ended> =>
  inSpan(
    () => aboutCall(request.url, 'POST'),
    async (span) => {
      if (!span) return call(request)
      const headers = { ...request.headers, traceparent: toTraceparent(span.context) }
      const ended = await call({ ...request, headers })
      endCall(span, { status: ended.status, outcome: nameOutcome(ended) })
      return ended
    },
  )

const toPageRules = ({ pages, ports }: OutboundSettings): Rules => ({
  ...{ allow: pages.allow, ports, setting: 'NOEMA_WEB_ALLOW' },
})

const createVets = (given: OutboundSettings): Record<Callee, Vet> => {
  const { resolve, allow, ports, agents } = given
  return {
    webhook: createVet({ allow, ports, resolve, setting: 'NOEMA_WEBHOOK_ALLOW' }),
    provider: createVet({ allow: agents.allowProviders, ports, resolve, setting: 'NOEMA_PROVIDER_ALLOW' }),
    connector: createVet({ allow: agents.allowConnectors, ports, resolve, setting: 'NOEMA_CONNECTOR_ALLOW' }),
    // Strangers name these addresses, so no setting makes an exception.
    app: createVet({ allow: [], ports, resolve, setting: '' }),
    page: createVet({ ...toPageRules(given), resolve }),
  }
}

/** The reason why the text of a URL cannot be called; undefined if it can. */
const findTextRefusal = (url: string, rules: Rules): string | undefined => {
  try {
    parseTarget(url, rules)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

/** Opens the outbound module. The caller closes it. */
export const createOutbound = (given: OutboundSettings): Outbound => {
  const { ca, seconds = 10, limits, agents, pages } = given
  const slots = createCallSlots(limits)
  const agentSlots = createCallSlots(agents.limits)
  const pageSlots = createCallSlots(pages.calls)
  const pace = createPace(pages.pauseMilliseconds)
  const pools = createPools(ca)
  const vets = createVets(given)
  const call = async ({ url, headers, body, organization }: OutboundRequest, signal: AbortSignal): Promise<Ended> => {
    const { target, addresses } = await vets.webhook(url, signal)
    const leave = slots.takeHost(addresses, organization)
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
    const leave = slots.take(request.organization)
    if (!leave) return postponed('of this organization')
    return inTime(seconds, (signal) => call(request, signal))
      .catch((error: unknown) => failed(error instanceof Refusal ? error.message : 'The host could not be resolved.'))
      .finally(leave)
  }
  return {
    check: async (url, { callee = 'webhook', field = 'url' } = {}) => {
      try {
        await inTime(seconds, (signal) => vets[callee](url, signal))
      } catch (error) {
        if (!(error instanceof Refusal) && !isNoSuchName(error)) return
        const message = error instanceof Refusal ? error.message : 'The host does not exist.'
        throw validation(`${field}: ${message}`, { details: [{ path: [field], message }] })
      }
    },
    post: async (request) => {
      const begun = performance.now()
      const ended = await inCallSpan(request, callInPlace)
      const milliseconds = Math.round(performance.now() - begun)
      given.measures?.report('noema_webhook_call_seconds', milliseconds / 1_000, { outcome: nameOutcome(ended) })
      return { ...ended, milliseconds, hasRunOut: ended.error !== null && milliseconds >= seconds * 1000 }
    },
    fetch: (callee, request) => {
      const slots = callee === 'page' ? { slots: pageSlots, pace } : { slots: agentSlots }
      return createStreamingFetch({ vet: vets[callee], pools, ...slots }, request)
    },
    findRefusal: (url) => findTextRefusal(url, toPageRules(given)),
    limits,
    close: pools.close,
  }
}
