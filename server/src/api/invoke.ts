import { idempotencyKey } from '@noema/contracts/common.ts'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { refuseNames } from '@noema/contracts/validation-messages.ts'
import { z } from 'zod'
import { authorize } from '../access/authorize.ts'
import type { Principal } from '../access/principal.ts'
import { invalidArgument, validation } from '../shared/errors.ts'
import { inSpan, isTracing } from '../shared/tracing/spans.ts'
import type { AppDeps } from './app-deps.ts'
import { argumentNames } from './arguments.ts'
import type { Answer, Call } from './binding.ts'
import { bindings } from './bindings.ts'
import { parseBody, parseWith } from './parse.ts'
import { checkKeepable } from './read-json.ts'

// A call of an endpoint by a program that writes its arguments as one flat object, as models do: the same access, the same
// checks, the same operation and the same answer as over HTTP.

export type Arguments = Readonly<Record<string, unknown>>

/** The terms of a call that are not among its arguments. */
type CallTerms = Pick<Call<Endpoint>, 'guard' | 'asked'> &
  Partial<Pick<Call<Endpoint>, 'wait' | 'traceparent' | 'isStillAllowed'>>

/** Calls an endpoint of the caller's Brain with its path parameters, query and body as one object. */
export type Invoke = (endpoint: Endpoint, principal: Principal, given: Arguments, terms?: CallTerms) => Promise<Answer>

const keyArgument = idempotencyKey.optional()
const ifMatchArgument = z.int().min(1).optional()

/** Endpoints that take and return values. Streams of lines and other protocols work over HTTP only. */
const callable = bindings.filter(
  ({ endpoint }) => endpoint.ndjson === undefined && !endpoint.file && !endpoint.jsonRpc && !endpoint.sse,
)
/** The names of an endpoint's arguments: of all, and of those that each part of a request carries. */
const listNames = (endpoint: Endpoint) => ({
  all: argumentNames(endpoint),
  path: argumentNames(endpoint, 'path'),
  query: argumentNames(endpoint, 'query'),
  body: argumentNames(endpoint, 'body'),
})
type Names = ReturnType<typeof listNames>

const byEndpoint = new Map(callable.map(({ endpoint, handle }) => [endpoint, { handle, names: listNames(endpoint) }]))

const checkNames = ({ all: known }: Names, given: Arguments): void => {
  const unknown = Object.keys(given).filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw validation(refuseNames(unknown, known), {
      details: unknown.map((name) => ({ path: [name], message: 'Unknown argument.' })),
    })
}

/** An argument as a query has it: text, with commas between the items of a list. */
const asQueryText = (value: unknown): unknown =>
  Array.isArray(value) ? value.join(',') : ['number', 'boolean'].includes(typeof value) ? String(value) : value

const pick = (names: readonly string[], given: Arguments): [string, unknown][] =>
  names.flatMap((name) => (Object.hasOwn(given, name) ? [[name, given[name]]] : []))

const pathArguments = (names: readonly string[], given: Arguments): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => {
      const value = given[name]
      if (typeof value === 'string' && value !== '') return [name, value]
      throw invalidArgument([name], 'This call needs it, as text.')
    }),
  )

const readCall = (
  endpoint: Endpoint,
  names: Names,
  { principal, handle, given }: { principal: Principal; handle: string | undefined; given: Arguments },
): Call<Endpoint> => {
  const params = { ...(handle === undefined ? {} : { handle }), ...pathArguments(names.path, given) }
  const query = pick(names.query, given).map(([name, value]) => [name, asQueryText(value)])
  const body = pick(names.body, given)
  const parsed = {
    query: endpoint.query && parseWith(endpoint.query, Object.fromEntries(query), []),
    body: endpoint.body && parseBody(endpoint.body, Object.fromEntries(body), { root: [], isStrict: true }).body,
  }
  return {
    principal,
    params: params as Call<Endpoint>['params'],
    query: parsed.query as Call<Endpoint>['query'],
    body: parsed.body as Call<Endpoint>['body'],
    idempotencyKey: parseWith(keyArgument, given.idempotencyKey, ['idempotencyKey']),
    ifMatch: endpoint.ifMatch ? parseWith(ifMatchArgument, given.ifMatch, ['ifMatch']) : undefined,
    ...{ headers: undefined, address: undefined },
    tail: undefined,
    wait: undefined,
    traceparent: undefined,
    isStillAllowed: async () => undefined,
  }
}

export const createInvoke =
  (deps: AppDeps): Invoke =>
  async (endpoint, principal, given, terms = {}) => {
    const handle = 'brain' in principal ? principal.brain?.handle : undefined
    await authorize(deps, endpoint, principal, handle)
    const target = byEndpoint.get(endpoint)
    if (!target) throw new Error(`${endpoint.method} ${endpoint.path} cannot be called this way`)
    checkNames(target.names, given)
    checkKeepable(given)
    const call = { ...readCall(endpoint, target.names, { principal, handle, given }), ...terms }
    const run = async () => target.handle(deps, call)
    const toSpan = () => ({ name: `call ${endpoint.method} ${endpoint.path}` })
    const answer = await (isTracing ? inSpan(toSpan, run) : run())
    if (!('data' in answer || 'json' in answer))
      throw new Error(`${endpoint.method} ${endpoint.path} cannot be called this way`)
    return answer
  }
