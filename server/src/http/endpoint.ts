import type { Readable } from 'node:stream'
import type { BodyOutput, Endpoint, PathParameter, QueryOutput } from '@noema/contracts/endpoint.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authorize } from '../access/authorize.ts'
import type { BrainPrincipal, ManagementPrincipal, Principal, SessionPrincipal } from '../access/principal.ts'
import type { BrainRow } from '../features/brain/brains/brains.ts'
import { ApiError, validation } from '../shared/errors.ts'
import { drainBody, ndjsonBody } from './ndjson.ts'
import { parseBody, parseIdempotencyKey, parseIfMatch, parseParams, parseQuery } from './parse.ts'

// The pipeline of every endpoint, from top to bottom: who calls, may they, what do they ask, the operation, the answer.

/** The principals that an endpoint's access lets through. */
type PrincipalOf<E extends Endpoint> = E['access'] extends 'session'
  ? SessionPrincipal
  : E['access'] extends 'management'
    ? ManagementPrincipal
    : E['access'] extends { capabilities: unknown }
      ? (ManagementPrincipal | BrainPrincipal) & { brain: BrainRow }
      : Principal

/** What an operation is called with: the caller, and the request as the contract declares it. */
export type Call<E extends Endpoint> = {
  caller: PrincipalOf<E>
  params: Record<PathParameter<E['path']>, string>
  query: QueryOutput<E>
  body: E extends { ndjson: 'body' } ? Readable : E extends { jsonRpc: true } ? Buffer : BodyOutput<E>
  idempotencyKey: string | undefined
  ifMatch: number | undefined
  headers: FastifyRequest['headers']
  /** Whether the caller may still do this: for answers that last, because a revoked key stops at its next request. */
  isStillAllowed: () => Promise<boolean>
  /** Aborts when the server drains; on a live tail also when the client goes away. */
  signal: AbortSignal
}

/** What an operation answers: `data` as a value, or as JSON text that is passed through unparsed. */
export type Answer = { status?: number; headers?: Record<string, string> } & ({ data: unknown } | { json: string })

/** A stream of Server-Sent Events, as text. */
export type EventStream = { stream: AsyncIterable<string> }

/** A stream of NDJSON lines, in pieces of any size. */
export type LineStream = { ndjson: AsyncIterable<Buffer> }

/** The answer of a protocol of its own, passed through as it is. */
export type ProtocolAnswer = { response: Response }
export type AnyAnswer = Answer | EventStream | LineStream | ProtocolAnswer

/** An endpoint joined to the operation that serves it. */
export type Route<Deps> = {
  endpoint: Endpoint
  handle: (deps: Deps, call: Call<Endpoint>) => Promise<AnyAnswer>
}

/** Joins a contract to an operation. */
export const route = <Deps, const E extends Endpoint>(
  endpoint: E,
  handle: (deps: Deps, call: Call<E>) => Promise<AnyAnswer>,
): Route<Deps> => ({ endpoint, handle: handle as unknown as Route<Deps>['handle'] })

export type Authenticate = (request: FastifyRequest, handle: string | undefined) => Promise<Principal>

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set before the body is read. */
    caller: Principal
    /** Ends a body that is too long on its way; a body that is read line by line has its own limit. */
    arrival: NodeJS.Timeout | undefined
  }
}

const header = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

const readBody = (endpoint: Endpoint, request: FastifyRequest): unknown => {
  if (endpoint.ndjson === 'body') {
    clearTimeout(request.arrival)
    return ndjsonBody(request)
  }
  const { body } = request
  if (endpoint.jsonRpc) return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  if (body !== undefined && !Buffer.isBuffer(body)) throw validation('Send the body as content-type: application/json.')
  return parseBody(endpoint, body)
}

const readCall = (
  endpoint: Endpoint,
  request: FastifyRequest,
  lasting: Pick<Call<Endpoint>, 'isStillAllowed' | 'signal'>,
): Call<Endpoint> => ({
  ...lasting,
  caller: request.caller,
  params: parseParams(request.params as Record<string, string>),
  query: parseQuery(endpoint, request.query as Record<string, unknown>) as Call<Endpoint>['query'],
  body: readBody(endpoint, request) as Call<Endpoint>['body'],
  idempotencyKey:
    endpoint.idempotencyKey === 'header' ? parseIdempotencyKey(header(request.headers['idempotency-key'])) : undefined,
  ifMatch: endpoint.ifMatch ? parseIfMatch(request.headers['if-match']) : undefined,
  headers: request.headers,
})

const sendAnswer = (reply: FastifyReply, endpoint: Endpoint, answer: Answer): FastifyReply => {
  const data = 'json' in answer ? answer.json : JSON.stringify(answer.data)
  if (answer.headers) reply.headers(answer.headers)
  return reply
    .status(answer.status ?? endpoint.status[0])
    .header('content-type', 'application/json; charset=utf-8')
    .send(`{"data":${data}}`)
}

const sendResponse = async (reply: FastifyReply, { response }: ProtocolAnswer): Promise<FastifyReply> =>
  reply
    .status(response.status)
    .headers(Object.fromEntries(response.headers))
    .send(await response.text())

/** A signal that ends when the client goes away or the server drains. */
const untilGone = (reply: FastifyReply, draining: AbortSignal): AbortSignal => {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return AbortSignal.any([gone.signal, draining])
}

/** Whether a caller is let in; an outage says nothing about that and is thrown. */
const isAdmitted = (admission: Promise<Principal>): Promise<boolean> =>
  admission.then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError) return false
      throw error
    },
  )

/** Registers an endpoint. */
export const registerRoute = <Deps>(
  app: FastifyInstance,
  deps: Deps,
  { endpoint, handle }: Route<Deps>,
  edge: {
    authenticate: Authenticate
    sendStream: (reply: FastifyReply, stream: EventStream | LineStream) => FastifyReply
    draining: AbortSignal
  },
): void => {
  const admit = async (request: FastifyRequest): Promise<Principal> => {
    const { handle: brainHandle } = request.params as { handle?: string }
    const caller = await edge.authenticate(request, brainHandle)
    authorize(endpoint.access, caller, brainHandle)
    return caller
  }
  app.route({
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(endpoint.bodyLimit === undefined ? {} : { bodyLimit: endpoint.bodyLimit }),
    // Before the body is read: a caller without a key is refused without its megabytes.
    onRequest: async (request) => {
      request.caller = await admit(request)
    },
    handler: async (request, reply) => {
      const signal = endpoint.tail ? untilGone(reply, edge.draining) : edge.draining
      const isStillAllowed = () => isAdmitted(admit(request))
      try {
        const answer = await handle(deps, readCall(endpoint, request, { isStillAllowed, signal }))
        if ('response' in answer) return await sendResponse(reply, answer)
        const isStream = 'stream' in answer || 'ndjson' in answer
        return isStream ? edge.sendStream(reply, answer) : sendAnswer(reply, endpoint, answer)
      } finally {
        if (endpoint.ndjson === 'body') drainBody(request)
      }
    },
  })
}
