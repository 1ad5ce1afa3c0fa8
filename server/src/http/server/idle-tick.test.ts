import { expect, test } from 'vitest'
import { idleTick } from './idle-tick.ts'

/** Keeps each of so many ticks of the loop busy for some milliseconds, and returns how many are left. */
const startBusyTurns = (count: number) => {
  const busy = { left: count }
  const work = () => {
    const until = performance.now() + 5
    while (performance.now() < until) Math.sqrt(until)
    busy.left--
    if (busy.left > 0) setImmediate(work)
  }
  setImmediate(work)
  return busy
}

test('a quiet turn comes after the busy ones', async () => {
  const busy = startBusyTurns(10)
  await idleTick(() => 0)
  expect(busy.left).toBe(0)
})

test('a turn in which something came is not quiet', async () => {
  let came = 0
  const arrive = () => {
    came++
    if (came < 100) setImmediate(arrive)
  }
  setImmediate(arrive)
  await idleTick(() => came)
  expect(came).toBe(100)
})

test('without an idle tick, waiting ends at its limit', async () => {
  const busy = startBusyTurns(1_000)
  await idleTick(() => 0, 50)
  expect(busy.left).toBeGreaterThan(0)
  busy.left = 1
})
