import type { z } from 'zod'
import type { Access, BrainRole } from './access.ts'
import type { ErrorCode } from './error-codes.ts'
import type { ErrorKind } from './error-status.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

type ObjectSchema = z.ZodObject

/**
 * One endpoint as data: the server's validation, the OpenAPI document and the SDK all come from it.
 * An undeclared query parameter is always refused. An undeclared body field is refused where `body` is a strict
 * object, or the request says `Prefer: handling=strict`; elsewhere it is dropped, and the `Ignored-Fields` header of the response names it.
 */
export type Endpoint = {
  method: Method
  /** Path with `{name}` for each parameter, for example `/v1/brains/{handle}/records/{id}`. */
  path: `/v1/${string}`
  /** One sentence for the reference documentation. */
  summary: string
  /** More about the call, for the reference: limits, errors, and rules that the schemas do not show. */
  description?: string
  access: Access
  query?: ObjectSchema
  body?: z.ZodType
  /** True if a request without a body means the same as one with an empty body. */
  bodyOptional?: boolean
  /** Maximum body in bytes; 1 MiB by default. */
  bodyLimit?: number
  /** The side that is NDJSON (one JSON value per line, any length): the request body, or the response (`result` is a line). */
  ndjson?: 'body' | 'answer'
  /** The side that is the bytes of a file, of any media type: the request body, or the response. */
  file?: 'body' | 'answer'
  /** Body and response are JSON-RPC messages, which are not wrapped in `data`. */
  jsonRpc?: boolean
  /**
   * In the format of OpenAI's API: answers are not wrapped in `data`, errors carry `type` and `param` too, and a POST may wait for
   * its run and be answered as Server-Sent Events.
   */
  openai?: true
  /** The answer is `result` itself, not wrapped in `data`. */
  isBare?: boolean
  /** Every status of a success, the usual one first. */
  status: readonly [number, ...number[]]
  /** The shape of `data`. */
  result: z.ZodType
  /** Its errors besides those of every endpoint of its form (`listErrors`): codes, or kinds that carry no code. */
  errors?: readonly (ErrorCode | ErrorKind)[]
  /** The property of `data` that holds the items of a list, which is read page by page with `after` and `limit`. */
  list?: string
  /** The position of the idempotency key in a call. */
  idempotencyKey?: 'header' | 'body'
  /** Accepts `If-Match: "<version>"`. */
  ifMatch?: boolean
  /** Creates the Brain in the path. Any other call gets 404 if the Brain does not exist, before any other check. */
  makesBrain?: true
  /** The least role in the Brain of the path that a call of `management` needs; without it, manager. */
  minRole?: BrainRole
  /** True if owners of the organization may call it about a restricted Brain in which they have no role. */
  ownersReach?: true
  /** A POST that changes nothing: its request does not fit into an address. */
  isRead?: true
  /** Starts work that continues in the background. `Prefer: wait` waits for its end. */
  wait?: true
  /** Also served as a live tail with `Accept: text/event-stream`. */
  tail?: boolean
  /** Always answered as Server-Sent Events; `result` is the data of one. */
  sse?: boolean
}

/** Declares an endpoint, keeping its exact types for the server's handlers and the SDK. */
export const defineEndpoint = <const E extends Endpoint>(endpoint: E): E => endpoint

/** Checks whether a call may have a body of JSON, whose undeclared fields `Prefer: handling=strict` refuses. */
export const takesJson = ({ method, ndjson, file, jsonRpc }: Endpoint): boolean =>
  method !== 'GET' && ndjson === undefined && file === undefined && !jsonRpc

/**
 * Checks whether an endpoint changes nothing, so that a call may be repeated at any time: some read-only endpoints take a
 * body.
 */
export const onlyReads = ({ method, access, isRead }: Endpoint): boolean =>
  method === 'GET' || isRead === true || (typeof access === 'object' && access.capabilities.join() === 'read')

/** The names of the `{parameters}` of a path, as a union. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never

/** The query as a caller gives it: strings and numbers as the schema takes them. */
export type QueryInput<E extends Endpoint> = E extends { query: infer Q extends z.ZodType } ? z.input<Q> : undefined

/** The query as a handler receives it: parsed, with defaults. */
export type QueryOutput<E extends Endpoint> = E extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined

/** The body as a caller gives it. */
export type BodyInput<E extends Endpoint> = E extends { body: infer B extends z.ZodType } ? z.input<B> : undefined

/** The body as a handler receives it: parsed. */
export type BodyOutput<E extends Endpoint> = E extends { body: infer B extends z.ZodType } ? z.output<B> : undefined

/** The payload of a success, the value of `data`. */
export type Result<E extends Endpoint> = z.output<E['result']>
