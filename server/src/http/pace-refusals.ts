import type { Socket } from 'node:net'

// Who is told to wait and asks again at once is answered later: their connection brings a few refusals a second and no more.
// Closing it would cost more than the answer. And a herd that was told to wait does not come back as one: its refusals leave
// one after the other.

/** Between two refusals on one connection. */
const pauseMilliseconds = 1_000
/** Between two refusals of this process. */
const spacingMilliseconds = 0.5
const maxDelayMilliseconds = 2_000

/** Tells in how many milliseconds a connection may be told to wait. */
export const createRefusalPace = (): ((connection: Socket) => number) => {
  const toldAt = new WeakMap<Socket, number>()
  let nextAt = 0
  return (connection) => {
    const now = performance.now()
    const ofConnection = (toldAt.get(connection) ?? Number.NEGATIVE_INFINITY) + pauseMilliseconds
    const at = Math.min(Math.max(now, nextAt, ofConnection), now + maxDelayMilliseconds)
    toldAt.set(connection, at)
    nextAt = Math.max(nextAt, now) + spacingMilliseconds
    return at - now
  }
}
