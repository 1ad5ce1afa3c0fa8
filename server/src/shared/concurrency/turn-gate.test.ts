import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurnGate } from './turn-gate.ts'

test('so many pass in a turn of the event loop, tenants in turn, and those of later turns, too', async () => {
  const gate = createTurnGate(3)
  const passed: string[] = []
  const pass = (tenant: string) => gate.pass(tenant).then(() => passed.push(tenant))
  const all = [...Array.from({ length: 9 }, () => pass('many')), pass('one')]
  const turns: number[] = []
  while (passed.length < 10) {
    await setImmediate()
    turns.push(passed.length)
  }
  await Promise.all(all)
  expect(Math.max(...turns.map((count, turn) => count - (turns[turn - 1] ?? 0)))).toBeLessThanOrEqual(6)
  expect(passed.indexOf('one')).toBeLessThan(6)
  await setImmediate()
  await pass('later')
  expect(passed.at(-1)).toBe('later')
})
