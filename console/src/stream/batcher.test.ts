import { expect, test } from 'vitest'
import { createBatcher } from './batcher.ts'

/** Timers that run as the test moves the clock. */
const createClock = () => {
  let now = 0
  let waiting: { at: number; run: () => void }[] = []
  return {
    timers: {
      set: (run: () => void, milliseconds: number) => {
        const timer = { at: now + milliseconds, run }
        waiting.push(timer)
        return timer
      },
      clear: (timer: unknown) => {
        waiting = waiting.filter((one) => one !== timer)
      },
    },
    advance: (milliseconds: number) => {
      now += milliseconds
      for (const one of waiting.filter(({ at }) => at <= now)) {
        waiting = waiting.filter((other) => other !== one)
        one.run()
      }
    },
  }
}

test('a stream of 1,000 items a second is given at most four times a second, each item once and in order', () => {
  const { timers, advance } = createClock()
  const batches: (readonly number[])[] = []
  const batcher = createBatcher<number>((items) => batches.push(items), { first: 50, next: 250 }, timers)
  for (let item = 0; item < 10_000; item++) {
    batcher.take(item)
    advance(1)
  }
  batcher.stop()
  expect(batches.length).toBeLessThanOrEqual(42)
  expect(batches.flat()).toEqual(Array.from({ length: 10_000 }, (_, item) => item))
})

test('a single item is given soon, also after a busy time', () => {
  const { timers, advance } = createClock()
  const batches: (readonly string[])[] = []
  const batcher = createBatcher<string>((items) => batches.push(items), { first: 50, next: 250 }, timers)
  batcher.take('a')
  advance(50)
  expect(batches).toEqual([['a']])
  advance(250)
  batcher.take('b')
  advance(50)
  expect(batches).toEqual([['a'], ['b']])
})
