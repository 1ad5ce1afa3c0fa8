import type { Clock } from '../shared/clock.ts'

export type TestClock = Clock & {
  advance(by: { seconds?: number; minutes?: number; days?: number }): void
  /** Stops the clock, so that a limit can be reached to the millisecond. `advance` still moves it. */
  hold(): void
}

/** A clock that starts now and moves only on request. */
export const createTestClock = (): TestClock => {
  let ahead = 0
  let held: number | undefined
  return {
    now: () => new Date((held ?? Date.now()) + ahead),
    advance: ({ seconds = 0, minutes = 0, days = 0 }) => {
      ahead += ((days * 24 * 60 + minutes) * 60 + seconds) * 1000
    },
    hold: () => {
      held ??= Date.now()
    },
  }
}
