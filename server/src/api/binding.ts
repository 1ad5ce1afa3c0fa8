import {
  type BodyOutput,
  type Endpoint,
  type PathParameter,
  type QueryOutput,
  takesJson,
} from '@noema/contracts/endpoint.ts'
import { authorizeFields } from '../access/authorize.ts'
import type {
  AdministratorPrincipal,
  BrainPrincipal,
  ManagerPrincipal,
  MemberPrincipal,
  Principal,
  SessionPrincipal,
} from '../access/principal.ts'
import type { RunNews } from '../features/agents/run-feeds/run-feeds.ts'
import type { BrainRow } from '../features/kernel/brains/brain-queries.ts'
import type { Outcome as StoredOutcome } from '../features/platform/idempotency/idempotency.ts'
import type { WritePrecondition } from '../features/writing/commit/write-request.ts'
import type { Line } from '../features/writing/transfers/types.ts'
import type { AppDeps } from './app-deps.ts'
import { createHiddenCheck } from './hidden-items.ts'
import type { JsonSource } from './read-json.ts'

// Binds an endpoint of the contracts to the operation that serves it. Nothing here knows how a call arrived: HTTP, MCP and other
// edges build a Call from their request, and their own kind of answer from the result.

/** The callers that an endpoint's access lets through. */
type PrincipalOf<E extends Endpoint> = E['access'] extends 'session'
  ? MemberPrincipal
  : E['access'] extends 'account'
    ? SessionPrincipal
    : E['access'] extends 'management'
      ? ManagerPrincipal
      : E['access'] extends 'administrator'
        ? AdministratorPrincipal
        : E['access'] extends { capabilities: unknown }
          ? (ManagerPrincipal | BrainPrincipal) & { brain: BrainRow }
          : Principal

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A message of another protocol, which reports its own errors. */
export type UnreadMessage = { parse(source: JsonSource): Promise<unknown> }

/** The bytes of a file as they come, and what its sender says about them; the endpoint limits them. */
export type FileBody = {
  contentType: string
  length: number | undefined
  bytes: AsyncIterable<Buffer>
  maxBytes: number
}

/** A file to send: the bytes `from` to before `to` are read as they are sent. */
export type SentFile = {
  path: string
  contentType: string
  bytes: number
  sha256: string
  read(range: { from: number; to: number }): AsyncIterable<Buffer>
}

type BodyOf<E extends Endpoint> = E extends { ndjson: 'body' }
  ? AsyncIterable<Line>
  : E extends { file: 'body' }
    ? FileBody
    : E extends { jsonRpc: true }
      ? UnreadMessage
      : BodyOutput<E>

/** The input of an operation: the caller, and the parsed arguments as the contract declares them. */
export type Call<E extends Endpoint> = {
  principal: PrincipalOf<E>
  params: Record<PathParameter<E['path']>, string>
  query: QueryOutput<E>
  body: BodyOf<E>
  idempotencyKey: string | undefined
  ifMatch: number | undefined
  /** Checked in the transaction of a write, before it is applied: set by callers that may have been stopped meanwhile. */
  guard?: WritePrecondition | undefined
  /** The part of the arguments that identifies the call, if they hold more: a repeat with the same idempotency key must match it. */
  asked?: unknown
  /** The headers of a request that a protocol of its own came by. */
  headers: E extends { jsonRpc: true } ? Headers : undefined
  /** The address that a call of a `public` endpoint came from. */
  address: E extends { access: 'public' } ? string : undefined
  tail: TailCall | undefined
  /** Set if the caller wants to wait for the end of the work that the call starts. */
  wait: WaitCall | undefined
  /** The trace that the call belongs to, as W3C Trace Context writes it. */
  traceparent: string | undefined
  /**
   * True while the caller may still do this: a revoked key stops at its next request, and a long call is one request. Undefined
   * if that is unknown at the moment.
   */
  isStillAllowed: () => Promise<boolean | undefined>
}

/** Set where the answer is to be a live tail. */
export type TailCall = {
  /** The cursor that one goes on after that was cut off. */
  resumeAt: string | undefined
  /**
   * True while the caller may still do this: a revoked key stops at its next request, and a tail is one request. Undefined if
   * that is unknown at the moment.
   */
  isStillAllowed: () => Promise<boolean | undefined>
  /** Aborts when the server drains or the client goes away. */
  signal: AbortSignal
}

/** The reason of a signal that aborts because the client went away. */
export const clientGone = Symbol('the client went away')

/** A wish to wait for the end of something. */
export type WaitCall = {
  /**
   * Begins to wait: the signal aborts when the time is over, the server drains or the client goes away, and `end` is to be
   * called then. Undefined where as many wait as may at once: the wish is then left aside. `maxSeconds` is of a protocol whose
   * messages say how long.
   */
  begin(maxSeconds?: number): { signal: AbortSignal; end(): void } | undefined
}

/** The outcome of a call. A refusal is thrown instead. */
export type Outcome = Exclude<StoredOutcome, 'refused'>

/** The answer of an operation: `data` as a value, or JSON text that is passed through unparsed. */
export type Answer = {
  /** The outcome of the call, if it can vary. */
  outcome?: Outcome
  /** True for the answer of an earlier call with the same idempotency key. */
  replayed?: boolean
  /** True if the call waited for the work that it started. */
  waited?: boolean
} & ({ data: unknown } | { json: string })

/** A live tail: items as JSON text, as many at once as there are; none says that there is nothing new. */
type Tail = { tail: AsyncIterable<readonly string[]> }

/** The parts of a run as they come, in the AI SDK's protocol: some, none where nothing is new, and that it has ended. */
type PartStream = { parts: AsyncIterable<RunNews> }

/** Server-Sent Events of another protocol, as text. */
type MessageStream = { messages: AsyncIterable<string> }

/** A stream of NDJSON lines, in pieces of any size. */
type LineStream = { ndjson: AsyncIterable<Buffer> }

/** A gzipped tar that is made as it is sent, and the name under which it is saved. */
type ArchiveStream = { archive: { name: string; pieces: AsyncIterable<Buffer> } }

/** The answer of another protocol, passed through unchanged. */
export type ProtocolAnswer = { response: Response }
/** The answer that is a file. */
export type FileAnswer = { file: SentFile }
/** An answer that is sent as it comes. */
export type SentStream = Tail | PartStream | MessageStream | LineStream | ArchiveStream
export type AnyAnswer = Answer | SentStream | FileAnswer | ProtocolAnswer

/** An endpoint joined to the operation that serves it. */
export type Binding = {
  endpoint: Endpoint
  handle: (deps: AppDeps, call: Call<Endpoint>) => Promise<AnyAnswer>
}

/**
 * Joins a contract to an operation. A call may send protected fields of the body only with their rights, and may not name what is
 * hidden from its caller.
 */
export const defineBinding = <const E extends Endpoint>(
  endpoint: E,
  operation: (deps: AppDeps, call: Call<E>) => Promise<AnyAnswer>,
): Binding => {
  const run = operation as unknown as Binding['handle']
  const { access } = endpoint
  const checkHidden = createHiddenCheck(endpoint.path, takesJson(endpoint))
  const handle: Binding['handle'] =
    checkHidden === undefined
      ? run
      : async (deps, call) => {
          await checkHidden(deps.db, call)
          return run(deps, call)
        }
  if (typeof access === 'string' || access.fields === undefined) return { endpoint, handle }
  const checked: Binding['handle'] = async (deps, call) => {
    authorizeFields(access, call.principal, call.body)
    return handle(deps, call)
  }
  return { endpoint, handle: checked }
}
