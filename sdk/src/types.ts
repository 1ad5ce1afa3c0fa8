import type { BodyInput, Endpoint, QueryInput, QueryOutput, Result } from '@noema/contracts/endpoint.ts'
import type { RunPart } from '@noema/contracts/run-stream.ts'

/** Shows a type's fields rather than how it was made. */
type Shown<T> = { [Name in keyof T]: T[Name] } & {}

/** Names the positional arguments that editors show; a parameter that is not listed is shown as `parameter`. */
type Labelled<Name> = Name extends 'handle'
  ? [handle: string]
  : Name extends 'id'
    ? [id: string]
    : Name extends 'keyId'
      ? [keyId: string]
      : Name extends 'source'
        ? [source: string]
        : Name extends 'snapshot'
          ? [snapshot: string]
          : [parameter: string]

type PathArguments<Path extends string, Bound extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name extends Bound
    ? PathArguments<Rest, Bound>
    : [...Labelled<Name>, ...PathArguments<Rest, Bound>]
  : []

// Queries name their times `…At`; a time may be given as a Date, a list as an array.
type QueryValue<Name, Value> = Value extends readonly (infer Item)[]
  ? readonly Item[]
  : Name extends `${string}At`
    ? Value | Date
    : Value

/** The query of an endpoint as this client takes it: parsed values (numbers, booleans, arrays, Dates), all as declared. */
export type Query<E extends Endpoint> = Shown<{
  [Name in keyof QueryInput<E>]:
    | QueryValue<Name, QueryOutput<E>[Name & keyof QueryOutput<E>]>
    | (undefined extends QueryInput<E>[Name] ? undefined : never)
}>

/** The body of an endpoint. Its idempotency key, where the body carries one, is given with the options. */
export type Body<E extends Endpoint> = Shown<
  E extends { idempotencyKey: 'body' } ? Omit<BodyInput<E>, 'idempotencyKey'> : BodyInput<E>
>

/** The bytes of a file. A stream can be sent only once, so a failed upload of one is not repeated. */
export type FileInput = Blob | Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array>

type InputArguments<E extends Endpoint> = E extends { ndjson: 'body' }
  ? [lines: ReadableStream<Uint8Array>]
  : E extends { file: 'body' }
    ? [file: FileInput, query: Query<E>]
    : E extends { body: object }
      ? Record<never, never> extends Body<E>
        ? [body?: Body<E> | undefined]
        : [body: Body<E>]
      : E extends { query: object }
        ? Record<never, never> extends Query<E>
          ? [query?: Query<E> | undefined]
          : [query: Query<E>]
        : []

/** Options of every call besides its input. */
export type BaseOptions = {
  /** Aborts the call; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Milliseconds for one attempt, to the last byte of its answer. */
  timeoutMs?: number | undefined
  /** Maximum number of repeats of a failed attempt; 0 for never. */
  maxRetries?: number | undefined
}

/** The options of a call: the common ones, and the key and the condition where the endpoint takes them. */
export type CallOptions<E extends Endpoint> = Shown<
  BaseOptions &
    (E extends { idempotencyKey: string }
      ? {
          /** A repeat with the same key returns the answer of the first call. Generated for each call by default. */
          idempotencyKey?: string | undefined
        }
      : unknown) &
    (E extends { ifMatch: true }
      ? {
          /** The version that must be current; otherwise the call is a `ConflictError` with code `stale_version`. */
          ifMatch?: number | undefined
        }
      : unknown) &
    (E extends { file: 'body' }
      ? {
          /** The media type of the file. Default: the type of a Blob, else `application/octet-stream`. */
          contentType?: string | undefined
        }
      : unknown) &
    (E extends { wait: true }
      ? {
          /**
           * Maximum seconds that the answer waits for the end of the started work, at most 60; the answer then shows the
           * result.
           */
          wait?: number | undefined
        }
      : unknown)
>

/** The head of an answer. */
export type ResponseInfo = {
  /** HTTP status. */
  status: number
  headers: Headers
  /** The `x-request-id`, for the operator's logs. */
  requestId: string | undefined
}

/** A promise of an answer's `data` that also gives access to the answer's head. Rejects with a `NoemaError`. */
export interface ApiPromise<Data> extends Promise<Data> {
  withResponse(): Promise<{ data: Data; response: ResponseInfo }>
}

/** Awaited, it is one page; iterated, it is every item from that page on, each next page fetched when it is needed. */
export interface ListPromise<Data, Item> extends ApiPromise<Data>, AsyncIterable<Item> {}

type ListItem<E extends Endpoint> = E extends { list: infer Name extends string }
  ? Result<E> extends { [Key in Name]: readonly (infer Item)[] }
    ? Item
    : never
  : never

type Answer<E extends Endpoint> = E extends { ndjson: 'answer' } | { file: 'answer' }
  ? Promise<ReadableStream<Uint8Array>>
  : E extends { list: string }
    ? ListPromise<Result<E>, ListItem<E>>
    : ApiPromise<Result<E>>

/** The start of a stream, with the signal that ends it. */
export type StreamOptions<E extends Endpoint> = Shown<Query<E> & BaseOptions>

/**
 * An endpoint that answers a stream: its parts as they arrive, from `after` on (else from the beginning), without loss or
 * repeats over broken connections, to the end. It ends early when the signal aborts, and throws an `ApiError` that is not
 * temporary.
 */
type Stream<E extends Endpoint, Bound extends string> = (
  ...args: [...PathArguments<E['path'], Bound>, options?: StreamOptions<E> | undefined]
) => AsyncIterable<RunPart>

/** The start and the filter of a live tail, with the signal that ends it. */
export type FollowOptions<E extends Endpoint> = Shown<Omit<Query<E>, 'limit'> & BaseOptions>

type TailEndpoint<Tree> = Extract<Tree[keyof Tree], Endpoint & { tail: true }>

/**
 * An endpoint with a live tail also has `follow`: its items as they arrive, from `after` on (else from the beginning),
 * without loss or repeats over broken connections. It ends when the signal aborts, and throws an `ApiError` that is not
 * temporary; an unreachable service is an error only for the first connection.
 */
type Follow<Tree, Bound extends string> = [TailEndpoint<Tree>] extends [never]
  ? unknown
  : {
      follow: (
        ...args: [
          ...PathArguments<TailEndpoint<Tree>['path'], Bound>,
          options?: FollowOptions<TailEndpoint<Tree>> | undefined,
        ]
      ) => AsyncIterable<ListItem<TailEndpoint<Tree>>>
    }

/**
 * The methods of a tree of endpoints, under the same names. Each takes its path parameters in path order (without those in
 * `Bound`, which are given already), then its body or query (optional when every field of it is), then options.
 */
export type Methods<Tree, Bound extends string = never> = {
  // Written out here, because editors show a named function type by its name alone.
  readonly [Name in keyof Tree]: Tree[Name] extends Endpoint & { sse: true }
    ? Stream<Tree[Name], Bound>
    : Tree[Name] extends Endpoint
      ? (
          ...args: [
            ...PathArguments<Tree[Name]['path'], Bound>,
            ...InputArguments<Tree[Name]>,
            options?: CallOptions<Tree[Name]> | undefined,
          ]
        ) => Answer<Tree[Name]>
      : Methods<Tree[Name], Bound>
} & Follow<Tree, Bound>
