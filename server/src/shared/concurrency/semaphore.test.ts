import { expect, test } from 'vitest'
import { createSemaphore } from './semaphore.ts'

test('a limited number of tasks runs at a time, in the order of their arrival, and a failed one releases its slot', async () => {
  const semaphore = createSemaphore(2)
  let running = 0
  let maxRunning = 0
  const order: number[] = []
  const tasks = Array.from({ length: 9 }, (_, index) =>
    semaphore.run(async () => {
      order.push(index)
      maxRunning = Math.max(maxRunning, ++running)
      await Promise.resolve()
      running--
      if (index % 3 === 0) throw new Error('failed')
      return index
    }),
  )
  const outcomes = await Promise.allSettled(tasks)
  expect(maxRunning).toBe(2)
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  expect(outcomes.filter((outcome) => outcome.status === 'rejected')).toHaveLength(3)
})

test('a slot is taken at once or not at all, is released only once, and goes to a waiting caller', async () => {
  const semaphore = createSemaphore(1)
  const leave = semaphore.tryEnter()
  expect(semaphore.tryEnter()).toBeUndefined()
  const waiting = semaphore.run(async () => 'ran')
  leave?.()
  leave?.()
  expect(semaphore.tryEnter()).toBeUndefined()
  expect(await waiting).toBe('ran')
  expect(semaphore.tryEnter()).toBeDefined()
  expect(semaphore.tryEnter()).toBeUndefined()
})
