import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

test('tenants take turns however much each of them wants, and each gets its items in their order', () => {
  const queue = createFairQueue<string>()
  const next = () => queue.next(() => true)
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item)
  queue.add('b', 'b1')
  expect([next(), next(), next()]).toEqual(['a1', 'b1', 'a2'])
  queue.add('c', 'c1')
  queue.add('b', 'b2')
  expect([next(), next(), next(), next()]).toEqual(['a3', 'c1', 'b2', 'a4'])
  expect([queue.isEmpty(), next()]).toEqual([true, undefined])
})

test('an item that may not go yet keeps its place, and other tenants pass it', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2']) queue.add('a', item)
  queue.add('b', 'b1')
  expect(queue.next((item) => !item.startsWith('a'))).toBe('b1')
  expect([queue.count('a'), queue.count('b')]).toEqual([2, 0])
  expect(queue.removeFirst((item) => item === 'a1', 10)).toEqual(['a1'])
  expect(queue.next(() => true)).toBe('a2')
})
