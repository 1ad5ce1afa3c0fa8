import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PartRoot, SpanAbout } from '../../shared/tracing/spans.ts'
import { toTraceparent } from '../../shared/tracing/trace-context.ts'
import type { Tracer } from '../../shared/tracing/tracer.ts'

// The span of a request, by the conventions for HTTP servers. It begins once the caller is admitted, so that refused requests cost
// the operator nothing, however often they are sent.

/** Ids that the service makes. Callers chose all other parts of a path. */
const ownId = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$/

/** The path of a request with the ids that the service made; the names of all other parameters replace their values. */
const toSafePath = (endpoint: Endpoint, params: Record<string, string>): string =>
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
    'url.path': toSafePath(endpoint, request.params as Record<string, string>),
    'url.scheme': server.protocol.replace(':', ''),
    'server.address': server.hostname,
    'network.protocol.version': request.raw.httpVersion,
    'noema.request.id': request.id,
    'noema.organization.id': request.subject.organization,
  },
})

/** Ends the span of a request with its status, even if the caller went away before the answer. */
const endWithAnswer = (span: PartRoot, { statusCode, raw }: FastifyReply): void => {
  if (raw.headersSent) span.set({ 'http.response.status_code': statusCode })
  const isWhole = raw.headersSent && raw.writableFinished
  span.end(statusCode >= 500 ? String(statusCode) : isWhole ? undefined : 'cancelled')
}

/** Begins the spans of an endpoint's requests; undefined without a tracer. `publicUrl` names the server, because callers choose the Host header. */
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
