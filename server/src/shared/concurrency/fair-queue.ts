/** Work that waits, of many tenants. */
export type FairQueue<Item> = {
  add(tenant: string, item: Item): void
  /** The next item: tenants take turns, and the items of each come in their order. */
  next(): Item | undefined
  isEmpty(): boolean
}

export const createFairQueue = <Item>(): FairQueue<Item> => {
  // A map keeps the order in which its names were added: who had a turn goes to the end.
  const waiting = new Map<string, Item[]>()
  return {
    add: (tenant, item) => {
      const items = waiting.get(tenant)
      if (items) items.push(item)
      else waiting.set(tenant, [item])
    },
    next: () => {
      const [first] = waiting
      if (!first) return undefined
      const [tenant, items] = first
      const item = items.shift()
      waiting.delete(tenant)
      if (items.length > 0) waiting.set(tenant, items)
      return item
    },
    isEmpty: () => waiting.size === 0,
  }
}
