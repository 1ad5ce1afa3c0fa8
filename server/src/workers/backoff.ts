import type { Clock } from '../shared/clock.ts'

const minMilliseconds = 500
const maxMilliseconds = 30_000

/** Spaces out attempts at what fails: each failure in a row doubles the wait, and chance keeps nodes from acting as one. */
export const createBackoff = ({ clock, random = Math.random }: { clock: Clock; random?: () => number }) => {
  let failures = 0
  let retryAt = 0
  let lastSuccess: Date | undefined
  return {
    isWaiting: () => clock.now().getTime() < retryAt,
    noteSuccess: () => {
      failures = 0
      lastSuccess = clock.now()
    },
    noteFailure: () => {
      const wait = Math.min(maxMilliseconds, minMilliseconds * 2 ** failures++)
      retryAt = clock.now().getTime() + wait * (0.5 + random() / 2)
    },
    health: () => ({ consecutiveFailures: failures, lastSuccess }),
  }
}
