import type { api } from '@noema/contracts/api.ts'
import type { Run } from '@noema/contracts/runs.ts'
import { NoemaError, TimeoutError } from './errors.ts'
import type { Timing } from './timing.ts'
import type { Methods } from './types.ts'

/** Options for waiting for a run. */
export type RunWaitOptions = {
  /** Milliseconds to wait altogether; without it, until the run finishes. */
  timeoutMs?: number | undefined
  /** Aborts the wait, which then rejects with the signal's reason. The run continues: `cancel` stops it. */
  signal?: AbortSignal | undefined
}

/**
 * Takes a run from `start`, or its id, and returns it as it finished: `state` is `completed`, `failed` or `abandoned`. If a
 * run asks a person, this also waits for the answer. Rejects with a `TimeoutError` after `timeoutMs`.
 */
export type RunWait = (
  run: string | { run: Pick<Run, 'runId'> },
  options?: RunWaitOptions | undefined,
) => Promise<{ run: Run }>

const hasEnded = ({ completedAt }: Run): boolean => completedAt !== null

/** A number beyond all parts of a stream: a stream after it has no parts, and ends with its run. */
const afterAllParts = 999_999_999

/** Creates a client's wait from two of its methods: the stream of a run ends when the run does. */
export const createRunWait =
  (runs: Pick<Methods<(typeof api)['runs']>, 'get' | 'stream'>, timing: Timing): RunWait =>
  async (given, { timeoutMs, signal } = {}) => {
    const runId = typeof given === 'string' ? given : given.run.runId
    const controller = new AbortController()
    const abort = () => controller.abort(signal?.reason)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
    const late = () =>
      controller.abort(new TimeoutError(`The run ${runId} did not end within ${timeoutMs} ms. It goes on.`))
    const stopTimer = timeoutMs === undefined ? () => undefined : timing.startTimer(timeoutMs, late)
    try {
      // An aborted stream ends like a complete one.
      for await (const _ of runs.stream(runId, { after: afterAllParts, signal: controller.signal })) void _
      controller.signal.throwIfAborted()
      const { run } = await runs.get(runId, { signal: controller.signal })
      if (!hasEnded(run)) throw new NoemaError(`The stream of the run ${runId} ended before the run did.`)
      return { run }
    } finally {
      stopTimer()
      signal?.removeEventListener('abort', abort)
    }
  }
