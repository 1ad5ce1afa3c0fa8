import { Worker } from 'node:worker_threads'
import { createSemaphore } from '../../../shared/semaphore.ts'
import type { BuiltIndex } from './build-segment.ts'
import type { Version } from './knowledge-item.ts'

/** What the thread is asked for: see `buildIndex`. */
export type IndexOrder = { versions: readonly Version[]; lastPassage: number }

/** Builds segments off the main thread, one at a time. */
export type IndexBuilder = { build(order: IndexOrder): Promise<BuiltIndex>; close(): Promise<void> }

const idleMilliseconds = 10_000

const ask = (thread: Worker, order: IndexOrder): Promise<BuiltIndex> =>
  new Promise<BuiltIndex>((resolve, reject) => {
    const ended = () => reject(new Error('The indexing thread ended before its work was done.'))
    const settle = (settled: () => void) => {
      thread.off('message', answered).off('error', failed).off('exit', ended)
      settled()
    }
    const answered = (built: BuiltIndex) => settle(() => resolve(built))
    const failed = (error: Error) => settle(() => reject(error))
    thread.on('message', answered).on('error', failed).on('exit', ended)
    thread.postMessage(order)
  })

/** The thread starts with the first order and ends when there were none for a while: it takes memory. */
export const createIndexBuilder = (): IndexBuilder => {
  const oneAtATime = createSemaphore(1)
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  const close = async () => {
    clearTimeout(idle)
    const ending = thread
    thread = undefined
    await ending?.terminate()
  }
  return {
    build: (order) =>
      oneAtATime.run(async () => {
        clearTimeout(idle)
        thread ??= new Worker(new URL('./indexer-thread-entry.ts', import.meta.url), { name: 'passages', env: {} })
        try {
          return await ask(thread, order)
        } catch (error) {
          await close()
          throw error
        } finally {
          idle = setTimeout(() => void close(), idleMilliseconds).unref()
        }
      }),
    close,
  }
}
