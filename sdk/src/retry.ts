import { ApiError, ConnectionError } from './errors.ts'

const baseMs = 500
const capMs = 8_000

/** A longer `Retry-After` is the caller's to wait for: a daily cap may ask for hours. */
const maxWaitMs = 60_000

/** Exponential backoff with full jitter: before retry `retry` (from 0), anything up to 0.5 s doubled each time, at most 8 s. */
export const backoffMs = (retry: number, random: () => number): number =>
  random() * Math.min(capMs, baseMs * 2 ** retry)

/** Checks whether the same request may succeed later: 429, any 5xx, or no answer at all. */
export const mayPass = (error: unknown): error is ApiError | ConnectionError =>
  error instanceof ConnectionError || (error instanceof ApiError && (error.status === 429 || error.status >= 500))

/** Milliseconds to wait after a failure: its `Retry-After` if it has one, else the backoff. */
export const waitMs = (error: unknown, retry: number, random: () => number): number =>
  error instanceof ApiError && error.retryAfterSeconds !== undefined
    ? error.retryAfterSeconds * 1000
    : backoffMs(retry, random)

/** The milliseconds to wait before trying again, or undefined where the call has failed for good. */
export const retryDelayMs = (
  error: unknown,
  attempt: { retry: number; maxRetries: number; isRepeatable: boolean; random: () => number },
): number | undefined => {
  if (attempt.retry >= attempt.maxRetries || !mayPass(error)) return undefined
  // A request without an answer may or may not have been executed.
  if (error instanceof ConnectionError && !attempt.isRepeatable) return undefined
  const wait = waitMs(error, attempt.retry, attempt.random)
  return wait <= maxWaitMs ? wait : undefined
}

/** Seconds in a `Retry-After` header (seconds, or an HTTP date); undefined if it has neither. */
export const retryAfterSeconds = (header: string | null, now: number): number | undefined => {
  const text = header?.trim()
  if (!text) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000)
}
