import { type Endpoint, takesJson } from '@noema/contracts/endpoint.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../access/principal.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import type { Binding, LineStream, PartStream, Tail, TailCall } from '../../api/binding.ts'
import type { BodyReader } from '../../api/body-reader.ts'
import type { Holder } from '../../shared/concurrency/shares.ts'
import { toBytesInSteps } from '../../shared/text/text-bytes.ts'
import { fromSentError } from '../../shared/threads/thread-rpc.ts'
import type { PartRoot } from '../../shared/tracing/spans.ts'
import { type Authenticate, createAdmission } from '../admission/admission.ts'
import type { RateLimit } from '../admission/rate-limit.ts'
import { findWait, tellPreferences } from '../admission/waiting.ts'
import { type HeavyCalls, isHeavy, mayBeHeavy } from '../large-requests/heavy-calls.ts'
import { type LargeReads, type PlacedRead, unplaced } from '../large-requests/large-reads.ts'
import { type HttpAnswer, isCompressible, toHttpAnswer } from '../request/answers.ts'
import type { BodyMemory } from '../request/body-memory.ts'
import { addVary } from '../request/compression.ts'
import { inRequest } from '../request/errors.ts'
import { ignoredFields, wantsStrict } from '../request/handling.ts'
import { findHolder, readCall } from '../request/read-request.ts'
import { createRequestSpans } from '../request/request-spans.ts'
import { drainBody } from '../streams/ndjson.ts'

// The pipeline of every endpoint, from top to bottom: who calls, may they, what do they ask, the operation, the answer.

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set before the body is read. */
    principal: Principal
    /** Its span, where it is traced, and what it passes on of its trace, where this node has a tracer. */
    span: PartRoot | undefined
    traceparent: string | undefined
    /** Ends a body that is too long on its way; a body that is read line by line has its own limit. */
    arrival: NodeJS.Timeout | undefined
  }
}

const unbuffered = { 'x-accel-buffering': 'no' }

/** What is said of an endpoint's stream to who asks for no body. */
const findStreamHeaders = ({ ndjson, sse }: Endpoint): Record<string, string> | undefined => {
  if (ndjson) return { ...unbuffered, 'content-type': 'application/x-ndjson', vary: 'origin, accept-encoding' }
  const protocol = { 'x-vercel-ai-ui-message-stream': 'v1' }
  return sse ? { ...unbuffered, ...protocol, 'content-type': 'text/event-stream; charset=utf-8' } : undefined
}

type SentAnswer = Omit<HttpAnswer, 'body'> & { body: string | Buffer }

const sendAnswer = (reply: FastifyReply, { status, headers, body }: SentAnswer): FastifyReply =>
  reply.status(status).headers(headers).send(body)

/** What is longer is made bytes of in steps. */
const maxLengthAtOnce = 256 * 1024

const toSentAnswer = async ({ body, ...answer }: HttpAnswer): Promise<SentAnswer> => ({
  ...answer,
  body: body.length > maxLengthAtOnce ? await toBytesInSteps(body) : body,
})

/** A signal that ends when the client goes away or the server drains. */
const untilGone = (reply: FastifyReply, draining: AbortSignal): AbortSignal => {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return AbortSignal.any([gone.signal, draining])
}

/** Takes a place for an event stream, until its connection is done with it. */
const takeStream = ({ open }: AppDeps, holder: Holder, reply: FastifyReply): void =>
  void reply.raw.once('close', open.take('streams', holder))

const wantsTail = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.split(',').some((type) => type.trim().startsWith('text/event-stream')) ?? false

const wantsStream = (endpoint: Endpoint, request: FastifyRequest): boolean =>
  request.method === 'GET' && (endpoint.sse === true || (endpoint.tail === true && wantsTail(request)))

/** Whether the head of a stream is asked for: what is streamed is looked for, and none of it is read. */
const wantsStreamHead = (endpoint: Endpoint, request: FastifyRequest): boolean =>
  request.method === 'HEAD' && endpoint.sse === true

/** What a request for a live tail asks beside the page that it would get. */
const readTail = (
  request: FastifyRequest,
  { isStillAllowed, signal }: Pick<TailCall, 'isStillAllowed' | 'signal'>,
): TailCall => {
  const lastEventId = request.headers['last-event-id']
  const resumeAt = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined
  return { resumeAt, isStillAllowed, signal }
}

/** Names what was dropped of a body, whatever becomes of the call. */
const tellIgnored = (reply: FastifyReply, fields: string | undefined): void => {
  if (fields !== undefined) reply.header('ignored-fields', fields)
}

/** Has a call answered where it keeps nobody waiting. */
const answerElsewhere = async (
  heavyCalls: HeavyCalls,
  endpoint: Endpoint,
  { request, body }: { request: FastifyRequest; body: Buffer },
  reply: FastifyReply,
): Promise<SentAnswer & { length: number }> => {
  const answer = await heavyCalls.run(endpoint, request, body)
  tellIgnored(reply, answer.ignoredFields)
  if ('refusal' in answer) throw fromSentError(answer.refusal)
  if ('content-encoding' in answer.answer.headers) addVary(reply, 'accept-encoding')
  const { buffer, byteOffset, byteLength } = answer.answer.body
  return { ...answer.answer, body: Buffer.from(buffer, byteOffset, byteLength) }
}

type Edge = {
  authenticate: Authenticate
  rateLimit: RateLimit
  bodies: BodyReader
  /** Where large calls are answered; undefined for here. */
  heavyCalls: HeavyCalls | undefined
  bodyMemory: BodyMemory
  largeReads: LargeReads
  trusted: ReadonlySet<string>
  sendStream: (reply: FastifyReply, stream: Tail | PartStream | LineStream) => FastifyReply
  draining: AbortSignal
}

/** How the requests of an endpoint are answered, once their callers are let in. */
const createAnswering = (
  deps: AppDeps,
  { endpoint, handle }: Binding,
  edge: Edge,
  recheck: (request: FastifyRequest) => Promise<boolean | undefined>,
) => {
  const { largeReads } = edge
  const findTail = (request: FastifyRequest, reply: FastifyReply): TailCall | undefined => {
    if (wantsStream(endpoint, request)) takeStream(deps, findHolder(request), reply)
    else if (!wantsStreamHead(endpoint, request)) return undefined
    return readTail(request, { isStillAllowed: () => recheck(request), signal: untilGone(reply, edge.draining) })
  }
  const answerHere = async (request: FastifyRequest, reply: FastifyReply, isStrict: boolean, read: PlacedRead) => {
    const tail = findTail(request, reply)
    const { call, ignored } = await readCall(endpoint, request, {
      tail,
      wait: findWait(deps, endpoint, { request, untilGone: () => untilGone(reply, edge.draining) }),
      isStillAllowed: () => recheck(request),
      bodies: edge.bodies,
    })
    tellIgnored(reply, ignoredFields(ignored))
    // Nothing is streamed to who asks for no body.
    const streamHeaders = request.method === 'HEAD' ? findStreamHeaders(endpoint) : undefined
    if (streamHeaders && !tail) return reply.headers(streamHeaders).send()
    const answer = await handle(deps, call).catch((error: unknown) => {
      throw inRequest(endpoint, error)
    })
    if (streamHeaders) return reply.headers(streamHeaders).send()
    if ('tail' in answer || 'parts' in answer || 'ndjson' in answer) {
      request.leave()
      return edge.sendStream(reply, answer)
    }
    if ('waited' in answer) tellPreferences(reply, { isStrict, waited: answer.waited === true })
    const toldAnswer = await toHttpAnswer(endpoint, answer)
    read.end(toldAnswer.body.length)
    return sendAnswer(reply, await toSentAnswer(toldAnswer))
  }
  return async (request: FastifyRequest, reply: FastifyReply, isStrict: boolean): Promise<FastifyReply> => {
    const heavyCalls = wantsStream(endpoint, request) ? undefined : edge.heavyCalls
    const body = request.body ?? Buffer.alloc(0)
    if (!heavyCalls || !Buffer.isBuffer(body)) return answerHere(request, reply, isStrict, unplaced)
    const isLargeBody = isHeavy(endpoint, body)
    if (isLargeBody) largeReads.noteWrite(request.principal)
    const read = await largeReads.begin(endpoint, request.principal)
    try {
      if (!isLargeBody && !read.isElsewhere) return await answerHere(request, reply, isStrict, read)
      const answer = await answerElsewhere(heavyCalls, endpoint, { request, body }, reply)
      read.end(answer.length)
      return sendAnswer(reply, answer)
    } finally {
      read.end(undefined)
    }
  }
}

/** Registers an endpoint. */
export const registerRoute = (app: FastifyInstance, deps: AppDeps, binding: Binding, edge: Edge): void => {
  const { endpoint } = binding
  const { enter, recheck } = createAdmission(endpoint, deps, edge)
  const answer = createAnswering(deps, binding, edge, recheck)
  const beginSpan = createRequestSpans(deps, endpoint)
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      const isStrict = takesJson(endpoint) && wantsStrict(request.headers.prefer)
      tellPreferences(reply, { isStrict, waited: false })
      return await answer(request, reply, isStrict)
    } finally {
      if (endpoint.ndjson === 'body') drainBody(request)
      request.bodyPiece?.giveBack()
    }
  }
  app.route({
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { isCompressible: isCompressible(endpoint) },
    ...(endpoint.bodyLimit === undefined ? {} : { bodyLimit: endpoint.bodyLimit }),
    // Before the body is read: a caller without a key is refused without its megabytes.
    onRequest: async (request, reply) => {
      await enter(request, reply)
      beginSpan(request, reply)
      if (edge.heavyCalls && mayBeHeavy(endpoint)) request.bodyMemory = edge.bodyMemory
    },
    // HEAD answers as GET does, without the body.
    exposeHeadRoute: endpoint.method === 'GET',
    handler: (request, reply) => (request.span ? request.span.run(() => serve(request, reply)) : serve(request, reply)),
  })
}
