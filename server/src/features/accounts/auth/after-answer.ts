import { createSemaphore } from '../../../shared/concurrency/semaphore.ts'
import type { Log } from '../../../shared/log.ts'
import { runAuthWork } from './auth-work.ts'

/** Work that begins after the answer of a call, so that the time of the answer does not reveal its result. */
export type AfterAnswer = {
  add(work: () => Promise<void>): void
  /** Resolves when all of it is done. */
  idle(): Promise<void>
}

/** So that many calls at once do not take every connection from the rest of the service. */
const maxAtOnce = 2

export const createAfterAnswer = (log: Log): AfterAnswer => {
  const slots = createSemaphore(maxAtOnce)
  const waiting = new Set<Promise<void>>()
  return {
    add: (work) => {
      const done = new Promise(setImmediate)
        .then(() => slots.run(() => runAuthWork(work)))
        .catch((error: unknown) => log.error({ err: error }, 'work after an answer failed'))
        .finally(() => waiting.delete(done))
      waiting.add(done)
    },
    idle: async () => {
      while (waiting.size > 0) await Promise.all(waiting)
    },
  }
}
