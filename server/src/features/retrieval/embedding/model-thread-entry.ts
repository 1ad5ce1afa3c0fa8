import { parentPort, workerData } from 'node:worker_threads'
import { loadModel } from './minilm.ts'
import type { FromModelThread } from './model-thread.ts'

// The thread itself: loads a model and embeds the texts that it is sent.

const tell = (message: FromModelThread) => parentPort?.postMessage(message)
const toReason = (error: unknown) => (error instanceof Error ? error.message : String(error))

try {
  const model = await loadModel(workerData.folder, workerData.prefer)
  parentPort?.on('message', (text: string) =>
    model.embed(text).then(
      (vector) => tell({ is: 'vector', vector }),
      (error) => tell({ is: 'refused', reason: toReason(error) }),
    ),
  )
  tell({ is: 'ready', runtime: model.runtime })
} catch (error) {
  tell({ is: 'failed', reason: toReason(error) })
}
