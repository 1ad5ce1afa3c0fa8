import { inSpan } from '../tracing/spans.ts'
import { CallFailure } from './call-failure.ts'
import type { createCallSlots } from './call-slots.ts'
import { aboutCall, endCall } from './call-spans.ts'
import type { Pace } from './pace.ts'
import type { Pools } from './pools.ts'
import { isNoSuchName } from './resolve.ts'
import { type OnBroken, type StreamLimits, streamResponse } from './stream-response.ts'
import { Refusal } from './targets.ts'
import type { Vet, Vetted } from './vetting.ts'

/** `organization`: whose share of the calls that may be under way at once each one is. */
export type StreamingFetchFor = StreamLimits & { organization: string; onBroken?: OnBroken }

type Deps = {
  vet: Vet
  pools: Pools
  slots: ReturnType<typeof createCallSlots>
  /** Waits until the machine at these addresses may be called again. */
  pace?: Pace
}

const maxRequestBytes = 32 * 1024 * 1024
const resolveSeconds = 10

// The connection sets these itself. Without a request for compression, an answer cannot swell when it is read.
const ownHeaders = [
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'te',
]

const postponed = (what: string) =>
  new CallFailure(`It was not sent: as many calls ${what} are under way as may be at once.`, { isPostponed: true })

/** Reads a request as it will be sent. Streams are read completely first: no caller in this service streams its request. */
const readRequest = async (input: string | URL | Request, { signal: _left, ...init }: RequestInit) => {
  const request = new Request(input, init)
  const body = request.body === null ? null : Buffer.from(await request.arrayBuffer())
  if (body && body.length > maxRequestBytes) throw new CallFailure(`A request has at most ${maxRequestBytes} bytes.`)
  const headers = Object.fromEntries([...request.headers].filter(([name]) => !ownHeaders.includes(name)))
  return { method: request.method, headers: { ...headers, 'accept-encoding': 'identity' }, body }
}

const vetInTime = async (vet: Vet, url: string, signal: AbortSignal | undefined): Promise<Vetted> => {
  const inTime = AbortSignal.timeout(resolveSeconds * 1000)
  try {
    return await vet(url, signal ? AbortSignal.any([signal, inTime]) : inTime)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof Refusal) throw new CallFailure(error.message)
    throw new CallFailure('The host could not be resolved.', { isRetryable: !isNoSuchName(error) })
  }
}

type Given = { input: string | URL | Request; init: RequestInit }

const fetchOnce = async (
  { vet, pools, slots, pace }: Deps,
  { organization, onBroken, ...limits }: StreamingFetchFor,
  { input, init }: Given,
): Promise<Response> => {
  const signal = init.signal ?? (input instanceof Request ? input.signal : undefined)
  signal?.throwIfAborted()
  const leaveNode = slots.take(organization)
  if (!leaveNode) throw postponed('of this organization')
  try {
    const { target, addresses } = await vetInTime(vet, input instanceof Request ? input.url : String(input), signal)
    const request = await readRequest(input, init)
    signal?.throwIfAborted()
    await pace?.(addresses, signal)
    const leaveHost = slots.takeHost(addresses, organization)
    if (!leaveHost) throw postponed('to this host')
    const options = { ...request, path: target.url.pathname + target.url.search } as const
    const leave = () => {
      leaveHost()
      leaveNode()
    }
    return await streamResponse(pools.get(target, addresses), options, { limits, signal, leave, onBroken })
  } catch (error) {
    leaveNode()
    throw error
  }
}

/**
 * A `fetch` for clients with a protocol of their own over HTTP, such as those of language models. Each call is checked and
 * pinned like any other, follows no redirect, uses a slot while it lasts, and ends when its signal aborts.
 */
export const createStreamingFetch =
  (deps: Deps, request: StreamingFetchFor): typeof fetch =>
  (input, init = {}) =>
    inSpan(
      () => aboutCall(input instanceof Request ? input.url : String(input), init.method ?? 'GET'),
      async (span) => {
        const response = await fetchOnce(deps, request, { input, init })
        if (span) endCall(span, { status: response.status, outcome: 'answered' })
        return response
      },
    )
