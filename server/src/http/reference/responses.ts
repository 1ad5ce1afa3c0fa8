import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { listErrors } from '@noema/contracts/endpoint-errors.ts'
import type { ErrorCode } from '@noema/contracts/error-codes.ts'
import { type ErrorKind, errorStatus } from '@noema/contracts/error-status.ts'
import { errorHeaders, successHeaders } from './headers.ts'
import type { Schema, ToSchema } from './schemas.ts'

// The answers of operations.

/** The meaning of each kind of error, in every operation. */
const meanings: Record<ErrorKind, string> = {
  validation: 'The request is not valid: its path, query, headers or body. `details` says where.',
  unauthorized: 'The credential is missing, not valid, or not of the kind that this needs.',
  forbidden: 'The credential is valid, but this is not allowed with it.',
  not_found: 'The target of the request does not exist, or this credential cannot reach it.',
  conflict: 'It conflicts with the current state.',
  rate_limited: 'There were too many requests, or a limit is reached. Try again after `Retry-After` seconds.',
  internal: 'An unexpected failure of the service.',
  unavailable: 'A dependency cannot be reached, or the node is busy. Try again after `Retry-After` seconds.',
}

const componentName = (kind: ErrorKind): string =>
  kind.replaceAll(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase())

/** An error as it may be answered. */
const toExample = (kind: ErrorKind) => {
  const details =
    kind === 'validation' ? { details: [{ path: 'body.name', message: 'A name has 1 to 200 characters.' }] } : {}
  return { error: { kind, message: meanings[kind].split(': ')[0] ?? '', ...details } }
}

/** One example for each kind: the codes of an answer are in its description, and in the list of all codes with their meanings. */
export const errorExamples = Object.fromEntries(
  (Object.keys(meanings) as ErrorKind[]).map((kind) => [componentName(kind), { value: toExample(kind) }]),
)

const toErrorContent = (kind: ErrorKind) => ({
  'application/json': {
    schema: { $ref: '#/components/schemas/Error' },
    examples: { error: { $ref: `#/components/examples/${componentName(kind)}` } },
  },
})

const toError = (kind: ErrorKind, codes: readonly ErrorCode[]) => {
  const listed = codes.map((code) => `\`${code}\``).join(', ')
  return {
    description: codes.length === 0 ? meanings[kind] : `${meanings[kind]} Codes: ${listed}.`,
    ...(codes.length === 0 ? {} : { 'x-noema-codes': codes }),
    headers: errorHeaders(errorStatus[kind]),
    content: toErrorContent(kind),
  }
}

/** The errors that many operations answer in the same words, by the names of their components. */
export const createErrors = () => {
  const names = new Map<string, string>()
  const components: Record<string, object> = {}
  const refer = (kind: ErrorKind, codes: readonly ErrorCode[]) => {
    const key = [kind, ...codes].join(' ')
    const known = names.get(key)
    if (known !== undefined) return { $ref: `#/components/responses/${known}` }
    const taken = [...names.keys()].filter((one) => one.split(' ')[0] === kind).length
    const name = taken === 0 ? componentName(kind) : `${componentName(kind)}${taken + 1}`
    names.set(key, name)
    components[name] = toError(kind, codes)
    return { $ref: `#/components/responses/${name}` }
  }
  return { refer, components }
}

export type Errors = ReturnType<typeof createErrors>

const successTexts: Record<number, string> = {
  200: 'The answer.',
  201: 'It was created.',
  202: 'It was accepted.',
  206: 'The requested part.',
}

const toSuccessText = (endpoint: Endpoint, status: number): string => {
  if (endpoint.jsonRpc && status === 202) return 'The message was a notification, which has no answer.'
  if (endpoint.wait && status === 202) return 'It has begun, and goes on.'
  if (status === 202) return 'It waits for review.'
  if (status === 200 && endpoint.status.length > 1 && !endpoint.jsonRpc && endpoint.method !== 'GET')
    return endpoint.wait ? 'It has ended.' : 'It is done.'
  return successTexts[status] ?? 'Success.'
}

const eventStream = { type: 'string', contentMediaType: 'text/event-stream' }

/** The form of an answer as Server-Sent Events. */
const toStreamSchema = (endpoint: Endpoint) => ({
  ...eventStream,
  description: endpoint.sse
    ? 'Messages with an `id` (the number of the part, for `Last-Event-ID`) and `data`, one part as JSON. The last one is `[DONE]`. Lines that begin with a colon keep the connection open.'
    : 'One message for each event: its `id` is the cursor (for `Last-Event-ID`), its `event` the type and its `data` the event as JSON. Lines that begin with a colon keep the connection open.',
})

const rpcStream = { ...eventStream, description: 'One message, whose `data` is the answer as JSON.' }

const openAiStream = {
  ...eventStream,
  description: 'With `stream`: the chunks or events of the API of OpenAI, as JSON in `data`.',
}

const bodyShape = ({ body }: Endpoint): object => (body && 'shape' in body ? (body.shape as object) : {})

const toContent = (toSchema: ToSchema, endpoint: Endpoint) => {
  const data = toSchema(endpoint.result, 'output')
  const stream = toStreamSchema(endpoint)
  if (endpoint.file === 'answer')
    return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
  if (endpoint.ndjson === 'answer') return { 'application/x-ndjson': { schema: data } }
  if (endpoint.sse) return { 'text/event-stream': { schema: stream } }
  const wrapped = { type: 'object', required: ['data'], properties: { data: { description: 'Data.', ...data } } }
  return {
    'application/json': { schema: endpoint.jsonRpc || endpoint.isBare || endpoint.openai ? data : wrapped },
    ...(endpoint.tail ? { 'text/event-stream': { schema: stream } } : {}),
    ...(endpoint.openai && 'stream' in bodyShape(endpoint) ? { 'text/event-stream': { schema: openAiStream } } : {}),
    ...(endpoint.jsonRpc ? { 'text/event-stream': { schema: rpcStream } } : {}),
  }
}

/** Every answer of an operation. */
export const listResponses = (toSchema: ToSchema, errors: Errors, endpoint: Endpoint): Record<string, Schema> => {
  const content = toContent(toSchema, endpoint)
  const headers = successHeaders(endpoint)
  const successes = endpoint.status.map((status) => [
    String(status),
    {
      description: toSuccessText(endpoint, status),
      headers,
      ...(endpoint.jsonRpc && status === 202 ? {} : { content }),
    },
  ])
  const failures = listErrors(endpoint).map(([kind, codes]) => [String(errorStatus[kind]), errors.refer(kind, codes)])
  return Object.fromEntries([...successes, ...failures])
}
