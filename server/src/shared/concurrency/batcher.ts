import { currentWaiter, forWaiters, isTracing, outsideSpans, type Waiter } from '../tracing/spans.ts'

/** Gathers single items and works on many of them at once. */
export type Batcher<Item, Result> = {
  /** The result of one item, once its batch is done. */
  add(item: Item): Promise<Result>
  /** Resolves when no item waits and no batch runs. */
  idle(): Promise<void>
}

export type BatcherOptions<Item, Result> = {
  /** Works on a batch, and returns the results in the order of its items. The batch does not wait for results that are promises. */
  run(items: readonly Item[]): Promise<readonly (Result | Promise<Result>)[]>
  maxItems: number
  /** The number of batches that run at once; one by default. */
  maxBatches?: number
  /** Waiting items with the same key are one, and get one result. */
  toKey?(item: Item): string
  /** Returns true if a failed batch is repeated item by item, so that only the items that caused the failure fail. */
  isSplitAfter?(error: unknown): boolean
}

type Waiting<Item, Result> = PromiseWithResolvers<Result> & { item: Item; waiter: Waiter }

const nextLoopTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Takes the first items out of those that wait. */
const takeFirst = <One>(waiting: Map<unknown, One>, max: number): One[] => {
  const first: One[] = []
  for (const [key, one] of waiting) {
    if (first.length === max) break
    waiting.delete(key)
    first.push(one)
  }
  return first
}

/**
 * Opens a batcher. The first item waits for the others that arrive in this turn of the event loop; items that arrive while batches
 * run wait for the next one.
 */
export const createBatcher = <Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> => {
  const { run, maxItems, maxBatches = 1, toKey, isSplitAfter = () => false } = options
  const waiting = new Map<unknown, Waiting<Item, Result>>()
  const working = new Set<Promise<void>>()
  let isGathering = false

  const runBatch = (batch: readonly Waiting<Item, Result>[]): Promise<readonly (Result | Promise<Result>)[]> => {
    const task = () => run(batch.map(({ item }) => item))
    const waiters = batch.map(({ waiter }) => waiter)
    return isTracing ? forWaiters(waiters, task) : task()
  }

  const complete = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await runBatch(batch)
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (batch.length === 1 || !isSplitAfter(error)) for (const { reject } of batch) reject(error)
      else for (const one of batch) await complete([one])
    }
  }

  const work = async (): Promise<void> => {
    await nextLoopTurn()
    isGathering = false
    while (waiting.size > 0) await complete(takeFirst(waiting, maxItems))
  }

  const startWork = (): void => {
    if (isGathering || working.size >= maxBatches) return
    isGathering = true
    // It also works on items that other callers add.
    const worker = (isTracing ? outsideSpans(work) : work()).finally(() => {
      working.delete(worker)
      // An item that was added after the last check, by a caller that just got its result, found this worker still running.
      if (waiting.size > 0) startWork()
    })
    working.add(worker)
  }

  return {
    add: (item) => {
      const key = toKey ? toKey(item) : Symbol('an item of its own')
      const same = waiting.get(key)
      if (same) return same.promise
      const waiter = isTracing ? currentWaiter() : undefined
      const one = { ...Promise.withResolvers<Result>(), item, waiter }
      waiting.set(key, one)
      startWork()
      return one.promise
    },
    idle: async () => {
      while (working.size > 0) await Promise.all(working)
    },
  }
}
