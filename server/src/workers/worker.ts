import type { Clock } from '../shared/clock.ts'
import type { Log } from '../shared/log.ts'
import type { TurnFigures, WorkerHealth } from '../shared/worker-health.ts'
import { type Backoff, createBackoff } from './backoff.ts'

/**
 * Repeated work: `run` is called at intervals, never twice at once on one node. Long work checks whether the node is
 * `stopping`.
 */
export type Worker = {
  name: string
  everySeconds: number
  run(stopping?: AbortSignal): Promise<void>
  /** Does all due work and waits for it, for workers whose `run` only starts it. */
  pass?(): Promise<void>
  /** Called when the node starts, before the first run: it takes no work before that. */
  start?(): void
  /** Stops work that `run` started and did not wait for. */
  stop?(): Promise<void>
  /** For a worker that counts its own attempts beyond its runs. */
  backoff?: Backoff
  turns?(): TurnFigures
}

/** The workers of a node. */
export type Workers = {
  /** The workers for manual runs, one after another: a run ends when everything it found is done. */
  list: readonly Pick<Worker, 'name' | 'everySeconds' | 'run'>[]
  /** Runs them by the clock from now on. */
  start(): void
  /** Stops them and waits for their current work. */
  stop(): Promise<void>
  health(): WorkerHealth[]
}

type Deps = { log: Log; clock: Clock; random?: () => number }

/** One timer serves all workers: those that are due in a tick poll the database with one statement. */
const tickMilliseconds = 1_000
/** A tick may come a little early. */
const earlyMilliseconds = 100

export const createWorkers = (list: readonly Worker[], deps: Deps): Workers => {
  const entries = list.map((worker) => ({ worker, backoff: worker.backoff ?? createBackoff(deps) }))
  let timer: NodeJS.Timeout | undefined
  let stops: (() => Promise<void>)[] = list.map((worker) => async () => worker.stop?.())
  return {
    list: list.map(({ name, everySeconds, run, pass }) => ({ name, everySeconds, run: pass ?? run })),
    start: () => {
      const firsts = spreadFirsts(list)
      const started = entries.map(({ worker, backoff }) =>
        startWorker(worker, backoff, { log: deps.log, firstSeconds: firsts.get(worker) ?? worker.everySeconds }),
      )
      stops = started.map(({ stop }) => stop)
      timer = setInterval(() => {
        const now = performance.now()
        for (const { tick } of started) tick(now)
      }, tickMilliseconds).unref()
    },
    stop: async () => {
      clearInterval(timer)
      await Promise.all(stops.map((stop) => stop()))
    },
    health: () =>
      entries.map(({ worker: { name, turns }, backoff }) => ({
        ...{ name, ...backoff.health() },
        ...(turns ? { turns: turns() } : {}),
      })),
  }
}

/** Workers with at least this interval run at moments of their own, unless they share the statement that polls for due work. */
const minSpreadSeconds = 60

/**
 * When each such worker first runs, in seconds after the start. At one moment they would take a connection each, which the pool would have
 * closed again a minute later.
 */
const spreadFirsts = (list: readonly Worker[]): Map<Worker, number> => {
  const firsts = new Map<Worker, number>()
  const spread = list.filter(({ everySeconds, turns }) => everySeconds >= minSpreadSeconds && turns === undefined)
  for (const [everySeconds, together] of Map.groupBy(spread, (worker) => worker.everySeconds))
    for (const [index, worker] of together.entries()) firsts.set(worker, (everySeconds * (index + 1)) / together.length)
  return firsts
}

/** Runs a worker once, and notes how it fared unless the worker does so itself. */
const attempt = async ({ name, run, backoff: own }: Worker, backoff: Backoff, log: Log, stopping: AbortSignal) => {
  const { consecutiveFailures: before } = backoff.health()
  try {
    await run(stopping)
    if (own === undefined) backoff.recordSuccess()
  } catch (error) {
    if (own === undefined) backoff.recordFailure(error)
    const { consecutiveFailures } = backoff.health()
    const retrySeconds = Math.ceil(backoff.waitMilliseconds() / 1000)
    log.warn({ worker: name, consecutiveFailures, retrySeconds, err: error }, 'a worker failed and will try again')
    return
  }
  if (before > 0 && backoff.health().consecutiveFailures === 0)
    log.info({ worker: name, failures: before }, 'a worker works again')
}

/** A started worker. `tick` runs it if it is due and not running. */
type Started = { tick(now: number): void; stop(): Promise<void> }

const startWorker = (
  worker: Worker,
  backoff: Backoff,
  { log, firstSeconds }: { log: Log; firstSeconds: number },
): Started => {
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let nextAt = performance.now() + firstSeconds * 1000
  worker.start?.()
  return {
    tick: (now) => {
      if (running || now < nextAt - earlyMilliseconds) return
      running = attempt(worker, backoff, log, stopping.signal).then(() => {
        nextAt = Math.max(now + worker.everySeconds * 1000, performance.now() + backoff.waitMilliseconds())
        running = undefined
      })
    },
    stop: async () => {
      stopping.abort()
      await running
      await worker.stop?.()
    },
  }
}
