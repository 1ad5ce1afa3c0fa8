import { createFairQueue } from './fair-queue.ts'

/** Lets so many pass in one turn of the event loop; the others pass in the next ones, tenants in turn. */
export type TurnGate = {
  /** Resolves when the caller may go on. */
  pass(tenant: string): Promise<void>
}

/**
 * What one answer brings on the way for many at once, such as the look-up of a key that a hundred requests carry, would have all
 * of them go on in one turn, while nobody else is answered.
 */
export const createTurnGate = (maxInTurn: number): TurnGate => {
  const waiting = createFairQueue<() => void>()
  let passed = 0
  let isScheduled = false
  const endTurn = (): void => {
    isScheduled = false
    for (passed = 0; passed < maxInTurn; passed++) {
      const next = waiting.next()
      if (!next) break
      next()
    }
    if (passed > 0) schedule()
  }
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(endTurn)
  }
  return {
    pass: async (tenant) => {
      schedule()
      if (waiting.isEmpty() && passed < maxInTurn) passed++
      else await new Promise<void>((resolve) => waiting.add(tenant, resolve))
    },
  }
}
