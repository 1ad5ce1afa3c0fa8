import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

// Which pages of other origins may read answers (CORS). Pages of trusted origins act with the cookie of whoever is signed in.
// Where the operator says so, pages of any origin may call with a key, and their browsers then send no cookie.

/** What a page may read of an answer beside the few headers that every page may. */
const exposedHeaders = [
  'x-request-id',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'idempotent-replayed',
  'ignored-fields',
  'preference-applied',
]

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** How long a browser need not ask again. */
const maxAgeSeconds = 600

const shared = { methods, exposedHeaders, maxAge: maxAgeSeconds, strictPreflight: false } satisfies FastifyCorsOptions

/** For requests of no page, and for pages that are told nothing. */
const closed: FastifyCorsOptions = { ...shared, origin: false, preflight: false }

const isOfApi = ({ url }: FastifyRequest): boolean => /^\/(v1|api\/auth)(\/|$|\?)/.test(url)

/** Registers what pages of other origins are told. Before every route, so that refusals are read as well. */
export const registerCors = (
  app: FastifyInstance,
  { trusted, takesAnyOrigin }: { trusted: ReadonlySet<string>; takesAnyOrigin: boolean },
): void => {
  const toOptions = (request: FastifyRequest): FastifyCorsOptions => {
    const { origin } = request.headers
    if (origin === undefined || !isOfApi(request)) return closed
    if (trusted.has(origin)) return { ...shared, origin, credentials: true }
    // Accounts are for pages that are trusted.
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
