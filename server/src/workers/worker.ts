import type { Log } from '../shared/log.ts'

/**
 * Work that repeats: `run` is called every so often, never twice at once on one node. What may take long looks whether the
 * node is `stopping`.
 */
export type Worker = {
  name: string
  everySeconds: number
  run(stopping?: AbortSignal): Promise<void>
  /** Ends what `run` began and did not wait for. */
  stop?(): Promise<void>
}

/** The workers of a node. */
export type Workers = {
  list: readonly Worker[]
  /** Runs them by the clock from now on. */
  start(): void
  /** Stops them and waits for what they are doing. */
  stop(): Promise<void>
}

export const createWorkers = (list: readonly Worker[], log: Log): Workers => {
  let stops: (() => Promise<void>)[] = list.map((worker) => async () => worker.stop?.())
  return {
    list,
    start: () => {
      stops = list.map((worker) => startWorker(worker, log))
    },
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()))
    },
  }
}

const startWorker = ({ name, everySeconds, run, stop }: Worker, log: Log): (() => Promise<void>) => {
  const stopping = new AbortController()
  let running = Promise.resolve()
  let timer: NodeJS.Timeout
  const turn = async () => {
    try {
      await run(stopping.signal)
    } catch (error) {
      log.warn({ worker: name, err: error }, 'a worker failed and will try again')
    }
    if (!stopping.signal.aborted) wait()
  }
  const wait = () => {
    timer = setTimeout(() => {
      running = turn()
    }, everySeconds * 1000).unref()
  }
  wait()
  return async () => {
    stopping.abort()
    clearTimeout(timer)
    await running
    await stop?.()
  }
}
