import { setImmediate } from 'node:timers/promises'

/** A turn of the event loop that took no longer did no work besides asking the system for events. */
const quietMilliseconds = 0.3

/**
 * Resolves at the end of a turn of the event loop in which little was done and nothing came, or when patience is over: Node takes
 * up one connection in a turn, so none waited at its beginning. `cameSoFar` counts what came.
 */
export const quietTurn = async (cameSoFar: () => number, patienceMilliseconds = 1_000): Promise<void> => {
  const until = performance.now() + patienceMilliseconds
  for (let isQuiet = false; !isQuiet && performance.now() < until; ) {
    const [begun, before] = [performance.now(), cameSoFar()]
    await setImmediate()
    isQuiet = performance.now() - begun < quietMilliseconds && cameSoFar() === before
  }
}
