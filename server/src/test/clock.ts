import type { Clock } from '../shared/clock.ts'

export type TestClock = Clock & {
  advance(by: { seconds?: number; minutes?: number; days?: number }): void
  /** Stops the clock where it stands, so that a limit can be met to the millisecond. `advance` still moves it. */
  hold(): void
}

/** A clock that starts now and moves when told to. */
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
