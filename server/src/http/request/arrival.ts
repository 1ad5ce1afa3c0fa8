import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuseAt, validation } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'

// The first steps of a request: its id, the check of its form, and the limit on the time that its body may take to arrive. A proxy
// and this server must read a request in the same way.

declare module 'fastify' {
  interface FastifyRequest {
    /** Aborts a body that takes too long to arrive; a body that is read line by line has its own limit. */
    arrival: NodeJS.Timeout | undefined
  }
  interface FastifyContextConfig {
    /** True if the body is a file, whose type may name any charset. */
    takesFile?: boolean
  }
}

/** The limit of a request's line and headers. A query of 4,000 characters takes 36 KiB in scripts with nine bytes for each. */
export const maxHeadBytes = 64 * 1024
const maxArrivalMilliseconds = 60_000
const traceId = /^[A-Za-z0-9._:/+=-]{1,128}$/

/** The id of a request: the one that a proxy gave it, if it is safe to echo, else a new one (D-10). */
export const toRequestId = ({ headers }: { headers: IncomingMessage['headers'] }): string => {
  const given = headers['x-request-id']
  return typeof given === 'string' && traceId.test(given) ? given : randomUUID()
}

/** Answers bytes that are not a valid request, on the bare socket. */
export const answerBrokenRequest = (log: Log) => (error: Error & { code?: string }, socket: Socket) => {
  // A connection that sent nothing gets no answer: browsers open connections ahead of need and would take it for the answer to
  // their next request.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0) {
    socket.end()
    return
  }
  log.debug({ code: error.code }, 'a request could not be read')
  const message =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'The address and headers of the request are too long; together they have at most 64 KiB.'
      : 'The request is not valid HTTP, or took too long to arrive.'
  const body = JSON.stringify({ error: { kind: 'validation', message } })
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nx-request-id: ${randomUUID()}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** Answers an Expect header other than 100-continue; Node alone would answer 417 without a body. */
const answerExpectation = (_request: IncomingMessage, response: ServerResponse): void => {
  const message = 'The only Expect header that is understood is 100-continue.'
  const body = JSON.stringify({ error: { kind: 'validation', message, details: [{ path: 'Expect', message }] } })
  response.writeHead(400, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': randomUUID(),
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  })
  response.end(body)
}

export const refuseExpectations = (server: Server): void => {
  server.on('checkExpectation', answerExpectation)
}

/** Throws if a body is not UTF-8, or is compressed: what it would take in memory does not show from what is sent. */
const checkBodyForm = ({ headers }: IncomingMessage, takesFile: boolean): void => {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && !/^\s*(identity\s*)?$/i.test(encoding)) {
    const message = 'Send the body as it is, without a Content-Encoding.'
    throw validation(message, { status: 415, details: [{ path: ['Content-Encoding'], message }] })
  }
  const type = headers['content-type']
  if (type === undefined || takesFile) return
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type)?.[1]
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset))
    throw refuseAt(['Content-Type'], 'Send the body as UTF-8; its content-type names another charset.')
}

/** Throws if a request does not name its host once, as RFC 9112 (3.2) requires, or its body has a form that is never read. */
const checkForm = (request: IncomingMessage, takesFile = false): void => {
  const { rawHeaders, httpVersion } = request
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) throw refuseAt(['Host'], 'Send exactly one Host header.')
  checkBodyForm(request, takesFile)
}

/** Ends a request whose body takes too long to arrive. */
const limitArrival = ({ raw }: FastifyRequest, reply: FastifyReply, log: Log): NodeJS.Timeout => {
  const late = () => {
    // Some requests are answered before their body arrived; they get no second answer.
    if (reply.sent) raw.destroy()
    else answerBrokenRequest(log)(new Error('The body took too long to arrive.'), raw.socket)
  }
  const timer = setTimeout(late, maxArrivalMilliseconds).unref()
  raw.once('close', () => clearTimeout(timer))
  raw.once('end', () => clearTimeout(timer))
  return timer
}

/** Sets the headers of every answer, and checks a request as it arrives. */
export const receive = (log: Log) => (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
  const { headers, url } = request
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0)
    request.arrival = limitArrival(request, reply, log)
  reply.header('x-request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
  // Answers are for the caller alone, and some hold a secret. Cacheable answers override this.
  if (url.startsWith('/v1/') || url.startsWith('/api/')) reply.header('cache-control', 'no-store')
  checkForm(request.raw, request.routeOptions.config.takesFile)
  done()
}
