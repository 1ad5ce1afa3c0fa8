import type { Receipt } from '@noema/contracts/receipts.ts'

/** A reader of a Brain, according to its receipts. */
export type Consumer = {
  /** Null for reads without a consumer id. */
  consumerId: string | null
  reads: number
  lastAt: string
  /** The number of reads by operation, most frequent first. */
  operations: { operation: Receipt['operation']; count: number }[]
  /** The number of its reads whose items have changed since. */
  outdated: number
}

const countOperations = (receipts: readonly Receipt[]): Consumer['operations'] => {
  const counts = new Map<Receipt['operation'], number>()
  for (const { operation } of receipts) counts.set(operation, (counts.get(operation) ?? 0) + 1)
  return [...counts].map(([operation, count]) => ({ operation, count })).sort((a, b) => b.count - a.count)
}

/** The readers in the latest receipts, latest first. */
export const listConsumers = (receipts: readonly Receipt[]): Consumer[] =>
  [...Map.groupBy(receipts, ({ consumerId }) => consumerId)]
    .map(([consumerId, own]) => ({
      consumerId,
      reads: own.length,
      lastAt:
        own
          .map(({ at }) => at)
          .sort()
          .at(-1) ?? '',
      operations: countOperations(own),
      outdated: own.filter(({ current }) => !current).length,
    }))
    .sort((a, b) => (a.lastAt < b.lastAt ? 1 : -1))
