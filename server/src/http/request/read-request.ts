import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import type { Call } from '../../api/binding.ts'
import { type Body, readBody } from '../../api/body.ts'
import { parseWith } from '../../api/parse.ts'
import { checkKeepable, type JsonSource, parseCounted } from '../../api/read-json.ts'
import type { Subject } from '../../shared/concurrency/fair-limiter.ts'
import { refuseAt, validation } from '../../shared/errors.ts'
import { ndjsonBody, readLines } from '../streams/ndjson.ts'
import type { BytePace } from './byte-pace.ts'
import { readFileBody } from './files.ts'

// Reads the parts of a request, each as the contract declares it. Errors use the words of HTTP.

/** A body with more bytes than this is large: the worker for large requests reads it. */
export const largeBytes = 128 * 1024

/** Reads large bodies on another thread. */
export type LargeBodies = {
  read(endpoint: Endpoint, bytes: Buffer, from: { subject: Subject; isStrict: boolean }): Promise<Body>
  /** Any JSON value. `isKept`: refuses what a store cannot keep exactly. */
  parse(bytes: Buffer, subject: Subject, how: { source: JsonSource; isKept: boolean }): Promise<unknown>
}

const checkParams = (params: Record<string, string>): Record<string, string> => {
  // PostgreSQL refuses such text, so it cannot name anything that exists.
  for (const name in params)
    if (params[name]?.includes('\0')) throw refuseAt(['path', name], 'A path cannot contain the character U+0000.')
  return params
}

const refuseUndeclared = (accepted: readonly string[], unknown: readonly string[]) => {
  const known = accepted.length > 0 ? `it accepts ${accepted.join(', ')}` : 'it accepts none'
  return validation(
    `This endpoint has no query parameter ${unknown.map((name) => JSON.stringify(name)).join(', ')}; ${known}.`,
    { details: unknown.map((name) => ({ path: ['query', name], message: 'Unknown query parameter.' })) },
  )
}

/** Queries without parameters, parsed once for each endpoint. */
const emptyQueries = new WeakMap<Endpoint, unknown>()

const readEmptyQuery = (endpoint: Endpoint): unknown => {
  if (!endpoint.query) return undefined
  const known = emptyQueries.get(endpoint)
  if (known !== undefined) return known
  const query = Object.freeze(parseWith(endpoint.query, {}, ['query']))
  emptyQueries.set(endpoint, query)
  return query
}

const holdsNull = (value: unknown): boolean => {
  if (typeof value === 'object' && value !== null) return Object.entries(value).flat().some(holdsNull)
  return String(value).includes('\0')
}

/** Joins parameters such as `metadata.team` or `metadata[team]` into one object, where the endpoint takes a `metadata`. */
const joinMetadata = (query: Record<string, unknown>): Record<string, unknown> => {
  const joined: [string, unknown][] = []
  const metadata: [string, unknown][] = []
  for (const [name, value] of Object.entries(query)) {
    const key = /^metadata(?:\.(.+)|\[(.+)\])$/s.exec(name)
    if (key) metadata.push([key[1] ?? key[2] ?? '', value])
    else joined.push([name, value])
  }
  return Object.fromEntries(metadata.length > 0 ? [...joined, ['metadata', Object.fromEntries(metadata)]] : joined)
}

/** The query as the endpoint declares it. A parameter that it does not declare is refused by name (SUR-06). */
export const readQuery = (endpoint: Endpoint, given: Record<string, unknown>): unknown => {
  if (Object.keys(given).length === 0) return readEmptyQuery(endpoint)
  const accepted = Object.keys(endpoint.query?.shape ?? {})
  const query = accepted.includes('metadata') ? joinMetadata(given) : given
  const names = Object.keys(query)
  const unknown = names.filter((name) => !accepted.includes(name))
  if (unknown.length > 0) throw refuseUndeclared(accepted, unknown)
  for (const name of names)
    if (holdsNull(query[name]))
      throw refuseAt(['query', name], 'A query parameter cannot contain the character U+0000.')
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

const toFirst = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

/** A request without its connection: any thread can read it. */
export type RequestParts = Pick<
  FastifyRequest,
  'principal' | 'subject' | 'ip' | 'params' | 'query' | 'headers' | 'body'
> &
  Partial<Pick<FastifyRequest, 'arrival' | 'traceparent'>>

const noBytes = Buffer.alloc(0)
const unread = (body: unknown): Body => ({ body, ignored: { paths: [], count: 0 } })
const noBody = unread(undefined)

/** The way to read a body. `large`: reads large bodies; undefined to read them on this thread. `pace`: paces a file or an import. */
type ReadHow = { isStrict: boolean; large: LargeBodies | undefined; pace?: BytePace }

const parseJson = (bytes: Buffer, { source, isKept }: { source: JsonSource; isKept: boolean }): unknown => {
  const { value } = parseCounted(bytes, source)
  if (isKept) checkKeepable(value, source.root)
  return value
}

/** A body that is not the JSON of its endpoint: lines, or a message of another protocol. */
const readOther = (request: RequestParts, isLines: boolean, { large, pace }: ReadHow): Body => {
  const { body, subject } = request
  const parse = async (bytes: Buffer, how: { source: JsonSource; isKept: boolean }) =>
    large && bytes.length > largeBytes ? large.parse(bytes, subject, how) : parseJson(bytes, how)
  if (isLines) {
    clearTimeout(request.arrival)
    // The connection must outlive a refusal: it carries the answer.
    const pieces = ndjsonBody(request).iterator({ destroyOnReturn: false })
    const paced = pace ? pace(subject, 'lines', pieces) : pieces
    return unread(readLines(paced, (bytes, source) => parse(bytes, { source, isKept: true })))
  }
  const bytes = Buffer.isBuffer(body) ? body : noBytes
  return unread({ parse: (source: JsonSource) => parse(bytes, { source, isKept: false }) })
}

const readSentBody = (endpoint: Endpoint, request: RequestParts, how: ReadHow): Body | Promise<Body> => {
  if (endpoint.file === 'body') {
    clearTimeout(request.arrival)
    return unread(readFileBody(request, endpoint.bodyLimit ?? 0, how.pace))
  }
  if (endpoint.ndjson === 'body' || endpoint.jsonRpc) return readOther(request, endpoint.ndjson === 'body', how)
  const { body = noBytes, subject } = request
  if (!Buffer.isBuffer(body)) throw refuseAt(['Content-Type'], 'Send the body as content-type: application/json.')
  if (body.length === 0 && !endpoint.body) return noBody
  const { isStrict, large } = how
  return large && body.length > largeBytes
    ? large.read(endpoint, body, { subject, isStrict })
    : readBody(endpoint, body, isStrict)
}

/** A call as it was read, and the fields of its body that the endpoint does not declare. */
type ReadCall = { call: Call<Endpoint>; ignored: Body['ignored'] }

/** Reads what a request asks of an endpoint; at once unless another thread reads its body. */
export const readCall = (
  endpoint: Endpoint,
  request: RequestParts,
  how: Pick<Call<Endpoint>, 'tail' | 'wait' | 'isStillAllowed'> & ReadHow,
): ReadCall | Promise<ReadCall> => {
  const { headers, principal, traceparent } = request
  const { tail, wait, isStillAllowed } = how
  const params = checkParams(request.params as Record<string, string>)
  const query = readQuery(endpoint, request.query as Record<string, unknown>)
  const finish = ({ body, ignored }: Body): ReadCall => {
    const idempotencyKey =
      endpoint.idempotencyKey === 'header' ? readIdempotencyKey(toFirst(headers['idempotency-key'])) : undefined
    const call: Call<Endpoint> = {
      principal,
      params,
      tail,
      wait,
      isStillAllowed,
      traceparent,
      address: (endpoint.access === 'public' ? request.ip : undefined) as Call<Endpoint>['address'],
      query: query as Call<Endpoint>['query'],
      body: body as Call<Endpoint>['body'],
      idempotencyKey,
      ifMatch: endpoint.ifMatch ? readIfMatch(headers['if-match']) : undefined,
      headers: (endpoint.jsonRpc ? headers : undefined) as Call<Endpoint>['headers'],
    }
    return { call, ignored }
  }
  const sent = readSentBody(endpoint, request, how)
  return sent instanceof Promise ? sent.then(finish) : finish(sent)
}
