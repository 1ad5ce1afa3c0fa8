import { availableParallelism, setPriority } from 'node:os'
import { type ModelThread, openModelThread } from './model-thread.ts'
import type { FromProcess, Loaded, ProcessOptions, ToProcess } from './process-messages.ts'

// The process that runs the model, started by model-process.ts. It isolates the memory and the crashes of the native runtime, and
// runs at a lower priority than the service.

const options: ProcessOptions = JSON.parse(process.argv[2] ?? '{}')

const politeness = 7
const maxThreads = Math.min(availableParallelism(), 2)
/** Each thread loads the weights again: those of a larger model are loaded once. */
const maxShared = 256 * 1024 * 1024

/** The state of a request: the number of texts that were taken, and of those that the model has not answered yet. */
type Work = { request: ToProcess; taken: number; left: number; isRefused: boolean; numbers: Float32Array }

const waiting: Record<ToProcess['kind'], Work[]> = { query: [], passage: [] }
const idle: ModelThread[] = []
let threads = 0

const send = (message: FromProcess) => process.send?.(message)

const putAway = (work: Work): void => {
  const queue = waiting[work.request.kind]
  const place = queue.indexOf(work)
  if (place >= 0) queue.splice(place, 1)
}

/** Runs the model on the next text of a request. Between two texts, more urgent requests go first. */
const step = async (thread: ModelThread, work: Work): Promise<void> => {
  const { id, texts, kind, query } = work.request
  const place = work.taken++
  if (work.taken === texts.length) putAway(work)
  try {
    work.numbers.set(await thread.run({ text: texts[place] ?? '', kind, query }), place * thread.loaded.dimensions)
    if (--work.left === 0) send({ is: 'done', id, numbers: work.numbers })
  } catch (error) {
    putAway(work)
    // Reported once, although another thread may refuse a text of it, too.
    if (!work.isRefused) send({ is: 'refused', id, reason: String(error) })
    work.isRefused = true
  }
}

const next = (): Work | undefined => waiting.query[0] ?? waiting.passage[0]

const serve = (): void => {
  for (let work = next(); work && idle.length > 0; work = next()) {
    const thread = idle.pop() as ModelThread
    void step(thread, work).then(() => {
      idle.push(thread)
      serve()
    })
  }
}

/** Opens one more model thread, if there is a core for it. */
const addThread = async (first?: Loaded): Promise<void> => {
  if (threads === maxThreads || (first && first.bytes > maxShared)) return
  threads++
  const thread = await openModelThread(first ? { ...options, prefer: first.runtime } : options)
  // Its files were changed since: this process keeps the model that it reported.
  if (first && thread.loaded.space !== first.space) return
  idle.push(thread)
  serve()
}

const take = (request: ToProcess, loaded: Loaded): void => {
  const { texts, kind } = request
  const numbers = new Float32Array(texts.length * loaded.dimensions)
  waiting[kind].push({ request, taken: 0, left: texts.length, isRefused: false, numbers })
  serve()
  // Queries are few and short; only passages are worth the memory of another model.
  if (kind === 'passage') addThread(loaded).catch(() => undefined)
}

// The channel closes when the service ends for any reason.
process.on('disconnect', () => process.exit())
// A Ctrl-C goes to every process of the terminal; the service ends this one when it has finished.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

try {
  setPriority(politeness)
} catch {
  // Without permission to lower it the work is the same.
}
const early: ToProcess[] = []
const keep = (message: ToProcess) => early.push(message)
process.on('message', keep)
try {
  await addThread()
  const [first] = idle
  if (!first) throw new Error('There is no thread for the model.')
  const { loaded } = first
  send({ is: 'ready', ...loaded })
  process.off('message', keep)
  process.on('message', (message: ToProcess) => take(message, loaded))
  for (const message of early) take(message, loaded)
} catch (error) {
  const failed: FromProcess = { is: 'failed', reason: error instanceof Error ? error.message : String(error) }
  process.send?.(failed, () => process.exit(1))
}
