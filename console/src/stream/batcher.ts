type Timers = { set: (run: () => void, milliseconds: number) => unknown; clear: (timer: unknown) => void }

const systemTimers: Timers = {
  set: (run, milliseconds) => setTimeout(run, milliseconds),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
}

/** Milliseconds from the first item to its batch, and between the batches of a busy stream. */
type Pace = { first: number; next: number }

/**
 * Collects items and gives them together: soon after a quiet time, and at a bounded rate while many arrive, so that a busy stream
 * costs little to show. Every item is given once, in order, the last ones by `stop`.
 */
export const createBatcher = <Item>(
  give: (items: readonly Item[]) => void,
  { first, next }: Pace,
  timers: Timers = systemTimers,
) => {
  let items: Item[] = []
  let timer: unknown
  const flush = () => {
    if (items.length === 0) {
      timer = undefined
      return
    }
    const batch = items
    items = []
    timer = timers.set(flush, next)
    give(batch)
  }
  return {
    take: (item: Item) => {
      items.push(item)
      timer ??= timers.set(flush, first)
    },
    stop: () => {
      timers.clear(timer)
      if (items.length > 0) give(items)
    },
    /** Stops without giving what is left. */
    drop: () => timers.clear(timer),
  }
}
