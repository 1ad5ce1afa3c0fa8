import { setImmediate } from 'node:timers/promises'

/** A turn of the loop that took no longer has just asked the system for what came. */
const quietMilliseconds = 0.3

/**
 * Resolves at the end of a turn of the event loop in which little was done, or when patience is over. What came to this process
 * up to then has been taken up, but for what came in the last fraction of a millisecond.
 */
export const quietTurn = async (patienceMilliseconds = 1_000): Promise<void> => {
  const begun = performance.now()
  for (let [before, now] = [begun, Number.POSITIVE_INFINITY]; now - before > quietMilliseconds; ) {
    before = performance.now()
    await setImmediate()
    now = performance.now()
    if (now - begun > patienceMilliseconds) return
  }
}
