import { Worker } from 'node:worker_threads'
import { createSemaphore } from '../../../shared/concurrency/semaphore.ts'
import { toBytesInSteps } from '../../../shared/text/text-bytes.ts'
import { bareEnvironment } from '../../../shared/threads/bare-environment.ts'
import type { BuiltSegment } from './build-segment.ts'
import type { PackedVersion } from './split-version.ts'

/** A request to the thread: see `buildSegment`. */
export type BuildRequest = { versions: readonly PackedVersion[]; lastPassage: number }

/** A version that is sent to the thread: its long texts are bytes, which are moved instead of copied. */
export type SentVersion = Omit<PackedVersion, 'content' | 'text'> & {
  content: string | Uint8Array
  text: string | Uint8Array | null
}

export type ToIndexerThread = Omit<BuildRequest, 'versions'> & { versions: readonly SentVersion[]; id: number }

export type FromIndexerThread = { id: number } & ({ built: BuiltSegment } | { failure: string })

/** A version that cannot be indexed: it would fail again. */
export class NotIndexable extends Error {}

/** Builds segments off the main thread: several at once, which take turns, but long ones one after the other. */
export type IndexerThread = {
  build(request: BuildRequest): Promise<BuiltSegment>
  /** Builds on a separate thread, whose end affects no other work. */
  buildAlone(request: BuildRequest): Promise<BuiltSegment>
  close(): Promise<void>
}

const idleMilliseconds = 10_000

/** The number of characters from which a request is long: running requests take memory. */
const longRequest = 500_000

/** The number of characters from which a text is sent as bytes. */
const longText = 256 * 1024

const toSent = async (text: string): Promise<string | Uint8Array<ArrayBuffer>> =>
  text.length < longText ? text : new Uint8Array((await toBytesInSteps(text)).buffer)

/** Versions in the form in which they are sent, and the bytes to move. Long texts are encoded in steps: other work waits for this thread. */
const toSentVersions = async (versions: readonly PackedVersion[]) => {
  const transfer: ArrayBuffer[] = []
  const sent: SentVersion[] = []
  for (const version of versions) {
    const [content, text] = [await toSent(version.content), version.text === null ? null : await toSent(version.text)]
    for (const part of [content, text]) if (part instanceof Uint8Array) transfer.push(part.buffer)
    sent.push({ ...version, content, text })
  }
  return { sent, transfer }
}

const measure = ({ versions }: BuildRequest): number =>
  versions.reduce((sum, { content, text }) => sum + content.length + (text?.length ?? 0), 0)

type Waiting = { resolve(built: BuiltSegment): void; reject(error: Error): void }

/** A thread with the requests that wait for it. `ended` is called if it ends by itself. */
const openThread = (ended: () => void) => {
  const entry = new URL('./indexer-thread-entry.ts', import.meta.url)
  const thread = new Worker(entry, { name: 'passages', env: bareEnvironment() })
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  const rejectAll = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  const end = (reason: string) => {
    rejectAll(new NotIndexable(`The indexing thread ended: ${reason}`))
    ended()
  }
  thread.on('message', (message: FromIndexerThread) => {
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if ('built' in message) asked?.resolve(message.built)
    else asked?.reject(new NotIndexable(message.failure))
  })
  thread.on('error', (error) => end(String(error)))
  thread.on('exit', () => end('it was ended.'))
  return {
    isIdle: () => waiting.size === 0,
    build: ({ versions, lastPassage }: BuildRequest) =>
      new Promise<BuiltSegment>((resolve, reject) => {
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        toSentVersions(versions).then(
          ({ sent, transfer }) =>
            thread.postMessage({ id, versions: sent, lastPassage } satisfies ToIndexerThread, transfer),
          reject,
        )
      }),
    close: async () => {
      rejectAll(new Error('The service is ending.'))
      await thread.terminate()
    },
  }
}

/** The thread starts with the first request and ends after it was idle for a while: it takes memory. */
export const openIndexerThread = (): IndexerThread => {
  const oneLongAtATime = createSemaphore(1)
  const alone = new Set<ReturnType<typeof openThread>>()
  let thread: ReturnType<typeof openThread> | undefined
  let idle: NodeJS.Timeout | undefined
  const closeShared = async () => {
    clearTimeout(idle)
    const ending = thread
    thread = undefined
    await ending?.close()
  }
  const openShared = () => {
    const opened = openThread(() => {
      if (thread === opened) thread = undefined
    })
    return opened
  }
  const build = async (request: BuildRequest) => {
    clearTimeout(idle)
    thread ??= openShared()
    const used = thread
    try {
      return await used.build(request)
    } finally {
      if (used === thread && used.isIdle()) idle = setTimeout(() => void closeShared(), idleMilliseconds).unref()
    }
  }
  return {
    build: (request) => (measure(request) < longRequest ? build(request) : oneLongAtATime.run(() => build(request))),
    buildAlone: (request) =>
      oneLongAtATime.run(async () => {
        const own = openThread(() => alone.delete(own))
        alone.add(own)
        try {
          return await own.build(request)
        } finally {
          alone.delete(own)
          await own.close()
        }
      }),
    close: async () => {
      await Promise.all([closeShared(), ...[...alone].map((own) => own.close())])
    },
  }
}
