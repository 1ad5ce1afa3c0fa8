import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import { toAddressHolder, toHolder } from '../../access/holder.ts'
import type { Call } from '../../api/binding.ts'
import type { Body } from '../../api/body.ts'
import type { BodyReader } from '../../api/body-reader.ts'
import { type Ignored, parseWith } from '../../api/parse.ts'
import type { JsonSource } from '../../api/read-json.ts'
import type { Holder } from '../../shared/concurrency/shares.ts'
import { refuseAt, validation } from '../../shared/errors.ts'
import { ndjsonBody, readLines } from '../streams/ndjson.ts'
import { wantsStrict } from './handling.ts'

// The parts of a request, each held to what the contract says of it. What is wrong is told in HTTP's words.

/** The parameters of the path. What PostgreSQL cannot take as text names nothing that is there. */
const readParams = (params: Record<string, string>): Record<string, string> => {
  for (const [name, value] of Object.entries(params)) {
    const message = 'A path cannot contain the character U+0000.'
    if (value.includes('\0')) throw refuseAt(['path', name], message)
  }
  return params
}

/** The query as the endpoint declares it. A parameter that it does not declare is refused by name (SUR-06). */
export const readQuery = (endpoint: Endpoint, query: Record<string, unknown>): unknown => {
  const accepted = Object.keys(endpoint.query?.shape ?? {})
  const unknown = Object.keys(query).filter((name) => !accepted.includes(name))
  if (unknown.length > 0) {
    const known = accepted.length > 0 ? `it accepts ${accepted.join(', ')}` : 'it accepts none'
    throw validation(
      `This endpoint has no query parameter ${unknown.map((name) => JSON.stringify(name)).join(', ')}; ${known}.`,
      { details: unknown.map((name) => ({ path: ['query', name], message: 'Unknown query parameter.' })) },
    )
  }
  for (const [name, value] of Object.entries(query)) {
    const message = 'A query parameter cannot contain the character U+0000.'
    if (String(value).includes('\0')) throw refuseAt(['query', name], message)
  }
  return endpoint.query ? parseWith(endpoint.query, query, ['query']) : undefined
}

/** The version that `If-Match: "<version>"` expects. */
const readIfMatch = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined
  const match = /^"([1-9]\d{0,8})"$/.exec(header.trim())
  if (!match)
    throw validation('If-Match takes one version in quotes, such as "3".', {
      details: [{ path: ['If-Match'], message: 'One version in quotes.' }],
    })
  return Number(match[1])
}

/** The key of `Idempotency-Key`. */
const readIdempotencyKey = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    const message = 'Idempotency-Key takes 1 to 255 visible ASCII characters.'
    throw refuseAt(['Idempotency-Key'], message)
  }
  return header
}

const header = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

/** What a request says, without its connection: so much can be read on any thread. */
export type RequestParts = Pick<FastifyRequest, 'principal' | 'ip' | 'params' | 'query' | 'headers' | 'body'> &
  Partial<Pick<FastifyRequest, 'arrival' | 'traceparent'>>

/** Whose share a request is counted in: its caller's, or its address's where nobody signs for it. */
export const findHolder = ({ principal, ip }: Pick<RequestParts, 'principal' | 'ip'>): Holder =>
  principal.kind === 'public' ? toAddressHolder(ip) : toHolder(principal)

const noBytes = Buffer.alloc(0)
const unread = (body: unknown): Body => ({ body, ignored: { paths: [], count: 0 } })

const sentBody = async (
  endpoint: Endpoint,
  request: RequestParts,
  bodies: Pick<BodyReader, 'read' | 'parse'>,
): Promise<Body> => {
  const tenant = findHolder(request).organization
  const { body = noBytes, headers } = request
  if (endpoint.ndjson === 'body') {
    clearTimeout(request.arrival)
    return unread(
      readLines(ndjsonBody(request), (bytes, source) => bodies.parse(bytes, tenant, { source, isKept: true })),
    )
  }
  if (endpoint.jsonRpc) {
    const bytes = Buffer.isBuffer(body) ? body : noBytes
    return unread({ parse: (source: JsonSource) => bodies.parse(bytes, tenant, { source, isKept: false }) })
  }
  if (!Buffer.isBuffer(body)) throw refuseAt(['Content-Type'], 'Send the body as content-type: application/json.')
  return bodies.read(endpoint, body, { tenant, isStrict: wantsStrict(headers.prefer) })
}

/** What a request asks of an endpoint, and what of its body the endpoint does not declare. */
export const readCall = async (
  endpoint: Endpoint,
  request: RequestParts,
  {
    tail,
    wait,
    isStillAllowed,
    bodies,
  }: Pick<Call<Endpoint>, 'tail' | 'wait' | 'isStillAllowed'> & { bodies: Pick<BodyReader, 'read' | 'parse'> },
): Promise<{ call: Call<Endpoint>; ignored: Ignored }> => {
  const { headers } = request
  const params = readParams(request.params as Record<string, string>)
  const query = readQuery(endpoint, request.query as Record<string, unknown>)
  const { body, ignored } = await sentBody(endpoint, request, bodies)
  const call: Call<Endpoint> = {
    ...{ principal: request.principal, params, tail, wait, isStillAllowed },
    traceparent: request.traceparent,
    query: query as Call<Endpoint>['query'],
    body: body as Call<Endpoint>['body'],
    idempotencyKey:
      endpoint.idempotencyKey === 'header' ? readIdempotencyKey(header(headers['idempotency-key'])) : undefined,
    ifMatch: endpoint.ifMatch ? readIfMatch(headers['if-match']) : undefined,
    headers: (endpoint.jsonRpc ? headers : undefined) as Call<Endpoint>['headers'],
  }
  return { call, ignored }
}
