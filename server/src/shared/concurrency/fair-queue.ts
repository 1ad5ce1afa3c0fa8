/** Items that wait, of many tenants. */
export type FairQueue<Item> = {
  add(tenant: string, item: Item): void
  /** Removes the next item that may start: tenants take turns, and the items of each keep their order. */
  next(mayGo: (item: Item) => boolean): Item | undefined
  /** Removes the first items of each tenant while the condition holds, at most so many. */
  removeFirst(condition: (item: Item) => boolean, max: number): Item[]
  /** Counts the waiting items of a tenant. */
  count(tenant: string): number
  isEmpty(): boolean
  /** The tenants of the waiting items. */
  tenants(): Iterable<string>
}

export const createFairQueue = <Item>(): FairQueue<Item> => {
  // A map keeps the order of its insertions: a tenant that had its turn moves to the end.
  const waiting = new Map<string, Item[]>()
  return {
    add: (tenant, item) => {
      const items = waiting.get(tenant)
      if (items) items.push(item)
      else waiting.set(tenant, [item])
    },
    next: (mayGo) => {
      for (const [tenant, items] of waiting) {
        const [first] = items
        if (first === undefined || !mayGo(first)) continue
        items.shift()
        waiting.delete(tenant)
        if (items.length > 0) waiting.set(tenant, items)
        return first
      }
      return undefined
    },
    removeFirst: (condition, max) => {
      const removed: Item[] = []
      for (const [tenant, items] of waiting) {
        while (removed.length < max && items[0] !== undefined && condition(items[0]))
          removed.push(...items.splice(0, 1))
        if (items.length === 0) waiting.delete(tenant)
      }
      return removed
    },
    count: (tenant) => waiting.get(tenant)?.length ?? 0,
    isEmpty: () => waiting.size === 0,
    tenants: () => waiting.keys(),
  }
}
