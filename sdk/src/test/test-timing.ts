import type { Timing } from '../timing.ts'

/**
 * Timing without delays: sleeps are recorded in `delays` (milliseconds) and end at once, the clock is stopped, random
 * numbers are always `random`, and running timers fire when `elapse` is called.
 */
export const testTiming = ({ now = Date.UTC(2026, 2, 1), random = 0.5 } = {}) => {
  const delays: number[] = []
  const running = new Set<() => void>()
  const timing: Timing = {
    now: () => now,
    random: () => random,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      delays.push(ms)
    },
    startTimer: (_, onElapsed) => {
      running.add(onElapsed)
      return () => void running.delete(onElapsed)
    },
  }
  const elapse = () => {
    for (const onElapsed of [...running]) onElapsed()
  }
  return { timing, delays, elapse, running }
}
