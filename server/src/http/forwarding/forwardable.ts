import { type Endpoint, onlyReads } from '@noema/contracts/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import { findAction } from '../../api/tools/call-tool.ts'
import { tools } from '../../api/tools/tools.ts'
import { isJsonObject } from '../../shared/text/json.ts'

// Decides which requests the node of a Brain may answer for another one, and what it needs of them.

/** True if calls of an endpoint may change a Brain's content, and their requests and answers can be passed on whole. */
export const mayForward = (endpoint: Endpoint): boolean => {
  const { access, ndjson, file, openai, sse, wait } = endpoint
  const isWhole = !ndjson && !file && !openai && !sse && !wait
  return typeof access === 'object' && isWhole && !onlyReads(endpoint)
}

type Headers = FastifyRequest['headers']

type Forwardable = {
  headers: Headers
  /** True if the call is made once, however often it is sent. */
  isRepeatable: boolean
}

const isRepeatable = ({ idempotencyKey }: Endpoint, key: unknown): boolean =>
  idempotencyKey === 'header' && key !== undefined

const parseMessage = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

/** The endpoint that a message to a Brain's MCP server calls by a tool, and its idempotency key. The server refuses wrong messages. */
const readToolCall = (body: Buffer): { endpoint: Endpoint; key: unknown } | undefined => {
  const message = parseMessage(body)
  if (!isJsonObject(message) || message.method !== 'tools/call' || !isJsonObject(message.params)) return undefined
  const { name, arguments: given } = message.params
  const tool = tools.find((one) => one.name === name)
  if (!tool || !isJsonObject(given)) return undefined
  const endpoint = findAction(tool, given.action)
  return endpoint && { endpoint, key: given.idempotencyKey }
}

/** The headers of a message that only the node that received it needs: it knows the caller, and compresses the answer. */
const ownHeaders = ['authorization', 'cookie', 'accept-encoding']

/** A message, if it calls a tool that may write. Reads go on where they arrived. */
const toForwardableMessage = (headers: Headers, body: Buffer): Forwardable | undefined => {
  const call = readToolCall(body)
  if (!call || !mayForward(call.endpoint)) return undefined
  const sent = Object.entries(headers).filter(([name]) => !ownHeaders.includes(name))
  return { headers: Object.fromEntries(sent), isRepeatable: isRepeatable(call.endpoint, call.key) }
}

/** The headers that other calls read. */
const readHeaders = ['idempotency-key', 'if-match', 'prefer', 'content-type'] as const

/** The parts of a request that another node needs; undefined if this node answers it. `mayForward` is true of its endpoint. */
export const toForwardable = (endpoint: Endpoint, headers: Headers, body: Buffer): Forwardable | undefined => {
  if (endpoint.jsonRpc) return toForwardableMessage(headers, body)
  const sent = readHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))
  return { headers: Object.fromEntries(sent), isRepeatable: isRepeatable(endpoint, headers['idempotency-key']) }
}
