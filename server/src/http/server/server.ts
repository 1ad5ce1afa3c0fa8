import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { getOpenApi } from '@noema/contracts/openapi.ts'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { isAdministrator } from '../../access/authorize.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import type { Binding, FileAnswer, SentStream } from '../../api/binding.ts'
import type { Accounts } from '../../features/accounts/auth/auth.ts'
import { unsubscribe } from '../../features/oversight/notifications/unsubscribing.ts'
import type { ShareLimits } from '../../shared/concurrency/fair-limiter.ts'
import { toBasePath, withoutBasePath } from '../../shared/network/base-path.ts'
import { createNetworks } from '../../shared/outbound/addresses.ts'
import type { WorkerHealth } from '../../shared/worker-health.ts'
import { type Admission, type Authenticate, openAdmission } from '../admission/admission.ts'
import { consoleFolder, registerConsole } from '../console/console.ts'
import { registerDocs } from '../docs/docs.ts'
import type { Forwarding } from '../forwarding/forwarding.ts'
import type { LargeRequests } from '../large-requests/large-requests.ts'
import { openApiDocument } from '../reference/openapi.ts'
import { answerBrokenRequest, maxHeadBytes, receive, refuseExpectations, toRequestId } from '../request/arrival.ts'
import { createBodyMemory } from '../request/body-memory.ts'
import type { BytePace, ByteRates } from '../request/byte-pace.ts'
import { registerCompression } from '../request/compression.ts'
import { sendError } from '../request/errors.ts'
import { sendFileBytes } from '../request/files.ts'
import { letGo, readBytes } from '../request/read-bytes.ts'
import { readQuery } from '../request/read-request.ts'
import { type StaticFile, sendFile, toTextFile } from '../request/static-files.ts'
import { registerSharedRuns } from '../shared-runs/shared-runs.ts'
import { registerAppMetadata } from '../sign-in/app-metadata.ts'
import { registerAuthRoutes } from '../sign-in/auth-routes.ts'
import { registerUnsubscribe } from '../sign-in/unsubscribe.ts'
import { dropStalledReader } from '../streams/ndjson.ts'
import { eventMessages, partMessages } from '../streams/sse.ts'
import { guardBasePath } from './base-path.ts'
import { type ConnectionLimits, limitConnections } from './connections.ts'
import { registerCors } from './cors.ts'
import { registerHealth } from './health.ts'
import type { Metrics } from './metrics.ts'
import { registerNotFound } from './not-found.ts'
import { registerRoute } from './register-route.ts'
import { createShutdown } from './shutdown.ts'

const MiB = 1024 * 1024

/** The bytes of a streamed answer. */
const toStream = (answer: SentStream, { subject }: FastifyRequest, pace: BytePace): AsyncIterable<Buffer | string> => {
  if ('ndjson' in answer) return pace(subject, 'lines', answer.ndjson)
  if ('archive' in answer) return answer.archive.pieces
  if ('messages' in answer) return answer.messages
  return 'parts' in answer ? partMessages(answer.parts) : eventMessages(answer.tail)
}

const toStreamType = (answer: SentStream): string => {
  if ('archive' in answer) return 'application/gzip'
  return 'ndjson' in answer ? 'application/x-ndjson' : 'text/event-stream; charset=utf-8'
}

const sendStream = (reply: FastifyReply, answer: SentStream, pace: BytePace): FastifyReply => {
  // An archive is not made for its headers alone.
  const isHead = 'archive' in answer && reply.request.method === 'HEAD'
  dropStalledReader(reply)
  if ('archive' in answer) reply.header('content-disposition', `attachment; filename="${answer.archive.name}"`)
  if ('parts' in answer) reply.header('x-vercel-ai-ui-message-stream', 'v1')
  return reply
    .status(200)
    .headers({
      'content-type': toStreamType(answer),
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    .send(isHead ? undefined : Readable.from(toStream(answer, reply.request, pace), { objectMode: false }))
}

/** The system queues at most this many connections until they are accepted. A caller beyond that tries again after a second. */
const maxUnaccepted = 4_096

/** The path of a request without secrets, for the log: links in emails carry a token in the path. */
const loggedPath = (url: string): string =>
  url.replace(/[?#].*$/s, '').replace(/^(\/api\/auth\/reset-password\/).+/s, '$1…')

/** The class of a status, such as `2xx`. */
const toClass = (status: number): string => (status < 300 ? '2xx' : `${Math.floor(status / 100)}xx`)

// Hooks that run for every request take a callback: a promise for each would cost more than what they do.
const addHooks = (app: FastifyInstance, { log, measures }: Pick<AppDeps, 'log' | 'measures'>): void => {
  app.addHook('onRequest', receive(log))
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    const { statusCode, elapsedTime } = reply
    const path = request.routeOptions.url ?? 'none'
    const traceId = request.span?.context.traceId
    measures.report(
      'noema_http_request_seconds',
      elapsedTime / 1_000,
      { method, path, status: toClass(statusCode) },
      traceId,
    )
    if (log.isLevelEnabled('debug')) {
      const milliseconds = Math.round(elapsedTime * 100) / 100
      const answered = {
        requestId: request.id,
        method,
        path: loggedPath(request.url),
        status: statusCode,
        milliseconds,
      }
      log.debug(traceId === undefined ? answered : { ...answered, trace_id: traceId }, 'answered')
    }
    done()
  })
}

/** The properties that we add to Fastify's requests; each is declared where it is used. */
const requestFields = [
  'principal',
  'subject',
  'credential',
  'caller',
  'arrival',
  'span',
  'traceparent',
  'takeBytes',
  'bodyPiece',
  'leave',
  'countBytes',
]

const createFastify = (
  { log, measures }: Pick<AppDeps, 'log' | 'measures'>,
  { trustedProxies, basePath }: { trustedProxies: readonly string[]; basePath: string },
): FastifyInstance => {
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    // Its body has not been read at all.
    if (request.raw.readableFlowing === null && !request.raw.readableEnded) letGo(request.raw)
    reply.header('x-request-id', request.id)
    const send = () => sendError(reply, error, log)
    return request.span ? request.span.run(send) : send()
  }
  const app = fastify({
    ...{ logger: false, bodyLimit: MiB },
    ...(basePath === ''
      ? {}
      : { rewriteUrl: (request: IncomingMessage) => withoutBasePath(basePath, request.url ?? '/') }),
    genReqId: toRequestId,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    // The caller's address is that of the connection, or the one that a trusted proxy reports.
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    forceCloseConnections: 'idle',
    // Fastify turns off Node's own limits unless they are given. Our own limit applies to the time that a body may take: Node's
    // would end an import, which may be long.
    requestTimeout: 0,
    keepAliveTimeout: 65_000,
    connectionTimeout: 0,
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: maxHeadBytes,
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 2_000 },
    clientErrorHandler: answerBrokenRequest(log),
    frameworkErrors: (error, request, reply) => void refuse(error, request, reply),
  })
  refuseExpectations(app.server)
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply))
  // Bodies stay bytes until the endpoint parses them, after the caller is known.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(.+\+)?json\b/i, readBytes)
  app.addContentTypeParser('application/x-ndjson', (_request, body, done) => done(null, body))
  for (const name of requestFields) app.decorateRequest(name)
  addHooks(app, { log, measures })
  return app
}

const registerOpenApi = (app: FastifyInstance, publicUrl: string): void => {
  let file: StaticFile | undefined
  app.get(getOpenApi.path, { exposeHeadRoute: true }, async (request, reply) => {
    readQuery(getOpenApi, request.query as Record<string, unknown>)
    file ??= toTextFile('application/json; charset=utf-8', JSON.stringify(openApiDocument(publicUrl)))
    return sendFile(request, reply, file)
  })
}

export type HttpServer = {
  /** Starts to listen, and returns the port. */
  listen(address: { port: number; host: string }): Promise<number>
  /** Announces shutdown: the node is not ready any more, and each answer closes its connection. */
  leave(): void
  /** Takes no more requests and finishes those in progress. Live tails end, and the node is not ready any more. */
  drain(): Promise<void>
}

/** Checks whether a request carries the credential of an administrator. Throws if it carries one that is not valid. */
const createAdministratorCheck =
  (deps: AppDeps, admission: Admission, authenticate: Authenticate) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    const { authorization, cookie, 'x-api-key': key } = request.headers
    if (authorization === undefined && cookie === undefined && key === undefined) return false
    await admission.admit(request, reply, authenticate)
    return isAdministrator(deps, request.principal)
  }

type HttpEdge = {
  bindings: readonly Binding[]
  accounts: Accounts
  authenticate: Authenticate
  /** Answers large requests; undefined to answer them on this thread. */
  largeRequests?: LargeRequests
  /** Sends requests to the nodes of their Brains; undefined to answer all of them here. */
  forwarding?: Forwarding | undefined
  trusted: ReadonlySet<string>
  /** True if pages of any origin may call with a key. */
  takesAnyOrigin: boolean
  publicUrl: string
  /** The address of the pages where people sign in. */
  appUrl: string
  /** True if apps may register themselves. */
  takesRegistrations: boolean
  trustedProxies: readonly string[]
  maxConnections: ConnectionLimits
  maxRequests: ShareLimits
  byteRates: ByteRates
  maxWaitMilliseconds: number
  workers(): readonly WorkerHealth[]
  metrics: Pick<Metrics, 'register'>
}

/** Builds the HTTP edge. It does not listen before `listen` is called. */
export const createHttpServer = (deps: AppDeps, edge: HttpEdge): HttpServer => {
  const basePath = toBasePath(edge.publicUrl)
  const app = createFastify(deps, { trustedProxies: edge.trustedProxies, basePath })
  guardBasePath(app, basePath)
  const shutdown = createShutdown(app)
  limitConnections(app.server, edge.maxConnections, {
    isTrustedProxy: createNetworks(edge.trustedProxies),
    log: deps.log,
  })
  registerCors(app, edge)
  const admission = openAdmission(app, deps, edge)
  registerCompression(app)
  const isFromAdministrator = createAdministratorCheck(deps, admission, edge.authenticate)
  registerHealth(app, { ...deps, workers: edge.workers, leaving: shutdown.leaving, isFromAdministrator })
  edge.metrics.register?.(app)
  registerOpenApi(app, edge.publicUrl)
  registerAppMetadata(app, edge)
  registerAuthRoutes(app, { ...edge, basePath, log: deps.log, open: deps.open })
  registerNotFound(app, registerConsole(app, { folder: consoleFolder, basePath }))
  registerDocs(app, edge.publicUrl)
  const bodyMemory = createBodyMemory()
  registerSharedRuns(app, admission, deps)
  registerUnsubscribe(app, admission, (token) => unsubscribe(deps, token))
  const sendAnswer = (reply: FastifyReply, answer: SentStream | FileAnswer): FastifyReply =>
    'file' in answer ? sendFileBytes(reply, answer.file, admission.pace) : sendStream(reply, answer, admission.pace)
  for (const binding of edge.bindings)
    registerRoute(app, deps, binding, {
      ...{ largeRequests: edge.largeRequests, forwarding: edge.forwarding },
      ...{ bodyMemory, admission, sendAnswer, draining: shutdown.draining },
    })
  return {
    listen: async (address) => {
      await app.listen({ ...address, backlog: maxUnaccepted })
      return (app.server.address() as AddressInfo).port
    },
    leave: shutdown.leave,
    drain: shutdown.drain,
  }
}
