import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppDeps } from '../../api/app-deps.ts'
import { retrySeconds } from '../../api/errors.ts'
import { consentPage } from '../../features/accounts/apps/resources.ts'
import type { Accounts } from '../../features/accounts/auth/auth.ts'
import { ApiError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { isDatabaseUnavailable } from '../../storage/database-errors.ts'
import { setRetryAfter } from '../request/errors.ts'
import { untrustedOrigin } from '../request/origin.ts'
import { readBytes, reserveBody } from '../request/read-bytes.ts'
import { findUntrustedReturn, isTrustedAddress, withOwnReturns } from './return-address.ts'

// Mounts /api/auth/*, which Better Auth answers. Outside the contracts: bodies and errors are Better Auth's.

type AuthRoutes = { accounts: Accounts; trusted: ReadonlySet<string>; basePath: string; appUrl: string } & Pick<
  AppDeps,
  'log' | 'open'
>

const prefix = '/api/auth/'
const bodyLimit = 1024 * 1024
/** No path of Better Auth is longer, with the tokens that two of them carry. */
const maxPathLength = 300

// Better Auth answers with data; if it answers with a page all the same, that loads and frames nothing.
const safety = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'", 'x-frame-options': 'DENY' }

// A web Request needs some origin. Better Auth knows its public one from the settings and reads the path alone.
const anyOrigin = 'http://localhost'

/** A page opened from a mail: the browser sends no Origin, and the token in the link is what allows it. */
const mailLink = /^\/api\/auth\/(verify-email|reset-password\/[^/?]+)(\?|$)/

/**
 * The way back from the OpenID provider: the browser sends no Origin of ours, and the state that this browser was given before,
 * in a cookie, is what allows it.
 */
const wayBack = /^\/api\/auth\/callback\/[a-z]+(\?|$)/

/**
 * The request of an app that wants to be let in: a person's browser is led to it from anywhere. It changes nothing, and leads only to
 * pages of trusted origins.
 */
const appRequest = /^\/api\/auth\/oauth2\/authorize\?/

/** Calls of apps, by which they register and fetch tokens. No cookie counts in them. */
const appCall = /^\/api\/auth\/oauth2\/(token|register|revoke)$/

export const registerAuthRoutes = (app: FastifyInstance, deps: AuthRoutes): void => {
  app.register((scope, _options, done) => {
    // This scope alone takes bodies as they come; the parsers of /v1 stay as they are.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', readBytes)
    scope.setErrorHandler<FastifyError>((error, request, reply) => sendFailure(deps.log, error, request, reply))
    scope.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: `${prefix}*`,
      bodyLimit,
      onRequest: async (request, reply) => reserveBody(deps, request, reply),
      handler: (request, reply) => answer(deps, request, reply),
    })
    done()
  })
}

/** Refuses what a page of another site sends, but for links that lead here from anywhere and for calls without a cookie. */
const checkOrigin = ({ method, headers, url }: FastifyRequest, trusted: ReadonlySet<string>) => {
  const isOpened = method === 'GET' && headers.origin === undefined
  const isMailLink = isOpened && mailLink.test(url)
  const isOpen = isMailLink || (isOpened && (wayBack.test(url) || appRequest.test(url)))
  const isAppCall = method === 'POST' && appCall.test(url)
  return { isMailLink, refusal: isOpen || isAppCall ? undefined : untrustedOrigin(headers, trusted) }
}

const answer = async (deps: AuthRoutes, request: FastifyRequest, reply: FastifyReply) => {
  const { isMailLink, refusal } = checkOrigin(request, deps.trusted)
  if (refusal !== undefined) return send(reply, 403, 'MISSING_OR_NULL_ORIGIN', refusal)
  const [path = '', query] = request.url.split('?')
  // Better Auth's own page of errors shows any text of a link, so the app shows errors itself.
  if (path.length > maxPathLength || path === `${prefix}error`)
    return send(reply, 404, 'NOT_FOUND', 'There is no such path under /api/auth.')
  const json = readJson(request)
  if (json === unreadable) return send(reply, 400, 'INVALID_JSON', 'The body is not JSON.')
  const untrusted = findUntrustedReturn(new URLSearchParams(query), json, deps.trusted)
  if (untrusted !== undefined)
    return send(reply, 403, 'INVALID_CALLBACK_URL', `${untrusted} leads to an origin that is not trusted.`)
  const headers = webHeaders(request)
  // Without that check it acts for no one: no cookie goes along. A link that confirms an address only does what its token says,
  // and needs to know if the account's owner opened it.
  if (isMailLink && !path.endsWith('/verify-email')) headers.delete('cookie')
  const sent = { url: request.url, json, body: sentBody(request) }
  const { url, body } = withOwnReturns(deps.basePath, sent)
  const webRequest = new Request(`${anyOrigin}${deps.basePath}${url}`, {
    method: request.method,
    headers,
    ...(body && { body: new Uint8Array(body) }),
  })
  // The address is the one that this server saw, whatever proxies a caller claims.
  const response = await deps.accounts.handle(webRequest, request.ip)
  const location = response.headers.get('location')
  // Anyone can have registered the app, so an error does not lead to its address: the page of consents shows it.
  if (location !== null && appRequest.test(request.url) && !location.startsWith(`${deps.appUrl}${consentPage}?`))
    return reply.headers(safety).redirect(toAppError(deps.appUrl, location))
  if (location !== null && !isTrustedAddress(location, deps.trusted))
    return send(reply, 403, 'INVALID_CALLBACK_URL', 'The link leads to an origin that is not trusted.')
  return sendWebResponse(reply, response)
}

/** The page of consents, with the error of an app's request. */
const toAppError = (appUrl: string, location: string): string => {
  const { searchParams } = new URL(location)
  const kept = new URLSearchParams()
  for (const name of ['error', 'error_description']) kept.set(name, searchParams.get(name) ?? '')
  return `${appUrl}${consentPage}?${kept}`
}

const sentBody = (request: FastifyRequest): Buffer | undefined =>
  request.body instanceof Buffer && request.body.length > 0 ? request.body : undefined

const unreadable = Symbol('a body that is not the JSON that it claims to be')

/** A JSON body's value. Better Auth would answer 500 where it does not parse. */
const readJson = (request: FastifyRequest): unknown => {
  const body = sentBody(request)
  if (!body || !/\bjson\b/i.test(request.headers['content-type'] ?? '')) return undefined
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return unreadable
  }
}

// These describe the connection, not the request; fetch's own classes refuse or recompute them.
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const webHeaders = (request: FastifyRequest): Headers => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || connectionHeaders.has(name)) continue
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one)
  }
  return headers
}

const sendWebResponse = async (reply: FastifyReply, response: Response) => {
  reply.code(response.status).headers(safety)
  for (const [name, value] of response.headers) if (name !== 'set-cookie') reply.header(name, value)
  setRetryAfter(reply, response.headers.get('x-retry-after') ?? undefined)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) reply.header('set-cookie', cookies)
  return reply.send(Buffer.from(await response.arrayBuffer()))
}

const send = (reply: FastifyReply, status: number, code: string, message: string) =>
  reply.code(status).headers(safety).type('application/json').send({ code, message })

const sendFailure = (log: Log, error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
  if (isDatabaseUnavailable(error)) {
    log.warn({ requestId: request.id, error: error.message }, 'the database did not answer a call to /api/auth')
    setRetryAfter(reply, 5)
    return send(reply, 503, 'UNAVAILABLE', 'The database does not respond. Try again in a few seconds.')
  }
  if (error instanceof ApiError) return sendRefused(error, reply)
  const refusal = toRefusal(error)
  if (refusal) return send(reply, ...refusal)
  // The stack alone: the other fields of a database error quote rows.
  log.error({ requestId: request.id, stack: error.stack }, 'a call to /api/auth failed')
  return send(reply, 500, 'INTERNAL', 'Something went wrong on our side. The log has the details.')
}

/** A refusal ahead of Better Auth, in its format. */
const sendRefused = (error: ApiError, reply: FastifyReply) => {
  setRetryAfter(reply, retrySeconds(error))
  if (error.code === 'body_too_large')
    return send(reply, 413, 'BODY_TOO_LARGE', `A body has at most ${bodyLimit} bytes.`)
  if (error.kind === 'rate_limited') return send(reply, 429, 'TOO_MANY_REQUESTS', error.message)
  if (error.kind === 'unavailable') return send(reply, 503, 'UNAVAILABLE', error.message)
  if (error.status === 415) return send(reply, 415, 'UNSUPPORTED_MEDIA_TYPE', error.message)
  return send(reply, 400, 'BAD_REQUEST', error.message)
}

/** Failures that the caller caused: what the HTTP server refused to read, and what PostgreSQL refused to store. */
const toRefusal = (error: FastifyError): [status: number, code: string, message: string] | undefined => {
  if (error.code?.startsWith('FST_') && error.statusCode !== undefined && error.statusCode < 500)
    return [error.statusCode, 'BAD_REQUEST', error.message]
  if (error.code === '23505') return [409, 'CONFLICT', 'It exists already, or was created at the same moment.']
  if (error.code?.startsWith('22')) return [400, 'INVALID_TEXT', 'A value has characters that cannot be stored.']
  return undefined
}
