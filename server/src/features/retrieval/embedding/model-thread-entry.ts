import { parentPort, workerData } from 'node:worker_threads'
import { loadModel } from './load-model.ts'
import type { FromModelThread, ToModelThread } from './model-thread.ts'

// The thread itself: loads a model and embeds the texts that it is sent.

const send = (message: FromModelThread) => parentPort?.postMessage(message)
const toReason = (error: unknown) => (error instanceof Error ? error.message : String(error))

try {
  const { model, loaded } = await loadModel(workerData)
  parentPort?.on('message', ({ text, kind }: ToModelThread) =>
    model.embed(text, kind).then(
      (vector) => send({ is: 'vector', vector }),
      (error) => send({ is: 'refused', reason: toReason(error) }),
    ),
  )
  send({ is: 'ready', loaded })
} catch (error) {
  send({ is: 'failed', reason: toReason(error) })
}
