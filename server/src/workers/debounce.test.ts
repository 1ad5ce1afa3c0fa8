import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDebounce } from './debounce.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const open = () => {
  const released: string[] = []
  const debounce = createDebounce({ quietMilliseconds: 250, maxMilliseconds: 5_000 }, (key) => released.push(key))
  return { debounce, released }
}

test('a key that is woken once is released when it has been quiet for a moment', async () => {
  const { debounce, released } = open()
  debounce.wake('a')
  await vi.advanceTimersByTimeAsync(499)
  expect(released).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(released).toEqual(['a'])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(released).toEqual(['a'])
})

test('a key that is woken without end is released now and then all the same, and keeps no other waiting', async () => {
  const { debounce, released } = open()
  debounce.wake('quiet')
  for (let at = 0; at < 12_000; at += 100) {
    debounce.wake('busy')
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(released).toEqual(['quiet', 'busy', 'busy'])
})

test('everything can be released at once, and nothing is released after the end', async () => {
  const { debounce, released } = open()
  debounce.wake('a')
  debounce.wake('b')
  debounce.releaseAll()
  expect(released).toEqual(['a', 'b'])
  debounce.wake('c')
  debounce.stop()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(released).toEqual(['a', 'b'])
})
