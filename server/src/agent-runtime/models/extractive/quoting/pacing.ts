import { setImmediate } from 'node:timers/promises'

/** A task works for so many milliseconds before it lets others run. */
const maxSliceMilliseconds = 8

/** A place in a long task where others may run: a promise if the task has worked for long, else undefined. */
export type Pause = () => Promise<void> | undefined

/** Makes the pauses of one task. */
export const createPause = (): Pause => {
  let since = performance.now()
  const rest = async () => {
    await setImmediate()
    since = performance.now()
  }
  return () => (performance.now() - since < maxSliceMilliseconds ? undefined : rest())
}
