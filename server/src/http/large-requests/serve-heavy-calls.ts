import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { isObject } from '@noema/contracts/json.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import type { Binding } from '../../api/binding.ts'
import { readBody } from '../../api/body.ts'
import { type BodyReader, toEndpointName } from '../../api/body-reader.ts'
import { toApiError } from '../../api/errors.ts'
import { checkKeepable, parseCounted } from '../../api/read-json.ts'
import type { Clock } from '../../shared/clock.ts'
import { type Moved, toSentError } from '../../shared/threads/thread-rpc.ts'
import { parseTraceparent } from '../../shared/tracing/trace-context.ts'
import { type HttpAnswer, isCompressible, toHttpAnswer } from '../request/answers.ts'
import { compressHere } from '../request/compression.ts'
import { inRequest } from '../request/errors.ts'
import { ignoredFields } from '../request/handling.ts'
import { readCall } from '../request/read-request.ts'
import type { ClockReading, HeavyAnswer, HeavyCall } from './heavy-messages.ts'

// The thread's side of heavy calls: the pipeline of an endpoint from its body on. Who calls, whether they may and at what rate
// was found out on the main thread.

/** Reads bodies where nobody waits for this thread. */
const bodies: Pick<BodyReader, 'read' | 'parse'> = {
  read: async (endpoint, bytes, { isStrict }) => readBody(endpoint, bytes, isStrict),
  parse: async (bytes, _tenant, { source, isKept }) => {
    const { value } = parseCounted(bytes, source)
    if (isKept) checkKeepable(value, source.root)
    return value
  },
}

/** A clock that goes on from the reading that came last. */
export const createToldClock = (): Clock & { set(reading: ClockReading): void } => {
  let reading: ClockReading = { time: Date.now(), at: process.hrtime.bigint() }
  return {
    now: () => new Date(reading.time + Number(process.hrtime.bigint() - reading.at) / 1e6),
    set: (told) => {
      reading = told
    },
  }
}

/** What crossed between threads, with the Buffers in it, which arrive as mere bytes. */
const withBuffers = <Value>(value: Value): Value => {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength) as Value & Buffer
  if (Array.isArray(value) || !isObject(value) || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, withBuffers(inside)])) as Value
}

type Accepted = string | string[] | undefined

const refuse = (told: string | undefined, error: unknown): HeavyAnswer => ({
  ignoredFields: told,
  refusal: toSentError(error),
})

/** An answer as bytes, compressed as its caller likes: zlib's own threads, which are several, would take the processors from the main one. */
const toMoved = (endpoint: Endpoint, told: string | undefined, accepted: Accepted, answer: HttpAnswer): Moved => {
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
  return { value: { ignoredFields: told, answer: sent } satisfies HeavyAnswer, transfer: [body.buffer] }
}

export const serveHeavyCalls = (
  deps: AppDeps,
  bindings: readonly Binding[],
  setClock: (told: ClockReading) => void,
) => {
  /** Does something below the span that the main thread has of its request. */
  const below = <Result>(traceparent: string | undefined, task: () => Promise<Result>): Promise<Result> =>
    deps.tracer ? deps.tracer.goOn(parseTraceparent(traceparent ?? null), task) : task()
  const byName = new Map(bindings.map((binding) => [toEndpointName(binding.endpoint), binding]))
  return async ({ endpoint: name, requestId, request, body, clock }: HeavyCall): Promise<Moved> => {
    setClock(clock)
    const binding = byName.get(name)
    if (!binding) throw new Error(`there is no endpoint ${name} on this thread`)
    const { endpoint, handle } = binding
    let told: string | undefined
    try {
      const parts = { ...request, principal: withBuffers(request.principal), body: withBuffers(body) }
      const beside = { tail: undefined, wait: undefined, isStillAllowed: async () => undefined, bodies }
      const { call, ignored } = await readCall(endpoint, parts, beside)
      told = ignoredFields(ignored)
      const answer = await below(request.traceparent, () => handle(deps, call))
      if ('tail' in answer || 'parts' in answer || 'ndjson' in answer)
        throw new Error(`${name} answers a stream, which no thread passes on`)
      return toMoved(endpoint, told, request.headers['accept-encoding'], await toHttpAnswer(endpoint, answer))
    } catch (error) {
      const refusal = toApiError(inRequest(endpoint, error), deps.log.child({ requestId }))
      return { value: refuse(told, refusal) }
    }
  }
}
