import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../../shared/log.ts'
import { bareEnvironment } from '../../../shared/threads/bare-environment.ts'
import { builtInSpace } from './built-in-model.ts'
import type { Build, FromProcess, Loaded, ProcessOptions, Task, ToProcess } from './process-messages.ts'
import { type Embedder, EmbedderUnavailable, type TextKind, TextsRefused } from './types.ts'

const program = fileURLToPath(new URL('model-process-entry.ts', import.meta.url))

// A process that is silent for this long while it has work hangs; the slowest machine answers a request sooner.
const silentMilliseconds = 60_000
// Many texts are sent in small requests, few of which are under way at once: the process serves requests in their order, so a short
// text of one Brain does not wait for many texts of another.
const textsPerRequest = 4
const requestsAtOnce = 2
const maxStarts = 2

export type ModelProcessOptions = {
  log: Log
  /** The time after which an idle process ends. */
  idleMilliseconds?: number
  /** The folder of the model that the operator chose; the built-in model without one. */
  chosenFolder?: string | undefined
  /** The folder of the built-in model's package; the installed one without one. */
  builtInFolder?: string | undefined
  /** The build of ONNX Runtime that is tried first. */
  prefer?: Build
}

/** The name of a process in the log, and the effect where its model cannot be used. */
const uses: Record<Task, { name: string; lost: string }> = {
  embed: { name: 'embedding', lost: 'search uses words only' },
  rerank: { name: 'reranking', lost: 'results are in the order of the search itself' },
}

/** The numbers of texts, one row each, and the model that returned them. */
export type Answer = { loaded: Loaded; rows: Float32Array[] }

type Asked = { kind: TextKind; query?: string; signal?: AbortSignal }

type Waiting = {
  message: ToProcess
  starts: number
  resolve(answer: Answer): void
  reject(error: Error): void
}

type Options = ProcessOptions & { log: Log; idleMilliseconds: number }

const toAnswer = (numbers: Float32Array, loaded: Loaded): Answer => ({
  loaded,
  rows: Array.from({ length: numbers.length / loaded.dimensions }, (_, index) =>
    numbers.subarray(index * loaded.dimensions, (index + 1) * loaded.dimensions),
  ),
})

/**
 * Runs a model on this machine in a separate process, which starts with the first text, ends after it was idle for a while, and starts
 * again if it ends by itself. Throws EmbedderUnavailable or TextsRefused.
 */
export class ModelProcess {
  readonly #options: Options
  readonly #name: string
  readonly #waiting = new Map<number, Waiting>()
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #failure: string | undefined
  #lastId = 0
  #loaded: Loaded | undefined

  constructor(task: Task, options: ModelProcessOptions) {
    const { log, idleMilliseconds = 180_000, chosenFolder, builtInFolder, prefer = 'native' } = options
    this.#options = { task, log, idleMilliseconds, chosenFolder, builtInFolder, prefer }
    this.#name = uses[task].name
  }

  /** The model that the newest process loaded. */
  get loaded(): Loaded | undefined {
    return this.#loaded
  }

  /** Runs the model on some texts, a few at a time. After `signal` aborts, it sends no more of them. */
  async run(texts: readonly string[], asked: Asked): Promise<Answer[]> {
    const answers: Answer[] = []
    let next = 0
    const askInTurn = async () => {
      while (next * textsPerRequest < texts.length && !asked.signal?.aborted) {
        const part = next++
        const from = part * textsPerRequest
        answers[part] = await this.#request(texts.slice(from, from + textsPerRequest), asked)
      }
    }
    const asking = Promise.all(Array.from({ length: requestsAtOnce }, askInTurn))
    // After a failure no caller waits for the other parts.
    await asking.catch((error) => {
      next = texts.length
      throw error
    })
    asked.signal?.throwIfAborted()
    return answers
  }

  async close(): Promise<void> {
    this.#failure = 'The service is shutting down.'
    await this.#end('SIGKILL')
  }

  #request(texts: readonly string[], { kind, query }: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(new EmbedderUnavailable(this.#failure))
      this.#child ??= this.#start()
      const message = { id: ++this.#lastId, texts, kind, query }
      this.#send({ message, starts: 1, resolve, reject })
    })
  }

  #send(waiting: Waiting): void {
    this.#waiting.set(waiting.message.id, waiting)
    this.#child?.send(waiting.message, () => {})
    this.#child?.channel?.ref()
    this.#watch()
  }

  #start(prefer = this.#options.prefer): ChildProcess {
    const { task, log, chosenFolder, builtInFolder } = this.#options
    const options: ProcessOptions = { task, chosenFolder, builtInFolder, prefer }
    const child = fork(program, [JSON.stringify(options)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
      // Without this, ONNX Runtime writes an id of the machine to its disk and reports to its makers.
      env: { ...bareEnvironment(), ORT_DISABLE_TELEMETRY: '1' },
    })
    child.unref()
    let said = ''
    let isReady = false
    child.once('message', () => {
      isReady = true
    })
    child.stderr?.on('data', (chunk) => {
      said = (said + chunk).slice(-2_000)
    })
    child.on('message', (message: FromProcess) => this.#receive(child, message))
    const ended = (reason: object) => {
      if (this.#child !== child) return
      log.warn({ ...reason, said }, `the ${this.#name} process ended by itself`)
      this.#child = undefined
      // A native runtime that this machine cannot run may end the process before it says a word.
      this.#sendAgain(isReady ? undefined : 'wasm')
    }
    child.on('exit', (code, signal) => ended({ code, signal }))
    child.on('error', (err) => child.pid === undefined && ended({ err }))
    return child
  }

  #receive(child: ChildProcess, message: FromProcess): void {
    if (this.#child !== child) return
    if (message.is === 'ready') {
      const { is: _, ...loaded } = message
      this.#loaded = loaded
      this.#options.log.info({ pid: child.pid, ...loaded }, `${this.#name} process`)
    } else if (message.is === 'failed') this.#giveUp(message.reason)
    else {
      const waiting = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if (message.is === 'done' && this.#loaded) waiting?.resolve(toAnswer(message.numbers, this.#loaded))
      else if (message.is === 'refused') waiting?.reject(new TextsRefused(message.reason))
    }
    this.#watch()
  }

  /** Sends the requests that an ended process did not answer to the next one; a request that also ends that one is refused. */
  #sendAgain(prefer: 'wasm' | undefined): void {
    const unanswered = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const waiting of unanswered) {
      if (waiting.starts >= maxStarts)
        waiting.reject(new TextsRefused(`The ${this.#name} process ended twice with these texts.`))
      else {
        this.#child ??= this.#start(prefer)
        this.#send({ ...waiting, starts: waiting.starts + 1 })
      }
    }
  }

  #giveUp(reason: string): void {
    this.#failure = reason
    this.#options.log.error({ reason }, `the ${this.#name} model cannot be used: ${uses[this.#options.task].lost}`)
    void this.#end('SIGKILL')
  }

  /** Ends the process, and refuses the requests that it did not answer. */
  async #end(signal: NodeJS.Signals): Promise<void> {
    clearTimeout(this.#timer)
    const child = this.#child
    this.#child = undefined
    for (const { reject } of this.#waiting.values())
      reject(new EmbedderUnavailable(this.#failure ?? `The ${this.#name} process was ended.`))
    this.#waiting.clear()
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.ref()
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }

  /** Ends the process after it was idle for long, or silent for long. */
  #watch(): void {
    clearTimeout(this.#timer)
    const isIdle = this.#waiting.size === 0
    // Work keeps the service's event loop alive, an idle process does not.
    if (isIdle) this.#child?.channel?.unref()
    const milliseconds = isIdle ? this.#options.idleMilliseconds : silentMilliseconds
    this.#timer = setTimeout(() => {
      if (isIdle) void this.#end('SIGKILL')
      else this.#child?.kill('SIGKILL')
    }, milliseconds).unref()
  }
}

/** The embedder of a model on this machine: the built-in one, or one in a folder. It starts nothing yet. */
export const createChildEmbedder = (options: ModelProcessOptions): Embedder => {
  const model = new ModelProcess('embed', options)
  const embed: Embedder['embed'] = async (texts, kind) => {
    const answers = await model.run(texts, { kind })
    const space = answers[0]?.loaded.space ?? (await findSpace())
    if (answers.some(({ loaded }) => loaded.space !== space))
      throw new EmbedderUnavailable('The files of the embedding model were changed.')
    return { space, vectors: answers.flatMap(({ rows }) => rows) }
  }
  const findSpace = async (): Promise<string> => {
    if (options.chosenFolder === undefined) return builtInSpace
    // A chosen model is identified by its files, which are read when it is loaded.
    return model.loaded?.space ?? (await embed(['a text'], 'query')).space
  }
  return { space: findSpace, embed, close: () => model.close() }
}
