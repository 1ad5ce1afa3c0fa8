import { parentPort, workerData } from 'node:worker_threads'
import { loadModel } from './load-model.ts'
import type { FromModelThread, ToModelThread } from './model-thread.ts'

// The thread itself: loads a model and runs it on the texts that it is sent.

const send = (message: FromModelThread) => parentPort?.postMessage(message)
const toReason = (error: unknown) => (error instanceof Error ? error.message : String(error))

try {
  const { model, loaded } = await loadModel(workerData)
  parentPort?.on('message', (input: ToModelThread) =>
    model.run(input).then(
      (numbers) => send({ is: 'done', numbers }),
      (error) => send({ is: 'refused', reason: toReason(error) }),
    ),
  )
  send({ is: 'ready', loaded })
} catch (error) {
  send({ is: 'failed', reason: toReason(error) })
}
