import { setImmediate } from 'node:timers/promises'

/** A shorter tick of the event loop only asked the system for events. */
const idleMilliseconds = 0.3

/**
 * Waits for the end of an idle tick of the event loop without a new connection, or for the time limit: Node accepts one connection
 * in a tick, so none waited at its beginning. `cameSoFar` counts connections.
 */
export const idleTick = async (cameSoFar: () => number, maxMilliseconds = 1_000): Promise<void> => {
  const until = performance.now() + maxMilliseconds
  for (let isIdle = false; !isIdle && performance.now() < until; ) {
    const [begun, before] = [performance.now(), cameSoFar()]
    await setImmediate()
    isIdle = performance.now() - begun < idleMilliseconds && cameSoFar() === before
  }
}
