import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

// Decides which pages of other origins may read answers (CORS). Pages of trusted origins act with the cookie of the signed-in
// user. If the operator allows it, pages of any origin may call with a key; their browsers then send no cookie.

/** The headers of an answer that a page may read, in addition to the few that every page may. */
const exposedHeaders = [
  'x-request-id',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'idempotent-replayed',
  'ignored-fields',
  'preference-applied',
  'www-authenticate',
]

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** A browser may reuse the answer to a preflight request for this long. */
const maxAgeSeconds = 600

const shared = { methods, exposedHeaders, maxAge: maxAgeSeconds, strictPreflight: false } satisfies FastifyCorsOptions

/** For requests that no page sends, and for paths that other origins may not read. */
const closed: FastifyCorsOptions = { ...shared, origin: false, preflight: false }

const isOfApi = ({ url }: FastifyRequest): boolean => /^\/(v1|api\/auth)(\/|$|\?)/.test(url)

/** True for the calls of apps, also of those that run in a browser: metadata, registration and tokens. They need no cookie. */
const isForApps = ({ url }: FastifyRequest): boolean =>
  /^\/(\.well-known\/oauth-|\.well-known\/openid-|api\/auth\/(\.well-known\/|oauth2\/(token|register|revoke)(\?|$)))/.test(
    url,
  )

/** Registers the headers for pages of other origins, before every route, so that pages can read refusals as well. */
export const registerCors = (
  app: FastifyInstance,
  { trusted, takesAnyOrigin }: { trusted: ReadonlySet<string>; takesAnyOrigin: boolean },
): void => {
  const toOptions = (request: FastifyRequest): FastifyCorsOptions => {
    const { origin } = request.headers
    if (origin !== undefined && isForApps(request)) return { ...shared, origin: '*' }
    if (origin === undefined || !isOfApi(request)) return closed
    if (trusted.has(origin)) return { ...shared, origin, credentials: true }
    // Only trusted pages may use accounts.
    const isOpen = takesAnyOrigin && request.url.startsWith('/v1/')
    return { ...shared, origin: isOpen ? '*' : false, preflight: isOpen }
  }
  app.register(cors, { delegator: (request, done) => done(null, toOptions(request)) })
  app.addHook('onRequest', (request, reply, done) => {
    // The answer depends on the origin, even where it does not mention it.
    if (isOfApi(request)) reply.header('vary', 'origin')
    done()
  })
}
