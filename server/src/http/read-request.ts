import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Call, TailCall } from '../api/binding.ts'
import { type Ignored, parseBody, parseWith } from '../api/parse.ts'
import { readJson } from '../api/read-json.ts'
import { validation } from '../shared/errors.ts'
import { isJsonObject } from '../shared/json.ts'
import { wantsStrict } from './handling.ts'
import { ndjsonBody, readLines } from './ndjson.ts'

// The parts of a request, each held to what the contract says of it. What is wrong is told in HTTP's words.

/** The parameters of the path. What PostgreSQL cannot take as text names nothing that is there. */
const readParams = (params: Record<string, string>): Record<string, string> => {
  for (const [name, value] of Object.entries(params)) {
    const message = 'A path cannot contain the character U+0000.'
    if (value.includes('\0')) throw validation(message, { details: [{ path: ['path', name], message }] })
  }
  return params
}

/** The query as the endpoint declares it. A parameter that it does not declare is refused by name (SUR-06). */
const readQuery = (endpoint: Endpoint, query: Record<string, unknown>): unknown => {
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
    if (String(value).includes('\0')) throw validation(message, { details: [{ path: ['query', name], message }] })
  }
  return endpoint.query ? parseWith(endpoint.query, query, ['query']) : undefined
}

/** What an endpoint without a body takes in one. */
const noFields = z.object({})

type Body = { body: unknown; ignored: Ignored }
const nothing: Body = { body: undefined, ignored: { paths: [], count: 0 } }

/** The body as the endpoint declares it. `value` is undefined where none was sent. */
const readBody = (endpoint: Endpoint, value: unknown, isStrict: boolean): Body => {
  const how = { root: ['body'], isStrict }
  if (!endpoint.body)
    return { ...nothing, ignored: isJsonObject(value) ? parseBody(noFields, value, how).ignored : nothing.ignored }
  if (value === undefined && !endpoint.bodyOptional) throw validation('This call needs a JSON body.')
  return parseBody(endpoint.body, value === undefined ? {} : value, how)
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
    throw validation(message, { details: [{ path: ['Idempotency-Key'], message }] })
  }
  return header
}

const bodyJson = { what: 'The body', root: ['body'], maxDepth: 64 }

const header = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

const sentBody = (endpoint: Endpoint, request: FastifyRequest): Body => {
  if (endpoint.ndjson === 'body') {
    clearTimeout(request.arrival)
    return { ...nothing, body: readLines(ndjsonBody(request)) }
  }
  const { body, headers } = request
  if (endpoint.jsonRpc) return { ...nothing, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) }
  if (body !== undefined && !Buffer.isBuffer(body)) throw validation('Send the body as content-type: application/json.')
  return readBody(endpoint, body === undefined ? undefined : readJson(body, bodyJson), wantsStrict(headers.prefer))
}

/** What a request asks of an endpoint, and what of its body the endpoint does not take. */
export const readCall = (
  endpoint: Endpoint,
  request: FastifyRequest,
  tail: TailCall | undefined,
): { call: Call<Endpoint>; ignored: Ignored } => {
  const params = readParams(request.params as Record<string, string>)
  const query = readQuery(endpoint, request.query as Record<string, unknown>)
  const { body, ignored } = sentBody(endpoint, request)
  const { headers } = request
  const call: Call<Endpoint> = {
    ...{ principal: request.principal, params, tail },
    query: query as Call<Endpoint>['query'],
    body: body as Call<Endpoint>['body'],
    idempotencyKey:
      endpoint.idempotencyKey === 'header' ? readIdempotencyKey(header(headers['idempotency-key'])) : undefined,
    ifMatch: endpoint.ifMatch ? readIfMatch(headers['if-match']) : undefined,
    headers: (endpoint.jsonRpc ? headers : undefined) as Call<Endpoint>['headers'],
  }
  return { call, ignored }
}
