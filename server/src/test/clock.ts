import type { Clock } from '../shared/clock.ts'

/** A clock that starts now and moves when told to. */
export const createTestClock = (): Clock & {
  advance(by: { seconds?: number; minutes?: number; days?: number }): void
} => {
  let ahead = 0
  return {
    now: () => new Date(Date.now() + ahead),
    advance: ({ seconds = 0, minutes = 0, days = 0 }) => {
      ahead += ((days * 24 * 60 + minutes) * 60 + seconds) * 1000
    },
  }
}
