/** Places for work of which only so much may run at once. */
export type Semaphore = {
  /** Runs a task once a place is free; the others wait for their turn in the order in which they came. */
  run<Result>(task: () => Promise<Result>): Promise<Result>
  /** Takes a place if one is free now, and answers how to leave it. */
  tryEnter(): (() => void) | undefined
}

export const createSemaphore = (places: number): Semaphore => {
  let taken = 0
  const waiting: (() => void)[] = []
  // Whoever leaves hands its place over, so that a newcomer cannot slip in between.
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else taken--
  }
  return {
    run: async (task) => {
      if (taken >= places) await new Promise<void>((resolve) => waiting.push(resolve))
      else taken++
      try {
        return await task()
      } finally {
        leave()
      }
    },
    tryEnter: () => {
      if (taken >= places) return undefined
      taken++
      let isInside = true
      return () => {
        if (isInside) leave()
        isInside = false
      }
    },
  }
}
