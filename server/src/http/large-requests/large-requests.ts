import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import { type Body, bodyJson } from '../../api/body.ts'
import type { Clock } from '../../shared/clock.ts'
import { createFairLimiter, runInSlot, type Subject } from '../../shared/concurrency/fair-limiter.ts'
import type { Topic, Topics } from '../../shared/concurrency/topics.ts'
import { unavailable } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import type { Measures } from '../../shared/measures.ts'
import { openRpc, type Rpc } from '../../shared/threads/thread-rpc.ts'
import { type LargeBodies, largeBytes } from '../request/read-request.ts'
import { createLargeAnswers, type LargeAnswers } from './large-answers.ts'
import {
  type LargeAnswer,
  type LargeCall,
  type ReadJob,
  type ReadResult,
  toEndpointName,
  type WorkerData,
} from './messages.ts'

// Large requests are answered on a worker thread with an event loop, a pool and a commit engine of its own: another node that does
// not listen. The main thread only passes their bytes on, so that no one else waits while megabytes of text are parsed, put into
// a statement and written as JSON again. A large body whose request must stay on the main thread is read there, too.

/**
 * The worker handles at most this many requests at once, in all and for one organization. The others wait, organizations in turn.
 * While the worker computes for one request, the database may work on another, unless that would leave no processor to other
 * callers.
 */
const slots = { node: 4, organization: availableParallelism() > 2 ? 2 : 1, key: 4 }

const resourceLimits = { maxOldGenerationSizeMb: 1_024 }

/** The worker ends after this long without a request. One that grew returns its memory soon: V8 keeps what a thread once needed. */
const idleMilliseconds = { grown: 10_000, small: 300_000 }
const grownBytes = 128 * 1024 * 1024

/** True if the worker answers calls of an endpoint whole when their bodies are large: those that work on a Brain's content. */
export const mayMove = ({ access, body: schema, jsonRpc, wait }: Endpoint): boolean =>
  typeof access === 'object' && (schema !== undefined || jsonRpc === true) && !wait

export type LargeRequests = LargeBodies & {
  /** Answers a request with its body. */
  run(endpoint: Endpoint, request: FastifyRequest, sent: { body: Buffer; isStrict: boolean }): Promise<LargeAnswer>
  answers: LargeAnswers
  close(): Promise<void>
}

type Deps = { clock: Clock; log: Log; topics: Topics; measures: Measures }
type Started = { worker: Worker; rpc: Rpc }

const gone = () => unavailable('The worker for large requests stopped before it finished. Retry the request.')

/** Logs what the worker logs. */
const passOnLog = (log: Log) => (line: string) => {
  const { level, time: _time, msg, ...fields } = JSON.parse(line)
  if (level === 'trace' || level === 'debug' || level === 'info') log[level as 'info'](fields, msg)
  else log[level === 'warn' ? 'warn' : 'error'](fields, msg)
  return { value: undefined }
}

const startWorker = (entry: URL, data: WorkerData, { log, topics, measures }: Deps, onExit: () => void): Started => {
  const worker = new Worker(entry, { name: 'large requests', workerData: data, resourceLimits })
  const rpc = openRpc(worker, {
    log: passOnLog(log),
    measure: (measured: Parameters<Measures['report']>) => {
      measures.report(...measured)
      return { value: undefined }
    },
    publish: (names: readonly Topic[]) => {
      for (const topic of names) topics.publish(topic)
      return { value: undefined }
    },
  })
  worker.on('error', (error) => log.error({ err: error }, 'the worker for large requests failed'))
  worker.on('exit', () => {
    rpc.fail(gone())
    onExit()
  })
  return { worker, rpc }
}

/** Bytes for another thread: shared if their memory is shared, else moved, or copied if they are a part of a larger buffer. */
const toPassed = (bytes: Buffer): { bytes: Uint8Array; transfer: ArrayBuffer[] } => {
  const { buffer, byteOffset, length } = bytes
  if (buffer instanceof SharedArrayBuffer) return { bytes: new Uint8Array(buffer, byteOffset, length), transfer: [] }
  const owned = length === buffer.byteLength ? new Uint8Array(buffer) : new Uint8Array(bytes)
  return { bytes: owned, transfer: [owned.buffer] }
}

const hasGrown = async ({ worker }: Started): Promise<boolean> => {
  // It rejects for a worker that ended meanwhile.
  const statistics = await worker.getHeapStatistics().catch(() => undefined)
  return statistics !== undefined && statistics.total_heap_size + statistics.external_memory > grownBytes
}

/** The worker: it starts with the first job, and stops when it had none for a while. */
const createWorker = (entry: URL, data: WorkerData, deps: Deps) => {
  const limiter = createFairLimiter(slots)
  let started: Started | undefined
  let idle: NodeJS.Timeout | undefined
  const start = (): Started => {
    const one = startWorker(entry, data, deps, () => {
      if (started === one) started = undefined
    })
    return one
  }
  const close = async (): Promise<void> => {
    clearTimeout(idle)
    const ending = started
    started = undefined
    if (!ending) return
    await ending.rpc.ask('close', undefined).catch(() => undefined)
    await ending.worker.terminate()
  }
  const closeGrown = async (resting: Started): Promise<void> => {
    const isGrown = await hasGrown(resting)
    if (limiter.held() > 0 || started !== resting) return
    clearTimeout(idle)
    if (isGrown) await close()
    else idle = setTimeout(() => void close(), idleMilliseconds.small).unref()
  }
  return {
    ask: async <Answer>(
      subject: Subject,
      name: string,
      toQuestion: () => { value: unknown; transfer: ArrayBuffer[] },
    ): Promise<Answer> => {
      try {
        return await runInSlot(limiter, subject, () => {
          clearTimeout(idle)
          started ??= start()
          const { value, transfer } = toQuestion()
          return started.rpc.ask<Answer>(name, value, transfer)
        })
      } finally {
        clearTimeout(idle)
        const resting = started
        if (resting && limiter.held() === 0)
          idle = setTimeout(() => void closeGrown(resting), idleMilliseconds.grown).unref()
      }
    },
    close,
  }
}

/** A request for another thread or node, without its body. */
export const toCall = (
  endpoint: Endpoint,
  request: FastifyRequest,
  isStrict: boolean,
  clock: Clock,
): Omit<LargeCall, 'body'> => {
  const { id: requestId, principal, subject, ip, params, query, headers, traceparent } = request
  return {
    ...{ endpoint: toEndpointName(endpoint), requestId, isStrict },
    request: { principal, subject, ip, params, query: { ...(query as object) }, headers: { ...headers }, traceparent },
    clock: { time: clock.now().getTime(), at: process.hrtime.bigint() },
  }
}

/** `entry` is the file that the worker runs. */
export const openLargeRequests = (entry: URL, data: WorkerData, deps: Deps): LargeRequests => {
  const worker = createWorker(entry, data, deps)
  const read = (subject: Subject, sent: Buffer, job: Omit<ReadJob, 'bytes'>): Promise<ReadResult> =>
    worker.ask<ReadResult>(subject, 'read', () => {
      const { bytes, transfer } = toPassed(sent)
      return { value: { ...job, bytes } satisfies ReadJob, transfer }
    })
  const toBody = (result: ReadResult): Body => ({
    body: 'json' in result ? JSON.parse(result.json) : result.value,
    ignored: result.ignored,
  })
  return {
    answers: createLargeAnswers(),
    run: (endpoint, request, { body, isStrict }) =>
      worker.ask<LargeAnswer>(request.subject, 'call', () => {
        const { bytes, transfer } = toPassed(body)
        return { value: { ...toCall(endpoint, request, isStrict, deps.clock), body: bytes }, transfer }
      }),
    read: async (endpoint, bytes, { subject, isStrict }) =>
      toBody(
        await read(subject, bytes, {
          ...{ endpoint: toEndpointName(endpoint), isStrict, source: bodyJson, isKept: true },
        }),
      ),
    parse: async (bytes, subject, how) =>
      // The caller keeps the bytes, so the worker gets a copy.
      toBody(await read(subject, Buffer.copyBytesFrom(bytes), { endpoint: undefined, isStrict: false, ...how })).body,
    close: worker.close,
  }
}

/** True if a body is large enough to move its call to the worker. */
export const isLarge = (endpoint: Endpoint, body: Buffer): boolean => body.length > largeBytes && mayMove(endpoint)
