import { Worker } from 'node:worker_threads'
import { createFairQueue } from '../../../shared/concurrency/fair-queue.ts'
import { ApiError, unavailable } from '../../../shared/errors.ts'
import type { TextsRequest } from '../../../shared/text/has-text.ts'
import { bareEnvironment } from '../../../shared/threads/bare-environment.ts'
import { openRpc, type Rpc } from '../../../shared/threads/thread-rpc.ts'
import type { MatchRequest, OutputCheck, OutputRequest } from './output-schema.ts'

const maxHeapMegabytes = 256
/** A check is made again if the thread ended: another one may have been the cause. */
const maxTries = 2

export type OutputChecks = {
  /** Checks an answer. One whose check fails counts as unchecked. */
  check(organizationId: string, request: OutputRequest): Promise<OutputCheck>
  /** Refuses an outputSchema that no output could be checked by. */
  checkSchema(organizationId: string, schema: object): Promise<void>
  /** The problem of a regular expression; undefined if there is none. */
  checkPattern(organizationId: string, pattern: string): Promise<string | undefined>
  /** Checks whether a text matches a pattern; undefined if that took too long. */
  match(organizationId: string, request: MatchRequest): Promise<boolean | undefined>
  /** Lists the texts that another one does not have, by their indexes; undefined if that took too long. */
  findMissing(organizationId: string, request: TextsRequest): Promise<number[] | undefined>
  close(): Promise<void>
}

const failed = () => unavailable('The outputSchema could not be checked. Try again.')

type Thread = { worker: Worker; rpc: Rpc }

/** Starts the thread. `end` is called when it ends. */
const startThread = (end: (thread: Thread) => void): Thread => {
  const resourceLimits = { maxOldGenerationSizeMb: maxHeapMegabytes }
  const entry = new URL('./output-check-thread.ts', import.meta.url)
  const worker = new Worker(entry, { name: 'output checks', env: bareEnvironment(), resourceLimits })
  const started = { worker, rpc: openRpc(worker, {}) }
  worker.on('error', () => end(started))
  worker.on('exit', () => end(started))
  worker.unref()
  return started
}

/** Opens the checks of outputs, off the main thread: one after the other, organizations in turn. The thread starts with the first. */
export const openOutputChecks = (): OutputChecks => {
  let thread: Thread | undefined
  const waiting = createFairQueue<() => Promise<void>>()
  let isWorking = false
  const end = (ended: Thread) => {
    if (thread === ended) thread = undefined
    ended.rpc.fail(new Error('The thread that checks outputs ended.'))
  }
  const askThread = async <Answer>(name: string, value: unknown): Promise<Answer | undefined> => {
    for (let tries = 1; tries <= maxTries; tries++) {
      thread ??= startThread(end)
      try {
        return await thread.rpc.ask<Answer>(name, value)
      } catch (error) {
        if (error instanceof ApiError) throw error
      }
    }
    return undefined
  }
  const work = async (): Promise<void> => {
    isWorking = true
    for (let task = waiting.next(() => true); task; task = waiting.next(() => true)) await task()
    isWorking = false
  }
  const ask = <Answer>(organizationId: string, name: string, value: unknown) =>
    new Promise<Answer | undefined>((resolve, reject) => {
      waiting.add(organizationId, () => askThread<Answer>(name, value).then(resolve, reject))
      if (!isWorking) void work()
    })
  return {
    check: async (organizationId, request) =>
      (await ask<OutputCheck>(organizationId, 'check', request)) ?? {
        checked: undefined,
        milliseconds: request.milliseconds,
      },
    checkSchema: async (organizationId, schema) => {
      if (!(await ask<true>(organizationId, 'checkSchema', schema))) throw failed()
    },
    checkPattern: async (organizationId, pattern) => {
      const checked = await ask<{ problem: string | undefined }>(organizationId, 'checkPattern', pattern)
      return checked ? checked.problem : 'The pattern could not be checked. Try again.'
    },
    match: async (organizationId, request) =>
      (await ask<{ isFound: boolean | undefined }>(organizationId, 'match', request))?.isFound,
    findMissing: async (organizationId, request) =>
      (await ask<{ missing: number[] | undefined }>(organizationId, 'findMissing', request))?.missing,
    close: async () => {
      await thread?.worker.terminate()
    },
  }
}
