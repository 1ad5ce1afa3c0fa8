import { LRUCache } from 'lru-cache'

/** The pace at which something is read. */
export type Pace = {
  /** Resolves when so much more may be read; at once while little was. */
  keep(amount: number): Promise<void>
}

type Rate = { perSecond: number; burst: number }

const maxOwners = 10_000

const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Paces by owner: all streams of one owner together are read at one rate. */
export const createPaces = ({ perSecond, burst }: Rate): ((holder: string) => Pace) => {
  const buckets = new LRUCache<string, { level: number; at: number }>({ max: maxOwners })
  return (holder) => ({
    keep: async (amount) => {
      const now = performance.now()
      const { level, at } = buckets.get(holder) ?? { level: burst, at: now }
      const left = Math.min(burst, level + ((now - at) / 1000) * perSecond) - amount
      buckets.set(holder, { level: left, at: now })
      // The next reader pays back a piece beyond the rate, so no one waits long before a small piece.
      if (left < 0) await wait((-left / perSecond) * 1000)
    },
  })
}
