import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PlanAge } from './plan-age.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** After how many seconds the plans of a connection are made again whose statements take so many milliseconds each second. */
const findAge = (millisecondsEachSecond: number): number => {
  const age = new PlanAge()
  age.expire(5_000)
  for (let second = 1; ; second++) {
    vi.advanceTimersByTime(1_000)
    age.spend(millisecondsEachSecond)
    if (age.expire(5_000)) return second
  }
}

test('plans of statements that take time are made again after five seconds, those of an idle connection after a minute', () => {
  expect(findAge(50)).toBe(5)
  expect(findAge(10)).toBe(10)
  expect(findAge(0.5)).toBe(60)
})
