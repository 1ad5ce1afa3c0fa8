import { type Endpoint, takesJson } from '@noema/contracts/endpoint.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { AppDeps } from '../../api/app-deps.ts'
import { type Binding, clientGone, type FileAnswer, type SentStream, type TailCall } from '../../api/binding.ts'
import { MovesToWorker } from '../../shared/errors.ts'
import { toBytesInSteps } from '../../shared/text/text-bytes.ts'
import { fromSentError } from '../../shared/threads/thread-rpc.ts'
import type { PartRoot } from '../../shared/tracing/spans.ts'
import type { Admission } from '../admission/admission.ts'
import { mayForward } from '../forwarding/forwardable.ts'
import type { Forwarding } from '../forwarding/forwarding.ts'
import { largeLength } from '../large-requests/large-answers.ts'
import { isLarge, type LargeRequests, mayMove } from '../large-requests/large-requests.ts'
import type { LargeAnswer } from '../large-requests/messages.ts'
import { isCompressible, toHttpAnswer } from '../request/answers.ts'
import type { BodyMemory } from '../request/body-memory.ts'
import { addVary } from '../request/compression.ts'
import { inRequest } from '../request/errors.ts'
import { toIgnoredFields } from '../request/ignored-fields.ts'
import { noPreferences, type Preferences, readPreferences, setAppliedPreferences } from '../request/preferences.ts'
import { largeBytes, readCall } from '../request/read-request.ts'
import { createRequestSpans } from '../request/request-spans.ts'
import { drainBody } from '../streams/ndjson.ts'
import { mayWait, toWaitCall } from '../streams/wait.ts'

// The pipeline of every endpoint, in order: find the caller, authorize, parse the request, run the operation, send the answer.

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request, if it is traced, and the `traceparent` that it passes on, if this node has a tracer. */
    span: PartRoot | undefined
    traceparent: string | undefined
  }
}

const unbuffered = { 'x-accel-buffering': 'no' }

/** The headers of an endpoint's stream for a request without a body in its answer (HEAD). */
const findStreamHeaders = ({ ndjson, sse }: Endpoint): Record<string, string> | undefined => {
  if (ndjson) return { ...unbuffered, 'content-type': 'application/x-ndjson', vary: 'origin, accept-encoding' }
  const protocol = { 'x-vercel-ai-ui-message-stream': 'v1' }
  return sse ? { ...unbuffered, ...protocol, 'content-type': 'text/event-stream; charset=utf-8' } : undefined
}

/** A signal that ends when the client goes away or the server drains. */
const untilGone = (reply: FastifyReply, draining: AbortSignal): AbortSignal => {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort(clientGone))
  return AbortSignal.any([gone.signal, draining])
}

const wantsTail = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.split(',').some((type) => type.trim().startsWith('text/event-stream')) ?? false

const wantsStream = (endpoint: Endpoint, request: FastifyRequest): boolean =>
  request.method === 'GET' && (endpoint.sse === true || (endpoint.tail === true && wantsTail(request)))

/** True if a request wants only the head of a stream: the operation finds the stream and reads none of it. */
const wantsStreamHead = (endpoint: Endpoint, request: FastifyRequest): boolean =>
  request.method === 'HEAD' && endpoint.sse === true

/** The arguments of a live tail that a page of the same list does not have. */
const readTail = (
  request: FastifyRequest,
  { isStillAllowed, signal }: Pick<TailCall, 'isStillAllowed' | 'signal'>,
): TailCall => {
  const lastEventId = request.headers['last-event-id']
  const resumeAt = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined
  return { resumeAt, isStillAllowed, signal }
}

/** Names the dropped fields of a body, whether or not the call succeeds. */
const setIgnoredFields = (reply: FastifyReply, fields: string | undefined): void => {
  if (fields !== undefined) reply.header('ignored-fields', fields)
}

/** Sends the answer of another thread or node. Throws its refusal. */
const sendAnswered = (reply: FastifyReply, result: LargeAnswer): FastifyReply => {
  setIgnoredFields(reply, result.ignoredFields)
  if ('refusal' in result) throw fromSentError(result.refusal)
  const { status, headers, body } = result.answer
  if ('content-encoding' in headers) addVary(reply, 'accept-encoding')
  return reply
    .status(status)
    .headers(headers)
    .send(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
}

/** Has the worker for large requests answer a call. */
const askWorker = async (
  largeRequests: LargeRequests,
  endpoint: Endpoint,
  { request, body, isStrict }: { request: FastifyRequest; body: Buffer; isStrict: boolean },
): Promise<LargeAnswer> => {
  const result = await largeRequests.run(endpoint, request, { body, isStrict })
  if ('answer' in result) largeRequests.answers.recordAnswer(endpoint, request.principal, result.answer.length)
  return result
}

type Edge = {
  admission: Admission
  largeRequests: LargeRequests | undefined
  forwarding: Forwarding | undefined
  bodyMemory: BodyMemory
  sendAnswer: (reply: FastifyReply, answer: SentStream | FileAnswer) => FastifyReply
  draining: AbortSignal
}

/** True if the worker for large requests can answer an endpoint whose request turns out to need much content. */
const mayTurnOutLarge = ({ access, ndjson, sse, wait }: Endpoint): boolean =>
  typeof access === 'object' && ndjson === undefined && sse === undefined && !wait

type Recheck = (request: FastifyRequest) => Promise<boolean | undefined>

/** Answers the requests of an endpoint on this thread. */
const createAnsweringHere = (
  given: AppDeps,
  { endpoint, handle }: Binding,
  { largeRequests, sendAnswer, draining, admission }: Edge,
  recheck: Recheck,
) => {
  const deps =
    largeRequests && mayTurnOutLarge(endpoint) ? { ...given, commitEngine: given.commitEngine.movable() } : given
  const mayStream = endpoint.sse === true || endpoint.tail === true
  const waits = mayWait(endpoint)
  const { pace } = admission
  const headHeaders = findStreamHeaders(endpoint)
  const findTail = (request: FastifyRequest, reply: FastifyReply): TailCall | undefined => {
    if (!mayStream) return undefined
    // An event stream holds a slot of its own until its connection closes.
    if (wantsStream(endpoint, request)) reply.raw.once('close', deps.open.take('streams', request.subject))
    else if (!wantsStreamHead(endpoint, request)) return undefined
    return readTail(request, { isStillAllowed: () => recheck(request), signal: untilGone(reply, draining) })
  }
  const findWait = (request: FastifyRequest, reply: FastifyReply, preferredSeconds: number | undefined) =>
    toWaitCall(deps, endpoint, request, { preferredSeconds, untilGone: () => untilGone(reply, draining) })
  return async (request: FastifyRequest, reply: FastifyReply, { isStrict, waitSeconds }: Preferences) => {
    const tail = findTail(request, reply)
    const wait = waits ? findWait(request, reply, waitSeconds) : undefined
    const how = { tail, wait, isStillAllowed: () => recheck(request), isStrict, large: largeRequests, pace }
    const { call, ignored } = await readCall(endpoint, request, how)
    if (ignored.count > 0) setIgnoredFields(reply, toIgnoredFields(ignored))
    // HEAD gets the headers of the stream alone.
    const streamHeaders = request.method === 'HEAD' ? headHeaders : undefined
    if (streamHeaders && !tail) return reply.headers(streamHeaders).send()
    const answer = await handle(deps, call).catch((error: unknown) => {
      throw inRequest(endpoint, error)
    })
    if (streamHeaders) return reply.headers(streamHeaders).send()
    if (
      'tail' in answer ||
      'parts' in answer ||
      'messages' in answer ||
      'ndjson' in answer ||
      'archive' in answer ||
      'file' in answer
    ) {
      request.leave()
      return sendAnswer(reply, answer)
    }
    if ('waited' in answer) setAppliedPreferences(reply, { isStrict, waited: answer.waited === true })
    const { status, headers, body } = await toHttpAnswer(endpoint, answer)
    reply.status(status).headers(headers)
    if (body.length < largeLength) return reply.send(body)
    largeRequests?.answers.recordAnswer(endpoint, request.principal, body.length)
    return reply.send(await toBytesInSteps(body))
  }
}

/** Answers the requests of an endpoint, once their callers are admitted: here, on the worker for large requests, or on another node. */
const createAnswering = (deps: AppDeps, binding: Binding, edge: Edge, recheck: Recheck) => {
  const { endpoint } = binding
  const { largeRequests } = edge
  const forwarding = mayForward(endpoint) ? edge.forwarding : undefined
  const answerHere = createAnsweringHere(deps, binding, edge, recheck)
  /** The body to send to the worker; undefined if the main thread answers the call. A read with a large answer has an empty one. */
  const findMoved = (large: LargeRequests, request: FastifyRequest): Buffer | undefined => {
    const { body = Buffer.alloc(0), principal } = request
    if (!Buffer.isBuffer(body) || wantsStream(endpoint, request)) return undefined
    if (!isLarge(endpoint, body)) return large.answers.isExpected(endpoint, principal) ? body : undefined
    large.answers.recordWrite(principal)
    return body
  }
  /** The answer of the worker or of the node of the Brain; undefined if this thread answers. */
  const askOther = async (
    large: LargeRequests,
    { request, isStrict, isSmall }: { request: FastifyRequest; isStrict: boolean; isSmall: boolean },
  ): Promise<LargeAnswer | undefined> => {
    const body = isSmall && large.answers.remembered.size === 0 ? undefined : findMoved(large, request)
    if (body) return askWorker(large, endpoint, { request, body, isStrict })
    return isSmall ? forwarding?.forward(endpoint, request, isStrict) : undefined
  }
  return async (request: FastifyRequest, reply: FastifyReply, preferences: Preferences): Promise<FastifyReply> => {
    const { body } = request
    const { isStrict } = preferences
    if (!largeRequests) return answerHere(request, reply, preferences)
    const isSmall = !Buffer.isBuffer(body) || body.length <= largeBytes
    if (!isSmall || forwarding || largeRequests.answers.remembered.size > 0) {
      const answered = await askOther(largeRequests, { request, isStrict, isSmall })
      if (answered) return sendAnswered(reply, answered)
    }
    try {
      return await answerHere(request, reply, preferences)
    } catch (error) {
      if (!(error instanceof MovesToWorker)) throw error
      largeRequests.answers.recordWrite(request.principal)
      const sent = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
      return sendAnswered(reply, await askWorker(largeRequests, endpoint, { request, body: sent, isStrict }))
    }
  }
}

/** Registers a route whose body is a file: of any media type, and read as it comes. */
const registerFileRoute = (app: FastifyInstance, route: RouteOptions): void => {
  void app.register((scope, _options, registered) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, body, done) => done(null, body))
    scope.route({ ...route, config: { ...route.config, takesFile: true } })
    registered()
  })
}

/** Registers an endpoint. */
export const registerRoute = (app: FastifyInstance, deps: AppDeps, binding: Binding, edge: Edge): void => {
  const { endpoint } = binding
  const { enter, recheck } = edge.admission.forEndpoint(endpoint)
  const answer = createAnswering(deps, binding, edge, recheck)
  const beginSpan = createRequestSpans(deps, endpoint)
  const isJson = takesJson(endpoint)
  const movesBody = edge.largeRequests !== undefined && mayMove(endpoint)
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      const { prefer } = request.headers
      const given = prefer === undefined ? noPreferences : readPreferences(prefer)
      const preferences = isJson ? given : { ...given, isStrict: false }
      if (preferences.isStrict) setAppliedPreferences(reply, { isStrict: true, waited: false })
      return await answer(request, reply, preferences)
    } finally {
      if (endpoint.ndjson === 'body' || endpoint.file === 'body') drainBody(request)
      request.bodyPiece?.giveBack()
    }
  }
  const route: RouteOptions = {
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: {
      isCompressible: isCompressible(endpoint),
      ...(endpoint.openai ? { isOpenAi: true } : {}),
      ...(movesBody ? { bodyMemory: edge.bodyMemory } : {}),
    },
    ...(endpoint.bodyLimit === undefined ? {} : { bodyLimit: endpoint.bodyLimit }),
    // This runs before the body is read, so that a caller without a key is refused before it sends megabytes.
    onRequest: [enter, ...(beginSpan ? [beginSpan] : [])],
    // HEAD answers as GET does, without the body.
    exposeHeadRoute: endpoint.method === 'GET',
    handler: (request, reply) => (request.span ? request.span.run(() => serve(request, reply)) : serve(request, reply)),
  }
  if (endpoint.file === 'body') registerFileRoute(app, route)
  else app.route(route)
}
