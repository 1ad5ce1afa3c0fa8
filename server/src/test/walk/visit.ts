import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { TestApp, TestBrain } from '../app.ts'
import { checkDeclared } from '../declared-errors.ts'
import { endpointRows, endsCaller, type NamedEndpoint } from '../endpoints/all.ts'
import { readState, type SampleCall, sampleCall, sampleCredential } from '../sample-calls.ts'
import { type Caller, expectedStatus, findCallers, success } from './callers.ts'

// One visit of an endpoint: it is called in every way that the promises about all endpoints are about, and what it answers is
// kept for their tests. First the calls that it must refuse, then those that it must accept.

type Headers = Record<string, string>

export type Response = { status: number; headers: Headers; text: string; body: Body }
type Body = {
  data?: unknown
  error?: { message: string; kind: string; details?: { path: string; message: string }[] }
}

const json = { 'content-type': 'application/json' }

const toText = (body: unknown): string | undefined =>
  body === undefined || typeof body === 'string' ? body : JSON.stringify(body)

const send = async (
  { base }: TestApp,
  { method, path, body, headers = {} }: SampleCall,
  identity: Headers,
): Promise<Response> => {
  const sent = toText(body)
  const response = await fetch(base + path, {
    method,
    headers: { 'accept-encoding': 'identity', ...(sent === undefined ? {} : json), ...headers, ...identity },
    ...(sent === undefined ? {} : { body: sent }),
  })
  const text = await response.text()
  const isJson = text !== '' && response.headers.get('content-type')?.includes('application/json')
  const parsed = isJson ? JSON.parse(text) : {}
  checkDeclared(method, path, parsed)
  return { status: response.status, headers: Object.fromEntries(response.headers), text, body: parsed }
}

const addQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`

/** A request that is wrong in every way that is judged after its caller: one of three, as a body has one form. */
const spoil = (call: SampleCall, variant: number): SampleCall => {
  const path = addQuery(call.path, 'undeclared=1&limit=x&after=y')
  if (call.method === 'GET') return { ...call, path }
  const wrong = { ...call.headers, 'if-match': 'x', 'idempotency-key': ' ', prefer: 'handling=strict' }
  const bodies = [{ body: '[]' }, { body: '{' }, { body: 'x', headers: { ...wrong, 'content-type': 'text/plain' } }]
  return { ...call, path, headers: { ...wrong, ...json }, ...bodies[variant % bodies.length] }
}

const largeBody = 'x'.repeat(17 * 1024 * 1024)
/** The callers that send it too: one for each status of a refusal. */
const sendLarge = ['nothing', "another organization's management key", 'a Brain key with nothing']

/** Checks if a refusal is about the caller and the Brain. The service looks up other objects later. */
const isAboutCaller = ({ status, body }: Response, path: string): boolean =>
  [401, 403].includes(status) ||
  (status === 404 && path.startsWith('/v1/brains/')) ||
  (status === 400 && body.error?.message.startsWith('Name the organization') === true)

/** The answer to another organization if the body names an agent, which that organization does not have. */
const foreignByBody: Record<string, number> = {
  ...{ 'runs.start': 404, 'triggers.create': 404, 'schedules.create': 404, 'evals.create': 404, 'goals.create': 404 },
  'distillations.start': 404,
  ...{ 'openai.chat.completions': 404, 'openai.responses.create': 404 },
}
/** Another organization makes one of its own, or reads what the service brings along. */
const openToForeign = [
  ...['packs.get', 'brains.put', 'schemas.put', 'providers.put', 'packs.put', 'packs.install', 'rubrics.put'],
]

const foreignStatus = ({ name, endpoint }: NamedEndpoint): number =>
  foreignByBody[name] ?? (endpoint.path.includes('{') && !openToForeign.includes(name) ? 404 : success)

/** The endpoints whose bodies decide what the caller needs, after the contract. */
export const needsByBody = ['brain.webhooks.patch']

/** Wrong keys that are refused as an unknown one is, whose requests are right. */
const oneOfMany = [
  ...['a malformed key', 'a key of no known prefix', 'an unknown Brain key', 'a revoked management key'],
  ...['a revoked Brain key', 'an expired management key', 'a Brain key rotated long ago', "a removed member's key"],
]

const toRefusal = ({ status, body }: Response) => [status, body.error?.message]

/** A caller's answers to a call and to one with other errors too, if the first answer is about the caller. */
const refuse = async (
  test: TestApp,
  call: SampleCall,
  { name, headers }: Pick<Caller, 'name' | 'headers'>,
  variant = 0,
) => {
  const answer = await send(test, call, headers)
  if (oneOfMany.includes(name) || !isAboutCaller(answer, call.path)) return { answer, judged: [] }
  const isLarge = call.path.endsWith('/batch') && sendLarge.includes(name)
  const wrong = [spoil(call, variant), ...(isLarge ? [{ ...call, body: largeBody }] : [])]
  const judged = await Promise.all(wrong.map((one) => send(test, one, headers)))
  return { answer, judged: [answer, ...judged].map(toRefusal) }
}

/** Calls as everybody who must be refused. */
const refuseAll = async (test: TestApp, named: NamedEndpoint, call: SampleCall, callers: readonly Caller[]) => {
  const { needs } = endpointRows[named.name]
  const rows = findCallers(callers, needs).map((caller) => ({
    ...caller,
    status: expectedStatus(needs, caller.credential, foreignStatus(named)),
  }))
  const refused = await Promise.all(
    rows
      .filter(({ status }) => status !== success)
      .map(async (caller, index) => {
        const { answer, judged } = await refuse(test, call, caller, index)
        const isByBody = needsByBody.includes(named.name) && caller.credential.kind === 'Brain'
        return { ...caller, answer, judged: isByBody ? [] : judged }
      }),
  )
  return { refused, accepted: rows.filter(({ status }) => status === success) }
}

/** The owner's answer about a missing Brain. */
const miss = async (test: TestApp, { endpoint }: NamedEndpoint, call: SampleCall, { key }: TestBrain) => {
  if (!call.path.startsWith('/v1/brains/brain') || endpoint.makesBrain) return []
  const missing = { ...call, path: call.path.replace('/brains/brain', '/brains/none') }
  return (await refuse(test, missing, { name: 'the owner', headers: { authorization: `Bearer ${key}` } })).judged
}

/** The parameters that the owner sends next to a declared one, if there is one. */
export const undeclared = ['no_such_parameter', 'Limit']

const addUndeclared = ({ query }: Endpoint, call: SampleCall): SampleCall => {
  const [first] = Object.keys(query?.shape ?? {})
  const names = [...(first ? [first] : []), ...undeclared]
  return { ...call, path: addQuery(call.path, names.map((one) => `${one}=1`).join('&')) }
}

/** A call with a field that its body does not have. */
const addField = (call: SampleCall, prefer: string): SampleCall => ({
  ...call,
  headers: { ...call.headers, prefer },
  body: { ...(call.body as object), undeclared: { deep: [1] } },
})

const asHead = (call: SampleCall): SampleCall => ({ ...call, method: 'HEAD' })

/** The endpoints whose bodies refuse undeclared fields; the specification names them. All others drop such fields. */
export const strictBodies = [
  ...['keys.mint', 'brain.keys.mint', 'brain.context', 'brain.query'],
  ...['corpora.put', 'corpora.search', 'corpora.context', 'packs.put'],
]

const isRead = ({ method }: Endpoint): boolean => method === 'GET'
const takesFields = (endpoint: Endpoint): boolean => !isRead(endpoint) && !endpoint.ndjson && !endpoint.file

/** The requests of the owner that are refused, and their twins by HEAD. */
const misuse = async (test: TestApp, { name, endpoint }: NamedEndpoint, call: SampleCall, owner: Headers) => {
  const query = addUndeclared(endpoint, call)
  return {
    unknown: await send(test, query, owner),
    unknownHead: isRead(endpoint) ? await send(test, asHead(query), owner) : undefined,
    anonymousHead: isRead(endpoint) ? await send(test, asHead(call), {}) : undefined,
    strict: takesFields(endpoint) ? await send(test, addField(call, 'handling=strict'), owner) : undefined,
    strictBody: strictBodies.includes(name) ? await send(test, addField(call, 'handling=lenient'), owner) : undefined,
  }
}

const countAudited = async ({ database }: TestApp): Promise<number> => {
  const { rows } = await database.pool.query('select count(*)::integer as count from audit_entries')
  return rows[0].count
}

/** The call as the owner makes it, what it left in the audit log, and its twins: by HEAD, and with a field too many. */
const take = async (test: TestApp, brain: TestBrain, named: NamedEndpoint, call: SampleCall) => {
  const before = await countAudited(test)
  const taken = await send(test, call, toOwner(brain, named, call))
  const isAudited = (await countAudited(test)) > before
  const head = isRead(named.endpoint) ? await send(test, asHead(call), toOwner(brain, named, call)) : undefined
  if (!takesFields(named.endpoint) || strictBodies.includes(named.name))
    return { taken, isAudited, head, lenient: undefined }
  const next = await sampleCall(test, brain, named)
  const lenient = await send(test, addField(next, 'handling=lenient'), toOwner(brain, named, next))
  return { taken, isAudited, head, lenient }
}

/** The headers of who makes a call: the owner of the Brain, or somebody whom the call would end. */
const toOwner = (brain: TestBrain, { endpoint }: NamedEndpoint, { headers }: SampleCall): Headers => ({
  ...sampleCredential(endpoint, brain),
  ...headers,
})

/** Visits an endpoint of a Brain of which these are the callers. */
export const visit = async (test: TestApp, brain: TestBrain, named: NamedEndpoint, callers: readonly Caller[]) => {
  const { name, endpoint } = named
  const call = await sampleCall(test, brain, named)
  // Every caller could end its own account or organization: it does not confirm that.
  const unconfirmed = { ...call, headers: {}, body: { confirm: 'not its name' } }
  const isEnd = endsCaller.includes(name)
  const before = await readState(test, brain)
  const { refused, accepted } = await refuseAll(test, named, isEnd ? unconfirmed : call, callers)
  const missing = await miss(test, named, call, brain)
  const misused = await misuse(test, named, call, toOwner(brain, named, call))
  const after = await readState(test, brain)
  const owned = await take(test, brain, named, call)
  const admitted: { name: string; answer: Response }[] = []
  // One after the other, as some calls have a limit of how many run at once.
  for (const { name: caller, headers } of accepted) {
    const next = isEnd ? unconfirmed : isRead(endpoint) ? call : await sampleCall(test, brain, named)
    admitted.push({ name: caller, answer: await send(test, next, headers) })
  }
  return { refused, missing, before, after, ...misused, ...owned, admitted }
}

export type Visit = Awaited<ReturnType<typeof visit>>
