import { availableParallelism, setPriority } from 'node:os'
import { dimensions, loadModel, type Model, type Tokens } from './minilm.ts'
import { installedModel } from './model-files.ts'
import type { FromProcess, ToProcess } from './process-messages.ts'

// The process that runs the model, started by child-embedder.ts with the folder of the model and the runtime to prefer.
// It has the memory and the crashes of the native runtime for itself, and leaves the processor to the service.

const [folder = '', prefer] = process.argv.slice(2)

const politeness = 10
const mostThreads = 4

// Texts of a batch times the longest of them. A query waits for one batch at most, and longer ones are not faster.
const mostTokensAtOnce = 128

type Batch = { request: Request; texts: number[]; tokens: Tokens[] }
type Request = { id: number; vectors: Float32Array; left: number }

const waiting: Record<ToProcess['when'], Batch[]> = { now: [], later: [] }
let isRunning = false

const tell = (message: FromProcess) => process.send?.(message)

/** Cuts a request into batches of texts of similar length. */
const batchesOf = (model: Model, { id, texts }: ToProcess): Batch[] => {
  const request = { id, vectors: new Float32Array(texts.length * dimensions), left: texts.length }
  const byLength = texts
    .map((text, index) => ({ index, tokens: model.tokenize(text) }))
    .sort((one, other) => one.tokens.length - other.tokens.length)
  const batches: Batch[] = []
  for (const { index, tokens } of byLength) {
    const last = batches.at(-1)
    if (!last || (last.texts.length + 1) * tokens.length > mostTokensAtOnce)
      batches.push({ request, texts: [index], tokens: [tokens] })
    else {
      last.texts.push(index)
      last.tokens.push(tokens)
    }
  }
  return batches
}

const runBatch = async (model: Model, { request, texts, tokens }: Batch): Promise<void> => {
  try {
    const vectors = await model.run(tokens)
    texts.forEach((text, index) => {
      request.vectors.set(vectors.subarray(index * dimensions, (index + 1) * dimensions), text * dimensions)
    })
    request.left -= texts.length
    if (request.left === 0) tell({ is: 'done', id: request.id, vectors: request.vectors })
  } catch (error) {
    for (const queue of Object.values(waiting))
      queue.splice(0, queue.length, ...queue.filter((batch) => batch.request !== request))
    tell({ is: 'refused', id: request.id, reason: String(error) })
  }
}

const nextBatch = (): Batch | undefined => waiting.now.shift() ?? waiting.later.shift()

const work = async (model: Model): Promise<void> => {
  if (isRunning) return
  isRunning = true
  for (let batch = nextBatch(); batch; batch = nextBatch()) await runBatch(model, batch)
  isRunning = false
}

const take = (model: Model, message: ToProcess): void => {
  waiting[message.when].push(...batchesOf(model, message))
  void work(model)
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
