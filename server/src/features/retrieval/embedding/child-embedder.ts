import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../../shared/log.ts'
import { dimensions } from './minilm.ts'
import type { Build, FromProcess, ToProcess } from './process-messages.ts'
import { type Embedded, type Embedder, EmbedderUnavailable, TextsRefused } from './types.ts'

const program = fileURLToPath(new URL('embedding-process.ts', import.meta.url))

const space = 'all-MiniLM-L6-v2-q8'

// A process that says nothing for this long while it has work hangs; the slowest machine answers a request sooner.
const silentMilliseconds = 60_000
// What is embedded for many is asked for in small requests, of which each has few on their way: so they take turns in the
// process, whose requests are served in their order, and a short text of one Brain does not wait for a long row of another's.
const textsPerRequest = 4
const requestsAtOnce = 2
const maxStarts = 2

type Waiting = {
  message: ToProcess
  starts: number
  resolve(vectors: Float32Array): void
  reject(error: Error): void
}

export type ChildEmbedderOptions = {
  log: Log
  /** How long the process is kept without work. */
  idleMilliseconds?: number
  /** The folder of the model's package; the installed one when empty. */
  folder?: string
  /** The build of ONNX Runtime that is tried first. */
  prefer?: Build
}

/**
 * Embeds by the model that comes with the service, in a process of its own: started when there is something to embed, ended
 * when there has been nothing for a while, and started anew when it ends by itself.
 */
class ChildEmbedder implements Embedder {
  readonly #options: Required<ChildEmbedderOptions>
  readonly #waiting = new Map<number, Waiting>()
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #failure: string | undefined
  #lastId = 0

  constructor(options: Required<ChildEmbedderOptions>) {
    this.#options = options
  }

  async space(): Promise<string> {
    return space
  }

  async embed(texts: readonly string[], when: 'now' | 'later'): Promise<Embedded> {
    const answers = await this.#askInParts(texts, when)
    const vectors = answers.flatMap((answer) =>
      Array.from({ length: answer.length / dimensions }, (_, place) =>
        answer.subarray(place * dimensions, (place + 1) * dimensions),
      ),
    )
    return { space, vectors }
  }

  async #askInParts(texts: readonly string[], when: 'now' | 'later'): Promise<Float32Array[]> {
    const answers: Float32Array[] = []
    let next = 0
    const askInTurn = async () => {
      while (next * textsPerRequest < texts.length) {
        const part = next++
        const from = part * textsPerRequest
        answers[part] = await this.#request(texts.slice(from, from + textsPerRequest), when)
      }
    }
    const asking = Promise.all(Array.from({ length: requestsAtOnce }, askInTurn))
    // What is not asked for yet is not to be, where nobody waits for it any more.
    await asking.catch((error) => {
      next = texts.length
      throw error
    })
    return answers
  }

  async close(): Promise<void> {
    this.#failure = 'The service is ending.'
    await this.#end('SIGKILL')
  }

  #request(texts: readonly string[], when: 'now' | 'later'): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(new EmbedderUnavailable(this.#failure))
      this.#child ??= this.#start()
      const message = { id: ++this.#lastId, texts, when }
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
    const { folder, log } = this.#options
    const child = fork(program, [folder, prefer], {
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
    child.on('message', (message: FromProcess) => this.#hear(child, message))
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

  #hear(child: ChildProcess, message: FromProcess): void {
    if (this.#child !== child) return
    if (message.is === 'ready')
      this.#options.log.info({ pid: child.pid, runtime: message.runtime }, 'embedding process')
    else if (message.is === 'failed') this.#giveUp(message.reason)
    else {
      const waiting = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if (message.is === 'done') waiting?.resolve(message.vectors)
      else waiting?.reject(new TextsRefused(message.reason))
    }
    this.#watch()
  }

  /** What a process that ended had not answered goes to the next one; what ends that one too is refused. */
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

  /** Ends the process, and refuses what it had not answered. */
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

  /** Ends the process when it is idle for long, and when it is silent for long. */
  #watch(): void {
    clearTimeout(this.#timer)
    const isIdle = this.#waiting.size === 0
    // Work keeps the service's event loop alive, an idle process does not.
    if (isIdle) this.#child?.channel?.unref()
    const patience = isIdle ? this.#options.idleMilliseconds : silentMilliseconds
    this.#timer = setTimeout(() => {
      if (isIdle) void this.#end('SIGKILL')
      else this.#child?.kill('SIGKILL')
    }, patience).unref()
  }
}

/** The embedder of the model that comes with the service. Starts nothing yet. */
export const createChildEmbedder = ({
  log,
  idleMilliseconds = 180_000,
  folder = '',
  prefer = 'native',
}: ChildEmbedderOptions): Embedder => new ChildEmbedder({ log, idleMilliseconds, folder, prefer })
