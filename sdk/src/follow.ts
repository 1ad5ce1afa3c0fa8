import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { type CallInput, encodeQuery, fillPath } from './call.ts'
import { NoemaError } from './errors.ts'
import { backoffMs, mayPass, waitMs } from './retry.ts'
import { readMessages } from './sse.ts'
import { fetchPlan, type RequestPlan, type Settings, startDeadline, toApiError } from './transport.ts'

const planTail = (settings: Settings, endpoint: Endpoint, call: CallInput, after: string | undefined): RequestPlan => ({
  method: endpoint.method,
  path: fillPath(endpoint.path, call.params),
  query: encodeQuery({ ...call.input, after }),
  headers: { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }) },
  body: undefined,
  isRepeatable: true,
  signal: call.options.signal,
  timeoutMs: call.options.timeoutMs ?? settings.timeoutMs,
  maxRetries: call.options.maxRetries ?? settings.maxRetries,
})

const openBody = async (settings: Settings, plan: RequestPlan, signal: AbortSignal) => {
  const response = await fetchPlan(settings, plan, signal)
  if (!response.ok) throw toApiError(response, await response.text(), settings.timing.now())
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    throw new NoemaError('The service responded without an event stream: is the base URL that of a Noema service?')
  }
  return response.body.getReader()
}

/** The position of a reader: each complete message moves it. */
type Place = { after: string | undefined; failures: number; hasConnected: boolean; isOver: boolean }

/** The last message of a finite stream. */
const endOfStream = '[DONE]'

const parseItem = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new NoemaError('The event stream contained a message that is not JSON.', { cause })
  }
}

/** Reads one connection until it ends or breaks. Silence for `timeoutMs`, heartbeats included, means a dead connection. */
async function* readConnection(settings: Settings, plan: RequestPlan, place: Place): AsyncGenerator<unknown> {
  const deadline = startDeadline(settings, plan)
  try {
    const reader = await openBody(settings, plan, deadline.signal)
    place.hasConnected = true
    const nextBytes = async () => {
      // Time that the consumer takes for an item is not the connection's silence.
      deadline.restart()
      const { value } = await reader.read()
      deadline.pause()
      if (value) place.failures = 0
      return value
    }
    for await (const message of readMessages(nextBytes)) {
      if (plan.signal?.aborted) return
      if (message.data === endOfStream) {
        place.isOver = true
        return
      }
      place.after = message.id ?? place.after
      if (message.data !== undefined) yield parseItem(message.data)
    }
  } catch (error) {
    throw error instanceof NoemaError ? error : deadline.failure(error)
  } finally {
    deadline.end()
  }
}

/**
 * Follows an endpoint's live tail, or a stream to its end; a broken connection is taken up after the last message that came
 * whole. A first connection fails as any call does; a later one is tried until the signal aborts, because a reader that
 * lives long outlives the service's restarts.
 */
export async function* followEndpoint(
  settings: Settings,
  endpoint: Endpoint,
  call: CallInput,
): AsyncGenerator<unknown> {
  const { signal } = call.options
  const { timing, logger } = settings
  const after = call.input?.after === undefined ? undefined : String(call.input.after)
  const place: Place = { after, failures: 0, hasConnected: false, isOver: false }
  while (!signal?.aborted) {
    const plan = planTail(settings, endpoint, call, place.after)
    let delayMs: number
    try {
      yield* readConnection(settings, plan, place)
      if (place.isOver) return
      delayMs = backoffMs(place.failures, timing.random)
    } catch (error) {
      if (signal?.aborted) return
      if (!mayPass(error) || (!place.hasConnected && place.failures >= plan.maxRetries)) throw error
      delayMs = waitMs(error, place.failures, timing.random)
      logger?.warn('event stream lost, connecting again', { path: plan.path, reason: error.message, delayMs })
    }
    place.failures++
    // Only the abort that also ends the loop ends the wait early.
    await timing.sleep(delayMs, signal).catch(() => undefined)
  }
}
