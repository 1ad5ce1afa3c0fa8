import type { Clock } from '../shared/clock.ts'
import type { WorkerHealth } from '../shared/worker-health.ts'
import { toErrorKind } from './error-kind.ts'

const minMilliseconds = 500
const maxMilliseconds = 30_000

/** Counts how attempts fare, and spaces out those at what fails. */
export type Backoff = {
  isWaiting(): boolean
  /** The delay before the next attempt. */
  waitMilliseconds(): number
  recordSuccess(): void
  recordFailure(error: unknown): void
  health(): Omit<WorkerHealth, 'name' | 'turns'>
}

/** Each failure in a row doubles the wait, and chance keeps nodes from acting as one. */
export const createBackoff = ({
  clock,
  random = Math.random,
}: {
  clock: Clock
  random?: (() => number) | undefined
}): Backoff => {
  let failures = 0
  let retryAt = 0
  /** When the last attempt succeeded, by `performance.now()`. */
  let succeededAt: number | undefined
  let lastError: string | undefined
  const findLastSuccess = () =>
    succeededAt === undefined ? undefined : new Date(clock.now().getTime() - (performance.now() - succeededAt))
  const waitMilliseconds = () => Math.max(0, retryAt - clock.now().getTime())
  return {
    waitMilliseconds,
    isWaiting: () => retryAt > 0 && waitMilliseconds() > 0,
    recordSuccess: () => {
      failures = 0
      retryAt = 0
      lastError = undefined
      succeededAt = performance.now()
    },
    recordFailure: (error) => {
      const wait = Math.min(maxMilliseconds, minMilliseconds * 2 ** Math.min(failures++, 30))
      retryAt = clock.now().getTime() + wait * (0.5 + random() / 2)
      lastError = toErrorKind(error)
    },
    health: () => ({ lastSuccess: findLastSuccess(), consecutiveFailures: failures, lastError }),
  }
}
