import { api } from '@noema/contracts/api.ts'
import { setBrainOrigin } from './brain-origins.ts'
import { createDocuments, type DocumentsClient } from './documents.ts'
import { NoemaError } from './errors.ts'
import { createFlows, type OpenFlow } from './flow.ts'
import { createRunWait, type RunWait } from './run-wait.ts'
import { systemTiming, type Timing } from './timing.ts'
import type { Logger, Settings } from './transport.ts'
import { makeMethods } from './tree.ts'
import type { Methods } from './types.ts'

/** Options of a client. All are optional. */
export type ClientOptions = {
  /**
   * The address of the service. Default: `NOEMA_BASE_URL` if there is an environment, else `http://127.0.0.1` with the port
   * `NOEMA_PORT`, else 4100.
   */
  baseUrl?: string | undefined
  /** A management key (`nsk_…`) or Brain key (`nbk_…`), sent as a bearer token. Else `NOEMA_API_KEY`. */
  apiKey?: string | undefined
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** Number of repeats of a call after 429, 5xx or a network failure; default 2, 0 for never. */
  maxRetries?: number | undefined
  /** Milliseconds for one attempt, to the last byte of its answer; default 60,000. */
  timeoutMs?: number | undefined
  /** Receives a line for every request and retry; `console` works. */
  logger?: Logger | undefined
  /** Sent with every request, for example a session's `cookie` and `x-organization-id`. They win over the client's own. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Clock, dice and timers, for tests. */
  timing?: Timing | undefined
}

const { brain: brainTree, ...organizationTree } = api

/** The client of one Brain: `search`, `context` and `query` it, `batch`, and by area `records`, `events`, `receipts`, … */
export type BrainClient = Omit<Methods<(typeof api)['brain'], 'handle'>, 'documents'> & {
  documents: DocumentsClient
}

type OrganizationClient = Methods<Omit<typeof api, 'brain'>>

/**
 * The runs of agents: `start` one, `wait` for its end, `stream` it, `get`, `list` and `cancel` it, and read its `messages` and
 * `operations`.
 */
export type RunsClient = OrganizationClient['runs'] & {
  /** Waits until a run has finished, over broken connections, and returns it like `get`. */
  wait: RunWait
}

/** Every endpoint as a method under the name that the contracts give it; `brain(handle)` binds one Brain. */
export type Client = Omit<OrganizationClient, 'runs'> & {
  readonly runs: RunsClient
  /** Opens a run of your own code, whose steps are each done once. */
  flow: OpenFlow
  /** The methods of one Brain. Sends nothing. */
  brain: (handle: string) => BrainClient
}

// Browsers and edge runtimes may have no `process`.
const environment = (): Readonly<Record<string, string | undefined>> =>
  typeof process === 'undefined' ? {} : (process.env ?? {})

// One spelling, so that a header given by the caller replaces the client's own instead of joining it.
const lowerCased = (headers: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const readSettings = (options: ClientOptions): Settings => {
  const env = environment()
  const apiKey = options.apiKey ?? env.NOEMA_API_KEY
  const baseUrl = options.baseUrl ?? (env.NOEMA_BASE_URL || `http://127.0.0.1:${env.NOEMA_PORT || 4100}`)
  if (!URL.canParse(baseUrl)) {
    throw new NoemaError(`The base URL ${JSON.stringify(baseUrl)} is not a URL such as http://127.0.0.1:4100.`)
  }
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}), ...lowerCased(options.headers) },
    maxRetries: options.maxRetries ?? 2,
    timeoutMs: options.timeoutMs ?? 60_000,
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    logger: options.logger,
    timing: options.timing ?? systemTiming,
  }
}

/**
 * Creates a client of the service. Methods take their path parameters as strings, then the body or query as an object, then
 * options; they return a promise of the answer's `data` and reject with a `NoemaError` (an `ApiError` if the service
 * answered). 429, 5xx and network failures are retried, every attempt of a write under one idempotency key. Throws a
 * `NoemaError` if the base URL is invalid.
 */
export const createClient = (options: ClientOptions = {}): Client => {
  const settings = readSettings(options)
  const methods = makeMethods(settings, organizationTree, {})
  return {
    ...methods,
    runs: { ...methods.runs, wait: createRunWait(methods.runs, settings.timing) },
    flow: createFlows(methods, settings.timing),
    brain: (handle) => {
      const generated = makeMethods(settings, brainTree, { handle })
      const brain = { ...generated, documents: createDocuments(generated.documents) }
      setBrainOrigin(brain, { settings, handle })
      return brain
    },
  }
}
