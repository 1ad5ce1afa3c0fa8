import { setImmediate } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { lowerThreadPriority } from '../../../shared/threads/thread-priority.ts'
import { buildSegment } from './build-segment.ts'
import type { FromIndexerThread, SentVersion, ToIndexerThread } from './indexer-thread.ts'
import type { PackedVersion } from './split-version.ts'

// The thread that splits and indexes texts, so that requests do not wait for it. It works on all its requests in turn, a moment on
// each, so that a short text of one Brain does not wait for a long one of another.

const momentMilliseconds = 20

type Work = { id: number; steps: ReturnType<typeof buildSegment> }

const begun: Work[] = []
let isWorking = false

const send = (message: FromIndexerThread) => parentPort?.postMessage(message)

/** Does a part of a request. True if it is done, or failed. */
const workAt = ({ id, steps }: Work): boolean => {
  try {
    for (const until = performance.now() + momentMilliseconds; performance.now() < until; ) {
      const step = steps.next()
      if (!step.done) continue
      send({ id, built: step.value })
      return true
    }
    return false
  } catch (error) {
    send({ id, failure: String(error) })
    return true
  }
}

const workAtAll = async (): Promise<void> => {
  isWorking = true
  while (begun.length > 0) {
    const work = begun.shift()
    if (work && !workAt(work)) begun.push(work)
    // New requests arrive meanwhile.
    await setImmediate()
  }
  isWorking = false
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const toText = (sent: string | Uint8Array): string => (typeof sent === 'string' ? sent : decoder.decode(sent))

const fromSent = ({ content, text, ...version }: SentVersion): PackedVersion => ({
  ...version,
  content: toText(content),
  text: text === null ? null : toText(text),
})

lowerThreadPriority('background')

parentPort?.on('message', ({ id, versions, lastPassage }: ToIndexerThread) => {
  begun.push({ id, steps: buildSegment(versions.map(fromSent), lastPassage) })
  if (!isWorking) void workAtAll()
})
