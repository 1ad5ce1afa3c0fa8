import type { Socket } from 'node:net'

// Delays the refusals of callers that ask again at once: a connection gets one refusal a second and no more. Closing it would cost
// more than the answer.

/** The pause between two refusals on one connection: the shortest time that `retry-after` names. */
const pauseMilliseconds = 1_000
/** The random part of a delay, so that callers that were refused together do not come back together. */
const maxSpreadMilliseconds = 250

/** The time of the last refusal of a connection, which may be in the future. */
const retryTimes = new WeakMap<Socket, number>()

/**
 * The milliseconds until a connection may be refused; 0 the first time. Undefined while a refusal is pending: the caller asked again
 * without waiting for it, and the memory held for the connection must not grow.
 */
export const delayRefusal = (connection: Socket): number | undefined => {
  const now = performance.now()
  const before = retryTimes.get(connection)
  if (before !== undefined && before > now) return undefined
  const earliest = before === undefined ? 0 : before + pauseMilliseconds + Math.random() * maxSpreadMilliseconds
  const at = Math.max(now, earliest)
  retryTimes.set(connection, at)
  return at - now
}
