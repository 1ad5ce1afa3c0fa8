import { expect, test } from 'vitest'
import { type BatcherOptions, createBatcher } from './batcher.ts'

/** A batcher that doubles numbers, refuses negative ones with their whole batch, and continues when the test says so. */
const openDoubler = (options: Partial<BatcherOptions<number, number>> = {}) => {
  const batches: number[][] = []
  let goOn: (() => void)[] = []
  let isOpen = false
  const batcher = createBatcher<number, number>({
    run: async (items) => {
      batches.push([...items])
      if (!isOpen) await new Promise<void>((resolve) => goOn.push(resolve))
      if (items.some((item) => item < 0)) throw new Error('negative')
      return items.map((item) => 2 * item)
    },
    maxItems: 3,
    ...options,
  })
  return {
    batches,
    batcher,
    begun: (count: number) => expect.poll(() => batches.length, { interval: 1 }).toBe(count),
    open: () => {
      isOpen = true
      for (const resolve of goOn) resolve()
      goOn = []
    },
  }
}

test('items of one turn of the loop are one batch, in their order, as many as it takes', async () => {
  const { batcher, batches, open } = openDoubler()
  open()
  expect(await Promise.all([1, 2, 3, 4].map((item) => batcher.add(item)))).toEqual([2, 4, 6, 8])
  expect(batches).toEqual([[1, 2, 3], [4]])
})

test('items that arrive during a batch are collected for the next', async () => {
  const { batcher, batches, begun, open } = openDoubler()
  const first = batcher.add(1)
  await begun(1)
  const later = [batcher.add(2), batcher.add(3)]
  open()
  expect(await Promise.all([first, ...later])).toEqual([2, 4, 6])
  expect(batches).toEqual([[1], [2, 3]])
})

test('the configured number of batches runs at once', async () => {
  const { batcher, batches, begun, open } = openDoubler({ maxBatches: 2 })
  const results = [batcher.add(1)]
  await begun(1)
  results.push(batcher.add(2))
  await begun(2)
  results.push(batcher.add(3), batcher.add(4))
  open()
  expect(await Promise.all(results)).toEqual([2, 4, 6, 8])
  expect(batches).toEqual([[1], [2], [3, 4]])
})

test('waiting items of one key are one, and all callers get the one result', async () => {
  const { batcher, batches, open } = openDoubler({ toKey: (item) => String(item % 2) })
  open()
  expect(await Promise.all([1, 3, 2, 5].map((item) => batcher.add(item)))).toEqual([2, 2, 4, 2])
  expect(batches).toEqual([[1, 2]])
})

test('a batch that fails fails all its items, unless it is split: then only those that it failed by', async () => {
  const whole = openDoubler()
  whole.open()
  const together = await Promise.allSettled([1, -1, 2].map((item) => whole.batcher.add(item)))
  expect(together.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  const split = openDoubler({ isSplitAfter: (error) => error instanceof Error && error.message === 'negative' })
  split.open()
  const singly = await Promise.allSettled([1, -1, 2].map((item) => split.batcher.add(item)))
  expect(singly.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(split.batches).toEqual([[1, -1, 2], [1], [-1], [2]])
})

test('it is idle once nothing waits and nothing is under way', async () => {
  const { batcher, begun, open } = openDoubler()
  await batcher.idle()
  const results = Promise.all([1, 2, 3, 4].map((item) => batcher.add(item)))
  await begun(1)
  let isIdle = false
  const idle = batcher.idle().then(() => {
    isIdle = true
  })
  expect(isIdle).toBe(false)
  open()
  await idle
  expect(await results).toEqual([2, 4, 6, 8])
})

test('an item that is added as a result comes is worked on, however soon after it', async () => {
  const { batcher, open } = openDoubler()
  open()
  for (let turns = 0; turns < 12; turns++) {
    await batcher.add(turns)
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    expect(await batcher.add(turns)).toBe(2 * turns)
  }
})
