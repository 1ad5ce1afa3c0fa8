import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { errorStatus } from '@noema/contracts/error-status.ts'
import type { FastifyReply } from 'fastify'
import { argumentPart } from '../../api/arguments.ts'
import { errorBody, movePaths, retrySeconds, toApiError } from '../../api/errors.ts'
import { isRetryable, toOpenAiError } from '../../api/openai-errors.ts'
import { ApiError, notFound, type Path, refuseAt, validation } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { delayRefusal } from './pace-refusals.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Errors have the shape of OpenAI's API, too. */
    isOpenAi?: boolean
  }
}

export const bodyTooLarge = (): ApiError =>
  refuseAt(
    ['body'],
    'The body is too large. The maximum is 1 MiB, and 16 MiB for documents and batches. Send it in parts.',
    { code: 'body_too_large' },
  )

// Refusals by the HTTP server itself, before an endpoint is reached, by their code.
const serverRefusals: Record<string, () => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => bodyTooLarge(),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => refuseAt(['Content-Type'], 'Send the body as content-type: application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    refuseAt(['Content-Length'], 'The body is not as long as its Content-Length says.'),
  FST_ERR_BAD_URL: () => refuseAt(['path'], 'The path is not valid: check its percent-encoding.'),
  FST_ERR_MAX_PARAM_LENGTH: () => refuseAt(['path'], 'A part of the path is too long for a handle or an id.'),
  // The router's name for a method that may have a body, and that no endpoint has.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: () =>
    notFound('There is no such method here. GET /v1/openapi.json lists every endpoint.'),
  ERR_HTTP_REQUEST_TIMEOUT: () => validation('The request took too long to arrive. Send it again.'),
}

/** True if the HTTP server refused a request because of its content. */
const isServerRefusal = (code: string, error: unknown): boolean =>
  code.startsWith('FST_') &&
  error instanceof Error &&
  'statusCode' in error &&
  typeof error.statusCode === 'number' &&
  error.statusCode < 500

/** The error that answers a request that failed. */
const toHttpError = (error: unknown, log: Log): ApiError => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (error instanceof ApiError) return error
  const refusal = serverRefusals[code]
  if (refusal) return refusal()
  return isServerRefusal(code, error)
    ? validation('The request could not be read: check its method, path and headers.')
    : toApiError(error, log)
}

const headers: Record<string, string> = { ifMatch: 'If-Match', idempotencyKey: 'Idempotency-Key' }

/** The path of an argument in a request. Other paths stay as they are. */
const toRequestPath =
  (endpoint: Endpoint) =>
  (path: Path): Path => {
    const [name, ...inside] = path
    const part = typeof name === 'string' ? argumentPart(endpoint, name) : undefined
    if (part === undefined) return path
    return part === 'header' ? [headers[String(name)] ?? '', ...inside] : [part, ...path]
  }

/** The error of an operation, with its places as a request has them. */
export const inRequest = (endpoint: Endpoint, error: unknown): unknown =>
  error instanceof ApiError ? movePaths(error, toRequestPath(endpoint)) : error

/** Sets the seconds after which a call may be repeated, for the API and for sign-in alike (SUR-04). */
export const setRetryAfter = (reply: FastifyReply, seconds: number | string | undefined): void => {
  if (seconds !== undefined) reply.header('retry-after', String(seconds))
}

/** Answers an error. Unknown errors are logged with the request's id. */
export const sendError = (reply: FastifyReply, error: unknown, log: Log): FastifyReply => {
  const answer = toHttpError(error, log.child({ requestId: reply.request.id }))
  setRetryAfter(reply, retrySeconds(answer))
  // Every 401 names the scheme (RFC 9110, 15.5.2). Those of MCP servers say more already.
  if (answer.kind === 'unauthorized' && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer')
  reply.status(answer.status ?? errorStatus[answer.kind]).header('content-type', 'application/json; charset=utf-8')
  const body = errorBody(answer, (path) => path.join('.'))
  const { isOpenAi } = reply.request.routeOptions.config
  if (isOpenAi && !isRetryable(answer)) reply.header('x-should-retry', 'false')
  const send = () => reply.send(JSON.stringify(isOpenAi ? toOpenAiError(body) : body))
  const isPaced = answer.kind === 'rate_limited' || answer.code === 'overloaded'
  const milliseconds = isPaced ? delayRefusal(reply.request.raw.socket) : 0
  if (milliseconds === undefined) reply.header('connection', 'close')
  if (!milliseconds) return send()
  setTimeout(send, milliseconds)
  return reply
}
