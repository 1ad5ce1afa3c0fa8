import { parentPort, workerData } from 'node:worker_threads'
import { loadModel } from './load-model.ts'
import type { FromModelThread, ToModelThread } from './model-thread.ts'

// The thread itself: loads a model and embeds the texts that it is sent.

const tell = (message: FromModelThread) => parentPort?.postMessage(message)
const toReason = (error: unknown) => (error instanceof Error ? error.message : String(error))

try {
  const { model, loaded } = await loadModel(workerData)
  parentPort?.on('message', ({ text, kind }: ToModelThread) =>
    model.embed(text, kind).then(
      (vector) => tell({ is: 'vector', vector }),
      (error) => tell({ is: 'refused', reason: toReason(error) }),
    ),
  )
  tell({ is: 'ready', loaded })
} catch (error) {
  tell({ is: 'failed', reason: toReason(error) })
}
