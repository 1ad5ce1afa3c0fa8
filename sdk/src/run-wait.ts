import type { api } from '@noema/contracts/api.ts'
import type { Run } from '@noema/contracts/runs.ts'
import { NoemaError, TimeoutError } from './errors.ts'
import type { Timing } from './timing.ts'
import type { Methods } from './types.ts'

/** How long to wait for a run. */
export type RunWaitOptions = {
  /** Milliseconds to wait altogether; until the run ends when left out. */
  timeoutMs?: number | undefined
  /** Ends the wait, which then rejects with the signal's reason. The run goes on: `cancel` ends that. */
  signal?: AbortSignal | undefined
}

/**
 * Takes a run, as `start` gave it or by its id, and gives it as it ended: `state` is `completed`, `failed` or `abandoned`. A run
 * that asks a person something waits for the answer, and so does this. Rejects with a `TimeoutError` after `timeoutMs`.
 */
export type RunWait = (
  run: string | { run: Pick<Run, 'runId'> },
  options?: RunWaitOptions | undefined,
) => Promise<{ run: Run }>

const hasEnded = ({ completedAt }: Run): boolean => completedAt !== null

/** A number that no part of a stream has: a stream after it has no parts, and ends with its run. */
const afterAllParts = 999_999_999

/** Makes the wait of a client from two of its methods: the stream of a run ends when the run does. */
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
      // A stream that is aborted ends as if it were over.
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
