import { currentWaiter, forWaiters, isTracing, outsideSpans, type Waiter } from '../tracing/spans.ts'

/** Gathers single items and works on many of them at once. */
export type Batcher<Item, Result> = {
  /** The result of one item, once the batch that it goes in is done. */
  add(item: Item): Promise<Result>
  /** Resolves when nothing waits and nothing is under way any more. */
  idle(): Promise<void>
}

export type BatcherOptions<Item, Result> = {
  /** Works on a batch, and answers the results in the order of its items. */
  run(items: readonly Item[]): Promise<readonly Result[]>
  maxItems: number
  /** How many batches are under way at once; one unless told otherwise. */
  maxBatches?: number
  /** Items that wait and have the same key are one, and get one result. */
  toKey?(item: Item): string
  /** Whether a batch that failed as a whole goes again item by item, so that only those fail that it failed by. */
  isSplitAfter?(error: unknown): boolean
}

type Waiting<Item, Result> = PromiseWithResolvers<Result> & { item: Item; waiter: Waiter }

/** Resolves when the events that have arrived are handled: a single item waits for nothing else. */
const nextLoopTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * Opens a batcher. The first item waits for what else arrives in this turn of the event loop; while batches are under way,
 * those that come gather for the next.
 */
export const createBatcher = <Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> => {
  const { run, maxItems, maxBatches = 1, toKey, isSplitAfter = () => false } = options
  const waiting = new Map<unknown, Waiting<Item, Result>>()
  const working = new Set<Promise<void>>()
  let isGathering = false

  const takeBatch = (): Waiting<Item, Result>[] => {
    const batch: Waiting<Item, Result>[] = []
    for (const [key, one] of waiting) {
      if (batch.length === maxItems) break
      waiting.delete(key)
      batch.push(one)
    }
    return batch
  }

  const runBatch = (batch: readonly Waiting<Item, Result>[]): Promise<readonly Result[]> => {
    const items = batch.map(({ item }) => item)
    if (!isTracing) return run(items)
    const waiters = batch.map(({ waiter }) => waiter)
    return forWaiters(waiters, () => run(items))
  }

  const settle = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await runBatch(batch)
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (batch.length === 1 || !isSplitAfter(error)) for (const { reject } of batch) reject(error)
      else for (const one of batch) await settle([one])
    }
  }

  const work = async (): Promise<void> => {
    await nextLoopTurn()
    isGathering = false
    while (waiting.size > 0) await settle(takeBatch())
  }

  const startWork = (): void => {
    if (isGathering || working.size >= maxBatches) return
    isGathering = true
    // It goes on with what others add.
    const worker = (isTracing ? outsideSpans(work) : work()).finally(() => {
      working.delete(worker)
      // What was added after the last look, by whoever got a result of it, found this worker still here.
      if (waiting.size > 0) startWork()
    })
    working.add(worker)
  }

  return {
    add: (item) => {
      const key = toKey ? toKey(item) : Symbol('an item of its own')
      const known = waiting.get(key)
      if (known) return known.promise
      const one = { ...Promise.withResolvers<Result>(), item, waiter: isTracing ? currentWaiter() : undefined }
      waiting.set(key, one)
      startWork()
      return one.promise
    },
    idle: async () => {
      while (working.size > 0) await Promise.all(working)
    },
  }
}
