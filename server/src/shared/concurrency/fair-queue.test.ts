import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

test('tenants take turns, whoever asked for how much, and each gets its items in their order', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item)
  queue.add('b', 'b1')
  expect([queue.next(), queue.next(), queue.next()]).toEqual(['a1', 'b1', 'a2'])
  queue.add('c', 'c1')
  queue.add('b', 'b2')
  expect([queue.next(), queue.next(), queue.next(), queue.next()]).toEqual(['a3', 'c1', 'b2', 'a4'])
  expect([queue.isEmpty(), queue.next()]).toEqual([true, undefined])
})
