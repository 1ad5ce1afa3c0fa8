import { expect, test } from 'vitest'
import { quietTurn } from './quiet-turn.ts'

/** Keeps each of so many turns of the loop busy for some milliseconds, and tells how many are left. */
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
  await quietTurn(() => 0)
  expect(busy.left).toBe(0)
})

test('a turn in which something came is not quiet', async () => {
  let came = 0
  const arrive = () => {
    came++
    if (came < 100) setImmediate(arrive)
  }
  setImmediate(arrive)
  await quietTurn(() => came)
  expect(came).toBe(100)
})

test('without a quiet turn, waiting ends when patience does', async () => {
  const busy = startBusyTurns(1_000)
  await quietTurn(() => 0, 50)
  expect(busy.left).toBeGreaterThan(0)
  busy.left = 1
})
