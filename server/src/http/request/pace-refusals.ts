import type { Socket } from 'node:net'

// Who is told to wait and asks again at once is answered later: their connection brings a refusal a second and no more. Closing
// it would cost more than the answer.

/** Between two refusals on one connection: the shortest time that `retry-after` names. */
const pauseMilliseconds = 1_000
/** By so much later, by chance: those that were refused together do not come back together. */
const maxSpreadMilliseconds = 250

/** When a connection was last told to wait, or will be. */
const toldAt = new WeakMap<Socket, number>()

/**
 * Tells in how many milliseconds a connection may be told to wait: at once, the first time. Undefined while it is about to be
 * told: it asked without waiting for the answer, and what is held for it must not grow.
 */
export const delayRefusal = (connection: Socket): number | undefined => {
  const now = performance.now()
  const before = toldAt.get(connection)
  if (before !== undefined && before > now) return undefined
  const earliest = before === undefined ? 0 : before + pauseMilliseconds + Math.random() * maxSpreadMilliseconds
  const at = Math.max(now, earliest)
  toldAt.set(connection, at)
  return at - now
}
