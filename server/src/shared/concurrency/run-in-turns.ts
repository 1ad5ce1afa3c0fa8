import { setImmediate } from 'node:timers/promises'

/** How long steps run until other work of the thread has its turn. */
const turnMilliseconds = 10

/** Runs a task that yields between its steps, so that other work of this thread runs in between where the steps take long. */
export const runInTurns = async <Result>(task: Generator<void, Result>): Promise<Result> => {
  let begun = performance.now()
  for (;;) {
    const step = task.next()
    if (step.done) return step.value
    if (performance.now() - begun <= turnMilliseconds) continue
    await setImmediate()
    begun = performance.now()
  }
}
