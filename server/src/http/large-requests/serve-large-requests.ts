import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { isObject } from '@noema/contracts/json.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import type { Binding } from '../../api/binding.ts'
import { readBody } from '../../api/body.ts'
import { toApiError } from '../../api/errors.ts'
import { checkKeepable, parseCounted } from '../../api/read-json.ts'
import type { Clock } from '../../shared/clock.ts'
import { MovesToWorker } from '../../shared/errors.ts'
import { type Moved, toSentError } from '../../shared/threads/thread-rpc.ts'
import { parseTraceparent } from '../../shared/tracing/trace-context.ts'
import { type HttpAnswer, isCompressible, toHttpAnswer } from '../request/answers.ts'
import { compressHere } from '../request/compression.ts'
import { inRequest } from '../request/errors.ts'
import { toIgnoredFields } from '../request/ignored-fields.ts'
import { readCall } from '../request/read-request.ts'
import {
  type ClockReading,
  type LargeAnswer,
  type LargeCall,
  type ReadJob,
  type ReadResult,
  toEndpointName,
} from './messages.ts'

// The worker's side of large requests: the pipeline of an endpoint from its body on. The main thread authenticated and authorized
// the caller and checked its rate.

/** A clock that continues from the last reading that the main thread sent. */
export const createFollowingClock = (): Clock & { set(reading: ClockReading): void } => {
  let reading: ClockReading = { time: Date.now(), at: process.hrtime.bigint() }
  return {
    now: () => new Date(reading.time + Number(process.hrtime.bigint() - reading.at) / 1e6),
    set: (newReading) => {
      reading = newReading
    },
  }
}

/** Restores Buffers, which arrive from another thread as plain byte arrays. */
const withBuffers = <Value>(value: Value): Value => {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength) as Value & Buffer
  if (Array.isArray(value) || !isObject(value) || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, withBuffers(inside)])) as Value
}

type Accepted = string | string[] | undefined

const toRefusal = (ignoredFields: string | undefined, error: unknown): LargeAnswer => ({
  ignoredFields,
  refusal: toSentError(error),
})

/** An answer as bytes, compressed on this thread: zlib's several threads would take the processors from the main one. */
const toMoved = (
  endpoint: Endpoint,
  ignoredFields: string | undefined,
  accepted: Accepted,
  answer: HttpAnswer,
): Moved => {
  const { body: text, headers, status } = answer
  const plain = Buffer.from(text)
  const packed = isCompressible(endpoint) ? compressHere(plain, accepted) : undefined
  const body = new Uint8Array(packed?.bytes ?? plain)
  const sent = {
    status,
    length: plain.length,
    headers: packed ? { ...headers, 'content-encoding': packed.encoding } : headers,
    body,
  }
  return { value: { ignoredFields, answer: sent } satisfies LargeAnswer, transfer: [body.buffer] }
}

// Values cross between threads one by one, which takes far longer than to parse their text again; long texts do not.
const maxCopiedValues = 2_000

/** Reads the body of an endpoint, or any JSON. */
export const createReadJob = (bindings: readonly Binding[]) => {
  const byName = new Map(bindings.map(({ endpoint }) => [toEndpointName(endpoint), endpoint]))
  const read = ({ endpoint: name, bytes, isStrict, source, isKept }: ReadJob) => {
    const endpoint = name === undefined ? undefined : byName.get(name)
    if (endpoint) return readBody(endpoint, bytes, isStrict)
    if (name !== undefined) throw new Error(`there is no endpoint ${name} on this thread`)
    const { value, values } = parseCounted(bytes, source)
    if (isKept) checkKeepable(value, source.root)
    return { body: value, ignored: { paths: [], count: 0 }, values }
  }
  return (job: ReadJob): Moved => {
    const { body, ignored, values } = read(job)
    const result: ReadResult =
      values <= maxCopiedValues ? { value: body, ignored } : { json: JSON.stringify(body), ignored }
    return { value: result }
  }
}

/** Answers calls of another thread or node. Throws `MovesToWorker` if the commit engine can. */
export const serveLargeRequests = (
  deps: AppDeps,
  bindings: readonly Binding[],
  setClock: (reading: ClockReading) => void,
) => {
  /** Runs a task below the span that the main thread has of its request. */
  const below = <Result>(traceparent: string | undefined, task: () => Promise<Result>): Promise<Result> =>
    deps.tracer ? deps.tracer.goOn(parseTraceparent(traceparent ?? null), task) : task()
  const byName = new Map(bindings.map((binding) => [toEndpointName(binding.endpoint), binding]))
  return async ({ endpoint: name, requestId, request, isStrict, body, clock }: LargeCall): Promise<Moved> => {
    setClock(clock)
    const binding = byName.get(name)
    if (!binding) throw new Error(`there is no endpoint ${name} on this thread`)
    const { endpoint, handle } = binding
    let ignoredFields: string | undefined
    try {
      const parts = { ...request, principal: withBuffers(request.principal), body: withBuffers(body) }
      const how = {
        tail: undefined,
        wait: undefined,
        isStillAllowed: async () => undefined,
        isStrict,
        large: undefined,
      }
      const { call, ignored } = await readCall(endpoint, parts, how)
      ignoredFields = toIgnoredFields(ignored)
      const answer = await below(request.traceparent, () => handle(deps, call))
      if (
        'tail' in answer ||
        'parts' in answer ||
        'messages' in answer ||
        'ndjson' in answer ||
        'archive' in answer ||
        'file' in answer
      )
        throw new Error(`${name} answers a stream, which no thread passes on`)
      return toMoved(endpoint, ignoredFields, request.headers['accept-encoding'], await toHttpAnswer(endpoint, answer))
    } catch (error) {
      if (error instanceof MovesToWorker) throw error
      const refusal = toApiError(inRequest(endpoint, error), deps.log.child({ requestId }))
      return { value: toRefusal(ignoredFields, refusal) }
    }
  }
}
