/** Limits how many tasks run at once. */
export type Semaphore = {
  /** Runs a task once a slot is free; the others wait in the order of their arrival. */
  run<Result>(task: () => Promise<Result>): Promise<Result>
  /** Takes a slot if one is free now, and returns the function that releases it. */
  tryEnter(): (() => void) | undefined
}

export const createSemaphore = (slots: number): Semaphore => {
  let taken = 0
  const waiting: (() => void)[] = []
  // A released slot goes directly to the first waiting task, so that a newcomer cannot take it.
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else taken--
  }
  return {
    run: async (task) => {
      if (taken >= slots) await new Promise<void>((resolve) => waiting.push(resolve))
      else taken++
      try {
        return await task()
      } finally {
        leave()
      }
    },
    tryEnter: () => {
      if (taken >= slots) return undefined
      taken++
      let isInside = true
      return () => {
        if (isInside) leave()
        isInside = false
      }
    },
  }
}
