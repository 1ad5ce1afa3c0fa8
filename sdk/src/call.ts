import { type Endpoint, onlyReads, takesJson } from '@noema/contracts/endpoint.ts'
import { isObject } from '@noema/contracts/json.ts'
import { NoemaError, SecretLostError } from './errors.ts'
import { type RequestPlan, type Settings, send } from './transport.ts'
import type { ApiPromise, BaseOptions, FileInput, ListPromise, ResponseInfo } from './types.ts'

/** The arguments of a method, for any endpoint: one input serves as its body or its query. */
export type CallInput = {
  /** Every path parameter by name. */
  params: Readonly<Record<string, string>>
  input: Readonly<Record<string, unknown>> | undefined
  /** The lines of an endpoint that takes NDJSON. */
  lines?: ReadableStream<Uint8Array> | undefined
  /** The bytes of an endpoint that takes a file. */
  file?: FileInput | undefined
  options: BaseOptions & {
    idempotencyKey?: string | undefined
    ifMatch?: number | undefined
    wait?: number | undefined
    contentType?: string | undefined
  }
}

type Data = Record<string, unknown>
type Answered = { data: Data; response: ResponseInfo }

// A dot segment would be folded away by the URL parser, even encoded, and an empty one would name the list.
const encodeSegment = (name: string, value: unknown): string => {
  if (typeof value !== 'string' || !value.isWellFormed() || ['', '.', '..'].includes(value)) {
    throw new NoemaError(
      `${name} ${JSON.stringify(value)} cannot be part of a path: give a non-empty string other than "." and "..".`,
    )
  }
  return encodeURIComponent(value)
}

/** The path of a call, each parameter encoded. Throws a `NoemaError` on one that no URL can carry. */
export const fillPath = (path: string, params: CallInput['params']): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, params[name]))

const queryValue = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? value.map(queryValue).join(',') : String(value)
}

/** The parameters of a value: one for each key of an object, `metadata.team=core`. */
const toParameters = (name: string, value: unknown): [string, string][] =>
  isObject(value) && !(value instanceof Date)
    ? Object.entries(value).map(([key, one]) => [`${name}.${key}`, queryValue(one)])
    : [[name, queryValue(value)]]

/** The query of a call with its `?`: arrays joined by commas, Dates as ISO 8601, undefined left out. */
export const encodeQuery = (query: Readonly<Record<string, unknown>> | undefined): string => {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  const values = Object.fromEntries(given.flatMap(([name, value]) => toParameters(name, value)))
  const text = new URLSearchParams(values).toString()
  return text && `?${text}`
}

/** A new idempotency key. Not crypto.randomUUID: browsers have it in secure contexts only, and a service at home is often plain HTTP. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const findIdempotencyKey = (endpoint: Endpoint, call: CallInput): string | undefined => {
  if (endpoint.idempotencyKey === undefined) return undefined
  const inBody = endpoint.idempotencyKey === 'body' ? call.input?.idempotencyKey : undefined
  return call.options.idempotencyKey ?? (typeof inBody === 'string' ? inBody : randomKey())
}

const encodeBody = (endpoint: Endpoint, input: CallInput['input'], key: string | undefined): string | undefined => {
  if (!endpoint.body || (endpoint.bodyOptional && input === undefined)) return undefined
  return JSON.stringify(endpoint.idempotencyKey === 'body' ? { ...input, idempotencyKey: key } : (input ?? {}))
}

/** The maximum of a timer, because an upload may take any time. */
const maxTimeoutMs = 2 ** 31 - 1

/** The media type of a file: as given, else that of a Blob. */
const toFileType = (file: FileInput, { contentType }: CallInput['options']): string =>
  contentType ?? (file instanceof Blob && file.type !== '' ? file.type : 'application/octet-stream')

/** The body of a call with its media type. Lines, files and the extraction of their text may take any time. */
const toSent = (endpoint: Endpoint, { lines, file, input, options }: CallInput, key: string | undefined) => {
  if (lines) return { body: lines, type: 'application/x-ndjson', isLong: true }
  if (file !== undefined) return { body: file, type: toFileType(file, options), isLong: true }
  // The text of a file is extracted before the answer.
  const isLong = input?.artifact !== undefined
  return { body: encodeBody(endpoint, input, key), type: 'application/json', isLong }
}

const toAccepted = ({ file, ndjson }: Endpoint): string => {
  if (file === 'answer') return '*/*'
  return ndjson === 'answer' ? 'application/x-ndjson' : 'application/json'
}

/** Makes the request of a call: one idempotency key for all its attempts, where the endpoint takes one. */
export const planCall = (settings: Settings, endpoint: Endpoint, call: CallInput): RequestPlan => {
  const { options, input } = call
  const key = findIdempotencyKey(endpoint, call)
  const { body, type, isLong } = toSent(endpoint, call, key)
  const waitSeconds = endpoint.wait ? options.wait : undefined
  // A misspelled field is refused, not dropped.
  const preferences = ['handling=strict', ...(waitSeconds === undefined ? [] : [`wait=${waitSeconds}`])]
  return {
    method: endpoint.method,
    path: fillPath(endpoint.path, call.params),
    query: endpoint.query ? encodeQuery(input) : '',
    headers: {
      accept: toAccepted(endpoint),
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(takesJson(endpoint) ? { prefer: preferences.join(', ') } : {}),
      ...(endpoint.idempotencyKey === 'header' && key !== undefined ? { 'idempotency-key': key } : {}),
      ...(endpoint.ifMatch && options.ifMatch !== undefined ? { 'if-match': `"${options.ifMatch}"` } : {}),
    },
    body,
    isRepeatable: endpoint.method !== 'POST' || key !== undefined || onlyReads(endpoint),
    signal: options.signal,
    // The service waits before it answers.
    timeoutMs: (options.timeoutMs ?? (isLong ? maxTimeoutMs : settings.timeoutMs)) + (waitSeconds ?? 0) * 1000,
    maxRetries: body instanceof ReadableStream ? 0 : (options.maxRetries ?? settings.maxRetries),
  }
}

const parseData = (text: string, status: number): Data => {
  const complaint = `The service responded with ${status}, but without the JSON object "data": is the base URL that of a Noema service?`
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch (cause) {
    throw new NoemaError(complaint, { cause })
  }
  if (!isObject(answer) || !isObject(answer.data)) throw new NoemaError(complaint)
  return answer.data
}

const perform = async (settings: Settings, endpoint: Endpoint, call: CallInput): Promise<Answered> => {
  const reply = await send(settings, planCall(settings, endpoint, call))
  const data = parseData(reply.text, reply.status)
  if (endpoint.idempotencyKey === 'body' && reply.attempts > 1 && data.secret === null) {
    throw new SecretLostError(isObject(data.key) ? String(data.key.id) : 'just asked for')
  }
  const { status, headers } = reply
  return { data, response: { status, headers, requestId: headers.get('x-request-id') ?? undefined } }
}

async function* listItems(
  first: Promise<Answered>,
  list: string,
  readPage: (after: string) => Promise<Answered>,
): AsyncGenerator<unknown> {
  let { data } = await first
  for (;;) {
    if (Array.isArray(data[list])) yield* data[list]
    const { cursor, hasMore } = data
    if (hasMore !== true || typeof cursor !== 'string') return
    data = (await readPage(cursor)).data
    if (data.hasMore === true && data.cursor === cursor) {
      throw new NoemaError('The service says that there is more, but returns the same page again.')
    }
  }
}

/** Calls an endpoint at once. The result is a promise of its data, and of every item where the endpoint is a list. */
export const callEndpoint = (
  settings: Settings,
  endpoint: Endpoint,
  call: CallInput,
): ApiPromise<Data> | ListPromise<Data, unknown> => {
  const answered = perform(settings, endpoint, call)
  const data = answered.then((answer) => answer.data)
  // A caller that uses the answer in another way gets the error there; the data's own promise then stays quiet.
  const instead = () => {
    data.catch(() => undefined)
    return answered
  }
  const promise = Object.assign(data, { withResponse: instead })
  const { list } = endpoint
  if (list === undefined) return promise
  const readPage = (after: string) => perform(settings, endpoint, { ...call, input: { ...call.input, after } })
  return Object.assign(promise, { [Symbol.asyncIterator]: () => listItems(instead(), list, readPage) })
}
