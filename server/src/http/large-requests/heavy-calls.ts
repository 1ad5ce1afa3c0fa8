import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import { largeBytes, toEndpointName } from '../../api/body-reader.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Topic, Topics } from '../../shared/concurrency/topics.ts'
import { createTenantTurns } from '../../shared/concurrency/turns-by-tenant.ts'
import { unavailable } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import type { Measures } from '../../shared/measures.ts'
import { openRpc, type Rpc } from '../../shared/threads/thread-rpc.ts'
import { findHolder } from '../request/read-request.ts'
import type { HeavyAnswer, HeavyCall, HeavyThreadData } from './heavy-messages.ts'

// Large calls are answered on a thread of their own, with an event loop, a pool and a commit engine of its own: another node,
// that does not listen. The main thread only passes their bytes on, so that nobody else waits while a text of megabytes is
// parsed, put into a statement and written as JSON again.

/**
 * Calls that the thread works on at once, and those of one organization: the others wait, organizations in turn. While the thread
 * works on one, the database may work on another of them; where that would leave no processor to everybody else, one after
 * the other is done.
 */
const turns = { places: 4, ofTenant: availableParallelism() > 2 ? 2 : 1 }

const maxHeapMegabytes = 1_024
const idleMilliseconds = 300_000

/** Whether calls of an endpoint work on the content of a Brain: large ones are answered on the thread. */
export const mayBeHeavy = ({ access, body: schema, jsonRpc, wait }: Endpoint): boolean =>
  typeof access === 'object' && (schema !== undefined || jsonRpc === true) && !wait

export const isHeavy = (endpoint: Endpoint, body: Buffer): boolean => body.length > largeBytes && mayBeHeavy(endpoint)

export type HeavyCalls = {
  run(endpoint: Endpoint, request: FastifyRequest, body: Buffer): Promise<HeavyAnswer>
  /** Whether the thread is there: it starts with the first call, and ends when there were none for a while. */
  isRunning(): boolean
  close(): Promise<void>
}

type Deps = { clock: Clock; log: Log; topics: Topics; measures: Measures }
type Thread = { worker: Worker; rpc: Rpc }

const gone = () =>
  unavailable('What answers large requests on this node ended before the answer was there. Send the request again.')

/** Lets the thread log as this one does. */
const passOnLog = (log: Log) => (line: string) => {
  const { level, time: _time, msg, ...fields } = JSON.parse(line)
  if (level === 'trace' || level === 'debug' || level === 'info') log[level as 'info'](fields, msg)
  else log[level === 'warn' ? 'warn' : 'error'](fields, msg)
  return { value: undefined }
}

const startThread = (entry: URL, data: HeavyThreadData, { log, topics, measures }: Deps, ended: () => void): Thread => {
  const resourceLimits = { maxOldGenerationSizeMb: maxHeapMegabytes }
  const worker = new Worker(entry, { name: 'heavy calls', workerData: data, resourceLimits })
  const rpc = openRpc(worker, {
    log: passOnLog(log),
    measure: (told: Parameters<Measures['tell']>) => {
      measures.tell(...told)
      return { value: undefined }
    },
    publish: (names: readonly Topic[]) => {
      for (const topic of names) topics.publish(topic)
      return { value: undefined }
    },
  })
  worker.on('error', (error) => log.error({ err: error }, 'the thread for heavy calls failed'))
  worker.on('exit', () => {
    rpc.fail(gone())
    ended()
  })
  return { worker, rpc }
}

/** The bytes of a body as another thread may have them: shared where their memory is, or else moved, and copied where it is a part. */
const toPassed = (bytes: Buffer): { body: Uint8Array; transfer: ArrayBuffer[] } => {
  const { buffer, byteOffset, length } = bytes
  if (buffer instanceof SharedArrayBuffer) return { body: new Uint8Array(buffer, byteOffset, length), transfer: [] }
  const owned = length === buffer.byteLength ? new Uint8Array(buffer) : new Uint8Array(bytes)
  return { body: owned, transfer: [owned.buffer] }
}

const toCall = (endpoint: Endpoint, request: FastifyRequest, body: Uint8Array, clock: Clock): HeavyCall => {
  const { id: requestId, principal, ip, params, query, headers, traceparent } = request
  return {
    ...{ endpoint: toEndpointName(endpoint), requestId, body },
    request: { principal, ip, params, query: { ...(query as object) }, headers: { ...headers }, traceparent },
    clock: { time: clock.now().getTime(), at: process.hrtime.bigint() },
  }
}

/** `entry` is the file that the thread runs. */
export const openHeavyCalls = (entry: URL, data: HeavyThreadData, deps: Deps): HeavyCalls => {
  const places = createTenantTurns(turns)
  let thread: Thread | undefined
  let idle: NodeJS.Timeout | undefined
  const start = (): Thread => {
    const started = startThread(entry, data, deps, () => {
      if (thread === started) thread = undefined
    })
    return started
  }
  const end = async (): Promise<void> => {
    clearTimeout(idle)
    const ending = thread
    thread = undefined
    if (!ending) return
    await ending.rpc.ask('close', undefined).catch(() => undefined)
    await ending.worker.terminate()
  }
  const call = async (endpoint: Endpoint, request: FastifyRequest, body: Buffer): Promise<HeavyAnswer> => {
    clearTimeout(idle)
    thread ??= start()
    const { body: passed, transfer } = toPassed(body)
    return thread.rpc.ask<HeavyAnswer>('call', toCall(endpoint, request, passed, deps.clock), transfer)
  }
  return {
    run: async (endpoint, request, body) => {
      const { organization } = findHolder(request)
      try {
        return await places.run(organization, () => call(endpoint, request, body))
      } finally {
        clearTimeout(idle)
        if (places.isIdle()) idle = setTimeout(() => void end(), idleMilliseconds).unref()
      }
    },
    isRunning: () => thread !== undefined,
    close: end,
  }
}
