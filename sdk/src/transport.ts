import type { ErrorDetail } from '@noema/contracts/errors.ts'
import { isObject } from '@noema/contracts/json.ts'
import { ApiError, apiError, ConnectionError, TimeoutError, toErrorKind } from './errors.ts'
import { retryAfterSeconds, retryDelayMs } from './retry.ts'
import type { Timing } from './timing.ts'
import type { FileInput } from './types.ts'

/** Receives the client's messages about retries; `console` works. It never gets a key, a body or a query. */
export type Logger = {
  debug: (message: string, details: Record<string, unknown>) => void
  warn: (message: string, details: Record<string, unknown>) => void
}

/** A client's options with every default filled in. */
export type Settings = {
  baseUrl: string
  headers: Readonly<Record<string, string>>
  maxRetries: number
  timeoutMs: number
  fetch: typeof globalThis.fetch
  logger: Logger | undefined
  timing: Timing
}

/** One request, ready to be sent as often as needed: every attempt sends the same headers and bytes. */
export type RequestPlan = {
  method: string
  /** The path under the base URL, encoded, without the query. */
  path: string
  /** The query with its `?`, or nothing. */
  query: string
  headers: Readonly<Record<string, string>>
  /** Text or bytes, or a stream that can be sent only once. */
  body: FileInput | undefined
  /** True if sending it twice has the same effect as sending it once. */
  isRepeatable: boolean
  signal: AbortSignal | undefined
  timeoutMs: number
  maxRetries: number
}

/** A successful answer, read whole. */
export type Reply = { status: number; headers: Headers; text: string; attempts: number }

// fetch wraps the reason; after attempts at several addresses, the wrapped error has a code instead of a message.
const toReason = (error: unknown): string => {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(reason instanceof Error)) return String(reason)
  return reason.message || ('code' in reason ? String(reason.code) : reason.name)
}

/** The time of one attempt. */
export type Deadline = {
  signal: AbortSignal
  pause: () => void
  restart: () => void
  end: () => void
  failure: (error: unknown) => unknown
}

/**
 * A signal that aborts with the caller's, or when the plan's `timeoutMs` pass between `restart` and `pause` (it starts
 * running). `failure` turns an error of `fetch` into the error to reject with; `end` releases everything.
 */
export const startDeadline = ({ timing, baseUrl }: Settings, plan: RequestPlan): Deadline => {
  const { timeoutMs, signal: callerSignal } = plan
  const controller = new AbortController()
  const { signal } = controller
  const onAbort = () => controller.abort(callerSignal?.reason)
  if (callerSignal?.aborted) onAbort()
  callerSignal?.addEventListener('abort', onAbort, { once: true })
  const start = () =>
    timing.startTimer(timeoutMs, () => controller.abort(new TimeoutError(`No response within ${timeoutMs} ms.`)))
  let pause = start()
  return {
    signal,
    pause: () => pause(),
    restart: () => {
      pause()
      pause = start()
    },
    end: () => {
      pause()
      callerSignal?.removeEventListener('abort', onAbort)
      controller.abort()
    },
    failure: (error: unknown): unknown => {
      if (signal.aborted) return signal.reason
      return new ConnectionError(`No connection to ${baseUrl}: ${toReason(error)}`, { cause: error })
    },
  }
}

/** Sends a request once and returns the answer's head, for any status. */
export const fetchPlan = ({ baseUrl, headers, fetch }: Settings, plan: RequestPlan, signal: AbortSignal) =>
  fetch(baseUrl + plan.path + plan.query, {
    method: plan.method,
    headers: { ...plan.headers, ...headers },
    signal,
    ...(plan.body === undefined ? {} : { body: plan.body }),
    // Without this, fetch refuses a body that is a stream.
    ...(plan.body instanceof ReadableStream ? { duplex: 'half' as const } : {}),
  })

const isDetail = (value: unknown): value is ErrorDetail =>
  isObject(value) && typeof value.path === 'string' && typeof value.message === 'string'

const parseEnvelope = (text: string): Record<string, unknown> => {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) && isObject(body.error) ? body.error : {}
  } catch {
    return {}
  }
}

/** Returns the error of an unsuccessful answer, in the envelope or (from a proxy) without it. */
export const toApiError = (response: Response, text: string, now: number): ApiError => {
  const { kind, message, code, details } = parseEnvelope(text)
  return apiError({
    status: response.status,
    kind: typeof kind === 'string' ? kind : toErrorKind(response.status),
    message:
      typeof message === 'string' ? message : `The service responded with ${response.status}, without an explanation.`,
    code: typeof code === 'string' ? code : undefined,
    details: Array.isArray(details) ? details.filter(isDetail) : [],
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfterSeconds(response.headers.get('retry-after'), now),
  })
}

const attemptOnce = async (settings: Settings, plan: RequestPlan): Promise<Omit<Reply, 'attempts'>> => {
  const deadline = startDeadline(settings, plan)
  try {
    const response = await fetchPlan(settings, plan, deadline.signal)
    const text = await response.text()
    if (!response.ok) throw toApiError(response, text, settings.timing.now())
    return { status: response.status, headers: response.headers, text }
  } catch (error) {
    throw error instanceof ApiError ? error : deadline.failure(error)
  } finally {
    deadline.end()
  }
}

/** Sends a request, and again where `retryDelayMs` allows it. Rejects with the last attempt's error. */
export const send = async (settings: Settings, plan: RequestPlan): Promise<Reply> => {
  const { timing, logger } = settings
  for (let retry = 0; ; retry++) {
    try {
      const reply = await attemptOnce(settings, plan)
      logger?.debug('request', { method: plan.method, path: plan.path, status: reply.status })
      return { ...reply, attempts: retry + 1 }
    } catch (error) {
      const { maxRetries, isRepeatable } = plan
      const delayMs = retryDelayMs(error, { retry, maxRetries, isRepeatable, random: timing.random })
      if (delayMs === undefined) throw error
      const reason = error instanceof Error ? error.message : String(error)
      logger?.warn('request failed, trying again', { method: plan.method, path: plan.path, reason, delayMs })
      await timing.sleep(delayMs, plan.signal)
    }
  }
}
