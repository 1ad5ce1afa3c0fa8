import type { Clock } from '../clock.ts'

const maxSeconds = 60

/**
 * Leaves something alone for a while after it failed, longer each time, so that nobody waits for what is away. `onLost` and
 * `onBack` are told once each time.
 */
export const createCircuit = (deps: { clock: Clock; onLost(error: Error): void; onBack(): void }) => {
  let failures = 0
  let opensUntil = 0
  return {
    /** Seconds until it is tried again; 0 where it may be tried now. */
    secondsLeft: (): number => Math.max(0, Math.ceil((opensUntil - deps.clock.now().getTime()) / 1_000)),
    noteFailure: (error: Error, retryAfterSeconds?: number): void => {
      const seconds = Math.min(maxSeconds, retryAfterSeconds ?? 2 ** failures)
      if (failures === 0) deps.onLost(error)
      failures++
      opensUntil = deps.clock.now().getTime() + seconds * 1_000
    },
    noteSuccess: (): void => {
      if (failures > 0) deps.onBack()
      failures = 0
    },
  }
}
