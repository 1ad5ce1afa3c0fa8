import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PartRoot, SpanAbout } from '../../shared/tracing/spans.ts'
import { toTraceparent } from '../../shared/tracing/trace-context.ts'
import type { Tracer } from '../../shared/tracing/tracer.ts'

// The span of a request, by the conventions for HTTP servers. It begins once the caller is let in: what is refused before that
// costs the operator nothing, however often it is sent.

/** Ids that the service makes. Whatever else stands in a path, somebody chose. */
const ownId = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$/

/** The path of a request with the ids that the service made, and the names of all other parameters in their place. */
const toToldPath = (endpoint: Endpoint, params: Record<string, string>): string =>
  endpoint.path.replaceAll(/\{(\w+)\}/g, (name, parameter: string) => {
    const value = params[parameter] ?? ''
    return ownId.test(value) ? value : name
  })

const aboutRequest = (endpoint: Endpoint, request: FastifyRequest, server: URL): SpanAbout => ({
  name: `${request.method} ${endpoint.path}`,
  kind: 'server',
  attributes: {
    'http.request.method': request.method,
    'http.route': endpoint.path,
    'url.path': toToldPath(endpoint, request.params as Record<string, string>),
    'url.scheme': server.protocol.replace(':', ''),
    'server.address': server.hostname,
    'network.protocol.version': request.raw.httpVersion,
    'noema.request.id': request.id,
    'noema.organization.id': request.subject.organization,
  },
})

/** Ends a span with what a request was answered, also one whose caller went away before that. */
const endWithAnswer = (span: PartRoot, { statusCode, raw }: FastifyReply): void => {
  if (raw.headersSent) span.set({ 'http.response.status_code': statusCode })
  const isWhole = raw.headersSent && raw.writableFinished
  span.end(statusCode >= 500 ? String(statusCode) : isWhole ? undefined : 'cancelled')
}

/** Begins the span of requests of an endpoint; undefined if there is no tracer. `publicUrl` tells the server: the Host of a request is what its caller wrote. */
export const createRequestSpans = (
  { tracer, publicUrl }: { tracer: Tracer | undefined; publicUrl: string },
  endpoint: Endpoint,
): ((request: FastifyRequest, reply: FastifyReply) => Promise<void>) | undefined => {
  if (!tracer) return undefined
  const server = new URL(publicUrl)
  return async (request, reply) => {
    const { traceparent } = request.headers
    const origin = {
      ...{ organization: request.subject.organization, address: request.ip },
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
      since: performance.now() - reply.elapsedTime,
    }
    const { context, span } = tracer.beginRequest(origin, () => aboutRequest(endpoint, request, server))
    request.traceparent = toTraceparent(context)
    request.span = span
    if (span) reply.raw.once('close', () => endWithAnswer(span, reply))
  }
}
