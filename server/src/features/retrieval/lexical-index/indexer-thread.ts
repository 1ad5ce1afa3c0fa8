import { Worker } from 'node:worker_threads'
import { createSemaphore } from '../../../shared/semaphore.ts'
import type { BuiltSegment, Version } from './build-segment.ts'

/** What the thread is asked for: see `buildSegment`. */
export type BuildRequest = { versions: readonly Version[]; lastPassage: number }

/** Builds segments off the main thread, one at a time. */
export type IndexerThread = { build(request: BuildRequest): Promise<BuiltSegment>; close(): Promise<void> }

const idleMilliseconds = 10_000

const ask = (thread: Worker, request: BuildRequest): Promise<BuiltSegment> =>
  new Promise<BuiltSegment>((resolve, reject) => {
    const ended = () => reject(new Error('The indexing thread ended before its work was done.'))
    const settle = (settled: () => void) => {
      thread.off('message', answered).off('error', failed).off('exit', ended)
      settled()
    }
    const answered = (built: BuiltSegment) => settle(() => resolve(built))
    const failed = (error: Error) => settle(() => reject(error))
    thread.on('message', answered).on('error', failed).on('exit', ended)
    thread.postMessage(request)
  })

/** The thread starts with the first request and ends when there were none for a while: it takes memory. */
export const openIndexerThread = (): IndexerThread => {
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
    build: (request) =>
      oneAtATime.run(async () => {
        clearTimeout(idle)
        thread ??= new Worker(new URL('./indexer-thread-entry.ts', import.meta.url), { name: 'passages', env: {} })
        try {
          return await ask(thread, request)
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
