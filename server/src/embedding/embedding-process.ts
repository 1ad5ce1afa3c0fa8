import { availableParallelism, setPriority } from 'node:os'
import { dimensions, loadModel, type Model } from './minilm.ts'
import { installedModel } from './model-files.ts'
import type { FromProcess, ToProcess } from './process-messages.ts'

// The process that runs the model, started by child-embedder.ts with the folder of the model and the runtime to prefer.
// It has the memory and the crashes of the native runtime for itself, and leaves the processor to the service.

const [folder = '', prefer] = process.argv.slice(2)

const politeness = 10
const mostThreads = 4

/** What is left to do of a request. */
type Work = { request: ToProcess; done: number; vectors: Float32Array }

const waiting: Record<ToProcess['when'], Work[]> = { now: [], later: [] }
let isRunning = false

const tell = (message: FromProcess) => process.send?.(message)

/** Embeds the next text of a request. Between two texts, requests that are more urgent go ahead. */
const step = async (model: Model, work: Work): Promise<void> => {
  const { id, texts, when } = work.request
  try {
    work.vectors.set(await model.embed(texts[work.done] ?? ''), work.done * dimensions)
    if (++work.done < texts.length) return
    tell({ is: 'done', id, vectors: work.vectors })
  } catch (error) {
    tell({ is: 'refused', id, reason: String(error) })
  }
  waiting[when].shift()
}

const run = async (model: Model): Promise<void> => {
  if (isRunning) return
  isRunning = true
  for (let work = next(); work; work = next()) await step(model, work)
  isRunning = false
}

const next = (): Work | undefined => waiting.now[0] ?? waiting.later[0]

const take = (model: Model, request: ToProcess): void => {
  waiting[request.when].push({ request, done: 0, vectors: new Float32Array(request.texts.length * dimensions) })
  void run(model)
}

// The channel closes when the service ends, however it ends.
process.on('disconnect', () => process.exit())
// A Ctrl-C goes to every process of the terminal; the service ends this one when it has finished.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

try {
  setPriority(politeness)
} catch {
  // Where it may not be lowered the work is the same.
}
const early: ToProcess[] = []
const keep = (message: ToProcess) => early.push(message)
process.on('message', keep)
try {
  const threads = Math.min(availableParallelism(), mostThreads)
  const model = await loadModel(folder || installedModel(), { threads, prefer: prefer === 'wasm' ? 'wasm' : 'native' })
  tell({ is: 'ready', runtime: model.runtime })
  process.off('message', keep)
  process.on('message', (message: ToProcess) => take(model, message))
  for (const message of early) take(model, message)
} catch (error) {
  const failed: FromProcess = { is: 'failed', reason: error instanceof Error ? error.message : String(error) }
  process.send?.(failed, () => process.exit(1))
}
