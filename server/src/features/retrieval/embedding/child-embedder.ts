import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../../shared/log.ts'
import { builtInSpace } from './built-in-model.ts'
import type { Build, FromProcess, Loaded, ProcessOptions, ToProcess } from './process-messages.ts'
import { type Embedded, type Embedder, EmbedderUnavailable, type TextKind, TextsRefused } from './types.ts'

const program = fileURLToPath(new URL('embedding-process.ts', import.meta.url))

// A process that is silent for this long while it has work hangs; the slowest machine answers a request sooner.
const silentMilliseconds = 60_000
// Many texts are sent in small requests, few of which are under way at once: the process serves requests in their order, so a short
// text of one Brain does not wait for many texts of another.
const textsPerRequest = 4
const requestsAtOnce = 2
const maxStarts = 2

type Waiting = {
  message: ToProcess
  starts: number
  resolve(embedded: Embedded): void
  reject(error: Error): void
}

/** The vectors of an answer, which come one after the other. */
const splitVectors = (vectors: Float32Array, { space, dimensions }: Loaded): Embedded => ({
  space,
  vectors: Array.from({ length: vectors.length / dimensions }, (_, index) =>
    vectors.subarray(index * dimensions, (index + 1) * dimensions),
  ),
})

export type ChildEmbedderOptions = {
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

type Options = ProcessOptions & { log: Log; idleMilliseconds: number }

/**
 * Embeds by a model on this machine, in a separate process, which starts with the first text, ends after it was idle for a while, and
 * starts again if it ends by itself.
 */
class ChildEmbedder implements Embedder {
  readonly #options: Options
  readonly #waiting = new Map<number, Waiting>()
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #failure: string | undefined
  #lastId = 0
  /** The model that the newest process loaded. */
  #loaded: Loaded | undefined

  constructor(options: Options) {
    this.#options = options
  }

  async space(): Promise<string> {
    if (this.#options.chosenFolder === undefined) return builtInSpace
    // A chosen model is identified by its files, which are read when it is loaded.
    return this.#loaded?.space ?? (await this.embed(['a text'], 'query')).space
  }

  async embed(texts: readonly string[], kind: TextKind): Promise<Embedded> {
    const answers = await this.#askInParts(texts, kind)
    const space = answers[0]?.space ?? (await this.space())
    if (answers.some((answer) => answer.space !== space))
      throw new EmbedderUnavailable('The files of the embedding model were changed.')
    return { space, vectors: answers.flatMap(({ vectors }) => vectors) }
  }

  async #askInParts(texts: readonly string[], kind: TextKind): Promise<Embedded[]> {
    const answers: Embedded[] = []
    let next = 0
    const askInTurn = async () => {
      while (next * textsPerRequest < texts.length) {
        const part = next++
        const from = part * textsPerRequest
        answers[part] = await this.#request(texts.slice(from, from + textsPerRequest), kind)
      }
    }
    const asking = Promise.all(Array.from({ length: requestsAtOnce }, askInTurn))
    // After a failure no caller waits for the other parts.
    await asking.catch((error) => {
      next = texts.length
      throw error
    })
    return answers
  }

  async close(): Promise<void> {
    this.#failure = 'The service is shutting down.'
    await this.#end('SIGKILL')
  }

  #request(texts: readonly string[], kind: TextKind): Promise<Embedded> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(new EmbedderUnavailable(this.#failure))
      this.#child ??= this.#start()
      const message = { id: ++this.#lastId, texts, kind }
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
    const { log, chosenFolder, builtInFolder } = this.#options
    const options: ProcessOptions = { chosenFolder, builtInFolder, prefer }
    const child = fork(program, [JSON.stringify(options)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
      // It needs nothing of the environment, which may hold secrets.
      env: {},
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
      log.warn({ ...reason, said }, 'the embedding process ended by itself')
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
      this.#options.log.info({ pid: child.pid, ...loaded }, 'embedding process')
    } else if (message.is === 'failed') this.#giveUp(message.reason)
    else {
      const waiting = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if (message.is === 'done' && this.#loaded) waiting?.resolve(splitVectors(message.vectors, this.#loaded))
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
        waiting.reject(new TextsRefused('The embedding process ended twice with these texts.'))
      else {
        this.#child ??= this.#start(prefer)
        this.#send({ ...waiting, starts: waiting.starts + 1 })
      }
    }
  }

  #giveUp(reason: string): void {
    this.#failure = reason
    this.#options.log.error({ reason }, 'the embedding model cannot be used: search uses words only')
    void this.#end('SIGKILL')
  }

  /** Ends the process, and refuses the requests that it did not answer. */
  async #end(signal: NodeJS.Signals): Promise<void> {
    clearTimeout(this.#timer)
    const child = this.#child
    this.#child = undefined
    for (const { reject } of this.#waiting.values())
      reject(new EmbedderUnavailable(this.#failure ?? 'The embedding process was ended.'))
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
export const createChildEmbedder = ({
  log,
  idleMilliseconds = 180_000,
  chosenFolder,
  builtInFolder,
  prefer = 'native',
}: ChildEmbedderOptions): Embedder => new ChildEmbedder({ log, idleMilliseconds, chosenFolder, builtInFolder, prefer })
