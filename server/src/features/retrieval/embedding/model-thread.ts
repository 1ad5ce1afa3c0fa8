import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ModelInput } from './model.ts'
import type { Loaded, ProcessOptions } from './process-messages.ts'

export type ToModelThread = ModelInput

/** The messages of a model thread: first that it is ready or failed, then an answer to each text. */
export type FromModelThread =
  | { is: 'ready'; loaded: Loaded }
  | { is: 'failed'; reason: string }
  | { is: 'done'; numbers: Float32Array }
  | { is: 'refused'; reason: string }

/** A thread with its own model, which reads one text at a time: the runtime works on the thread that calls it. */
export type ModelThread = { loaded: Loaded; run(input: ModelInput): Promise<Float32Array> }

/** Opens a model thread. Rejects where its model cannot be loaded. */
export const openModelThread = async (options: ProcessOptions): Promise<ModelThread> => {
  const thread = new Worker(new URL('./model-thread-entry.ts', import.meta.url), { workerData: options })
  const receive = async (): Promise<FromModelThread> => (await once(thread, 'message'))[0]
  const first = await receive()
  if (first.is !== 'ready')
    throw new Error(first.is === 'failed' ? first.reason : 'The thread of the model sent an unexpected message.')
  return {
    loaded: first.loaded,
    run: async (input) => {
      const answer = receive()
      const message: ToModelThread = input
      thread.postMessage(message)
      const reply = await answer
      if (reply.is === 'done') return reply.numbers
      throw new Error(reply.is === 'refused' ? reply.reason : 'The thread of the model was restarted.')
    },
  }
}
