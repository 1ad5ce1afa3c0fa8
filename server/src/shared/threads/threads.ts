import { Worker } from 'node:worker_threads'
import { createFairQueue } from '../concurrency/fair-queue.ts'

/** Threads that do one sort of work, so that the main thread answers others meanwhile. */
export type Threads<Asked, Answered> = {
  /** Does one piece of work. Tenants take turns; what is in `transfer` is moved to the thread. */
  run(tenant: string, asked: Asked, transfer?: readonly ArrayBuffer[]): Promise<Answered>
  close(): Promise<void>
}

type Job<Asked, Answered> = {
  asked: Asked
  transfer: readonly ArrayBuffer[]
  resolve(answered: Answered): void
  reject(error: unknown): void
}

const idleMilliseconds = 30_000
const maxHeapMegabytes = 512

const ask = <Asked, Answered>(thread: Worker, { asked, transfer }: Job<Asked, Answered>): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const ended = () => reject(new Error('A thread ended before its work was done.'))
    const settle = (settled: () => void) => {
      thread.off('message', answered).off('error', failed).off('exit', ended)
      settled()
    }
    const answered = (answer: Answered) => settle(() => resolve(answer))
    const failed = (error: Error) => settle(() => reject(error))
    thread.on('message', answered).on('error', failed).on('exit', ended)
    thread.postMessage(asked, [...transfer])
  })

/** Threads start when there is work for them and end when there was none for a while: each takes memory. */
export const openThreads = <Asked, Answered>(options: {
  entry: URL
  name: string
  count: number
}): Threads<Asked, Answered> => {
  const queue = createFairQueue<Job<Asked, Answered>>()
  const all = new Set<Worker>()
  const idle = new Map<Worker, NodeJS.Timeout>()
  const startThread = (): Worker => {
    const resourceLimits = { maxOldGenerationSizeMb: maxHeapMegabytes }
    const thread = new Worker(options.entry, { name: options.name, env: {}, resourceLimits })
    // What goes wrong is told to whoever waits for the work.
    thread.on('error', () => undefined)
    all.add(thread)
    return thread
  }
  const end = async (thread: Worker) => {
    clearTimeout(idle.get(thread))
    idle.delete(thread)
    all.delete(thread)
    await thread.terminate()
  }
  const takeThread = (): Worker | undefined => {
    const [known] = idle
    if (!known) return all.size < options.count ? startThread() : undefined
    const [thread, timer] = known
    clearTimeout(timer)
    idle.delete(thread)
    return thread
  }
  const begin = (): void => {
    const thread = queue.isEmpty() ? undefined : takeThread()
    if (thread) void work(thread)
  }
  const work = async (thread: Worker): Promise<void> => {
    for (let job = queue.next(); job; job = queue.next()) {
      try {
        job.resolve(await ask(thread, job))
      } catch (error) {
        job.reject(error)
        await end(thread)
        return begin()
      }
    }
    const timer = setTimeout(() => void end(thread), idleMilliseconds).unref()
    idle.set(thread, timer)
  }
  return {
    run: (tenant, asked, transfer = []) =>
      new Promise((resolve, reject) => {
        queue.add(tenant, { asked, transfer, resolve, reject })
        begin()
      }),
    close: async () => void (await Promise.all([...all].map(end))),
  }
}
