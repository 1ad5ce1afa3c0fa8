import type { Client, jsonSchemaValidator } from '@modelcontextprotocol/client'
import { CallFailure } from '../../../shared/outbound/call-failure.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import type { OnBroken } from '../../../shared/outbound/stream-response.ts'
import { orAbort } from '../../../shared/timeout.ts'
import { toSafeText } from '../providers/safe-text.ts'
import { type ConnectorAccess, listSecrets } from './access.ts'

// Talks to a connector's server, which is untrusted: every call leaves by the outbound guard, redirects are not followed, no
// connection stays open, nothing that it sends is compiled or executed, and its own requests are refused.

/** The limits of one visit to a server: all its calls together, and the size of one answer. */
export type ConnectorLimits = { seconds: number; maxBytes: number }

/**
 * The reason why a server could not be asked, in words that any member of the organization may see. `isUnknown`: the call may
 * have been made. `isPostponed`: it was not, because too many are in progress.
 */
export class ConnectorFailure extends Error {
  readonly isPostponed: boolean
  readonly isUnknown: boolean

  constructor(message: string, { isPostponed = false, isUnknown = false } = {}) {
    super(message)
    this.name = 'ConnectorFailure'
    this.isPostponed = isPostponed
    this.isUnknown = isUnknown
  }
}

const findCause = (error: unknown, depth = 0): CallFailure | undefined => {
  if (error instanceof CallFailure) return error
  return error instanceof Error && depth < 5 ? findCause(error.cause, depth + 1) : undefined
}

const findStatus = (error: unknown): number | undefined => {
  const data = error instanceof Error && 'data' in error ? error.data : undefined
  const status = typeof data === 'object' && data !== null && 'status' in data ? data.status : undefined
  return typeof status === 'number' ? status : undefined
}

/** True if a server answered with an error of the protocol: those have numbers. */
const isAnswer = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'number'

const toFailure = (error: unknown, { headers }: ConnectorAccess): ConnectorFailure => {
  const call = findCause(error)
  if (call) return new ConnectorFailure(call.message, { isPostponed: call.isPostponed, isUnknown: !call.isPostponed })
  const unknown = { isUnknown: true }
  const status = findStatus(error)
  if (status === 401 || status === 403)
    return new ConnectorFailure(`The server refused the connector's headers (${status}).`)
  if (status !== undefined && status >= 300 && status < 400)
    return new ConnectorFailure(`The server answered with a redirect (${status}), which is not followed.`)
  // The client's own words about an answer that it cannot read are about its code.
  if (error instanceof RangeError)
    return new ConnectorFailure('The answer of the server is nested too deeply.', unknown)
  const method = /^Invalid result for ([\w/]+): /.exec(error instanceof Error ? error.message : '')?.[1]
  if (method !== undefined)
    return new ConnectorFailure(`The answer of the server is not what the protocol has for ${method}.`, unknown)
  const said = toSafeText(error instanceof Error ? error.message : '', listSecrets(headers))
  return new ConnectorFailure(said === '' ? 'The server could not be understood.' : said, {
    isUnknown: !isAnswer(error),
  })
}

// As the protocol has servers say that they open no stream of their own; the client takes it for such an answer.
const noStream = 405

/** The `fetch` for one server: it reads answers to requests only, and keeps no stream open. */
const createFetch = (
  outbound: Outbound,
  { organizationId }: ConnectorAccess,
  { seconds, maxBytes }: ConnectorLimits,
  onBroken: OnBroken,
): typeof fetch => {
  const send = outbound.fetch('connector', {
    organization: organizationId,
    idleSeconds: seconds,
    totalSeconds: seconds,
    maxBytes,
    onBroken,
  })
  return async (input, init) =>
    (init?.method ?? 'GET') === 'GET' ? new Response(null, { status: noStream }) : send(input, init)
}

// A server's output schemas are not compiled: they would be an untrusted program.
const checksNothing: jsonSchemaValidator = {
  getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
}

const open = async (outbound: Outbound, access: ConnectorAccess, limits: ConnectorLimits, onBroken: OnBroken) => {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const client = new Client(
    { name: 'noema', version: 'v1' },
    {
      capabilities: {},
      jsonSchemaValidator: checksNothing,
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
    },
  )
  const transport = new StreamableHTTPClientTransport(new URL(access.url), {
    fetch: createFetch(outbound, access, limits, onBroken),
    requestInit: { headers: access.headers, redirect: 'error' },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
  })
  return { client, transport }
}

/** Does something with a connector's server. Throws a ConnectorFailure, or the reason of `signal`. */
export const withServer = async <Result>(
  { outbound }: { outbound: Outbound },
  access: ConnectorAccess,
  limits: ConnectorLimits & { signal?: AbortSignal },
  use: (client: Client, options: { signal: AbortSignal; timeout: number }) => Promise<Result>,
): Promise<Result> => {
  const inTime = AbortSignal.timeout(limits.seconds * 1000)
  // A response that breaks off ends the wait for what it would have answered.
  const broken = new AbortController()
  const signals = [inTime, broken.signal, ...(limits.signal ? [limits.signal] : [])]
  const signal = AbortSignal.any(signals)
  const options = { signal, timeout: limits.seconds * 1000 }
  const { client, transport } = await open(outbound, access, limits, (reason) => broken.abort(reason))
  const work = async () => {
    await client.connect(transport, options)
    const result = await use(client, options)
    // A server that keeps a session learns that it is over; whether it listens is its own affair.
    await transport.terminateSession().catch(() => {})
    return result
  }
  try {
    // The client ignores the signal while it negotiates the version.
    return await orAbort(work(), signal)
  } catch (error) {
    limits.signal?.throwIfAborted()
    if (inTime.aborted)
      throw new ConnectorFailure(`The server did not answer within ${limits.seconds} seconds.`, { isUnknown: true })
    throw toFailure(broken.signal.aborted ? broken.signal.reason : error, access)
  } finally {
    await client.close().catch(() => {})
  }
}
