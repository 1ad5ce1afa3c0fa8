import type { Clock } from '../clock.ts'

const maxSeconds = 60

/**
 * Refuses calls of something that failed for a while, longer after each failure, so that no caller waits for it. `onLost` and
 * `onBack` are called once for each outage.
 */
export const createCircuit = (deps: { clock: Clock; onLost(error: Error): void; onBack(): void }) => {
  let opensUntil = 0
  const circuit = {
    /** Failures since the last success. While there are none, calls need not ask for more. */
    failures: 0,
    /** Seconds until the next try; 0 where it may be tried now. */
    secondsLeft: (): number =>
      circuit.failures === 0 ? 0 : Math.max(0, Math.ceil((opensUntil - deps.clock.now().getTime()) / 1_000)),
    recordFailure: (error: Error, retryAfterSeconds?: number): void => {
      const seconds = Math.min(maxSeconds, retryAfterSeconds ?? 2 ** circuit.failures)
      if (circuit.failures === 0) deps.onLost(error)
      circuit.failures++
      opensUntil = deps.clock.now().getTime() + seconds * 1_000
    },
    recordSuccess: (): void => {
      if (circuit.failures > 0) deps.onBack()
      circuit.failures = 0
    },
  }
  return circuit
}
