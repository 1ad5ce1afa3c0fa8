import { Worker } from 'node:worker_threads'
import { openRpc, type Rpc } from '../../../shared/threads/thread-rpc.ts'
import type { OutputCheck, OutputRequest } from './output-schema.ts'

const maxHeapMegabytes = 256
/** A check is made again if the thread ended: another one may have been the cause. */
const maxTries = 2

export type OutputChecks = {
  /** Checks answers off the main thread, one after the other. An answer whose check fails counts as unchecked. */
  check(request: OutputRequest): Promise<OutputCheck>
  close(): Promise<void>
}

/** Opens the checks of outputs. The thread starts with the first one. */
export const openOutputChecks = (): OutputChecks => {
  let thread: { worker: Worker; rpc: Rpc } | undefined
  const start = () => {
    const resourceLimits = { maxOldGenerationSizeMb: maxHeapMegabytes }
    const entry = new URL('./output-check-thread.ts', import.meta.url)
    const worker = new Worker(entry, { name: 'output checks', env: {}, resourceLimits })
    const rpc = openRpc(worker, {})
    const started = { worker, rpc }
    const end = () => {
      if (thread === started) thread = undefined
      rpc.fail(new Error('The thread that checks outputs ended.'))
    }
    worker.on('error', end)
    worker.on('exit', end)
    worker.unref()
    return started
  }
  return {
    check: async (request) => {
      for (let tries = 1; tries <= maxTries; tries++) {
        thread ??= start()
        const answer = await thread.rpc.ask<OutputCheck>('check', request).catch(() => undefined)
        if (answer) return answer
      }
      return { checked: undefined, milliseconds: request.milliseconds }
    },
    close: async () => {
      await thread?.worker.terminate()
    },
  }
}
