import { defineEndpoint, type Endpoint, onlyReads } from '@noema/contracts/endpoint.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createBrain, type TestBrain } from '../test/app.ts'
import { allEndpoints, endpointRows, endsCaller, type NamedEndpoint } from '../test/endpoints/all.ts'
import { useOwnApp } from '../test/harness.ts'
import { serveBindings } from '../test/serve-bindings.ts'
import { type Caller, createCallers, expectedStatus, success } from '../test/walk/callers.ts'
import { type Response, strictBodies, undeclared, type Visit, visit } from '../test/walk/visit.ts'
import { defineBinding } from './binding.ts'

// Rules of all endpoints. Each is visited once, in all ways at once; the tests are about the answers.

// The callers of the matrix call at the same time, which is more than the limit of webhook tests at the same time.
const app = useOwnApp({ NOEMA_MAX_WEBHOOK_TESTS: '200/200/200' })
let brain: TestBrain
let callers: Caller[]
beforeAll(async () => {
  brain = await createBrain(app)
  const needs = allEndpoints.map(({ name }) => endpointRows[name].needs)
  callers = await createCallers(app, brain, needs)
})

type Row = { name: string; status: number; answer: Response }

const toExpected = (rows: readonly { name: string; status: number }[]) =>
  Object.fromEntries(rows.map(({ name, status }) => [name, status]))
const toAnswered = (rows: readonly Pick<Row, 'name' | 'answer'>[]) =>
  Object.fromEntries(rows.map(({ name, answer }) => [name, answer.status < 300 ? success : answer.status]))

test('D-17 an endpoint for administrators lets through them alone', async () => {
  const [method, path] = ['GET', '/v1/admin/sample'] as const
  const endpoint = defineEndpoint({
    ...{ method, path, summary: 'Administer', access: 'administrator' },
    ...{ status: [200], result: z.object({}) },
  })
  const served = await serveBindings(app, [defineBinding(endpoint, async () => ({ data: {} }))])
  const rows = callers.map(({ credential, ...row }) => ({
    ...row,
    status: expectedStatus('administrator', credential, success),
  }))
  const answers = await Promise.all(rows.map(({ headers }) => served.request(method, path, { headers })))
  await served.close()
  const statuses = Object.fromEntries(rows.map(({ name }, index) => [name, answers[index]?.status]))
  expect(statuses).toEqual(toExpected(rows))
})

test('every reason not to audit is that of an endpoint that changes something', () => {
  const exceptions = allEndpoints.filter(({ name }) => endpointRows[name].unaudited !== undefined)
  expect(exceptions.filter(({ endpoint }) => onlyReads(endpoint) || endpoint.jsonRpc)).toEqual([])
})

test('SUR-07 SUR-08 every endpoint is strict or tolerant as the specification says', () => {
  const isStrict = (schema: z.ZodType | undefined) =>
    JSON.stringify(schema?.safeParse({ odd: 1 }).error ?? '').includes('unrecognized_keys')
  const strict = allEndpoints.filter(({ endpoint }) => !endpoint.jsonRpc && isStrict(endpoint.body))
  expect(strict.map(({ name }) => name).sort()).toEqual([...strictBodies].sort())
})

/** An endpoint that ends its caller asks for a confirmation. */
const isAskedToConfirm = (name: string, { body }: Response): boolean =>
  endsCaller.includes(name) && body.error?.details?.[0]?.path === 'body.confirm'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

// Lines and events have no envelope; the tests of exports and of streams read them.
const isStream = (endpoint: Endpoint): boolean =>
  endpoint.ndjson === 'answer' || endpoint.file === 'answer' || endpoint.sse === true

/** Headers that differ from one request to the next. */
const volatile = new Set([
  ...['date', 'x-request-id', 'ratelimit', 'ratelimit-policy', 'keep-alive', 'connection', 'transfer-encoding'],
  'content-length',
])

const toHead = ({ status, headers }: Response) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !volatile.has(name))),
  text: '',
})

const expectHead = (head: Response | undefined, got: Response | undefined) => {
  expect(head && { ...toHead(head), text: head.text }).toEqual(got && toHead(got))
}

const expectEnvelope = ({ taken }: Visit, endpoint: Endpoint) => {
  expect(endpoint.status).toContain(taken?.status)
  if (!endpoint.openai) expect(Object.keys(taken?.body ?? {})).toEqual(['data'])
  expect(taken?.headers['x-request-id']).toMatch(uuid)
  expect(taken?.headers['content-type']).toBe('application/json; charset=utf-8')
  const data = endpoint.openai ? taken?.body : taken?.body.data
  const parsed = endpoint.result.safeParse(data)
  expect(parsed.error?.issues).toBeUndefined()
  // The schema drops what it does not declare, so equality means that there was nothing else.
  expect(parsed.data).toEqual(data)
}

const expectUnknownRefused = ({ unknown }: Visit, { query }: Endpoint) => {
  expect(unknown).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  const message = unknown?.body.error?.message ?? ''
  expect(message).toContain(undeclared.map((name) => `"${name}"`).join(', '))
  const declared = Object.keys(query?.shape ?? {})
  for (const name of declared) expect(message).toMatch(new RegExp(`\\b${name}\\b`))
  if (declared.length === 0) expect(message).toContain('accepts none')
}

/** Tests of the endpoints that take a body of fields. */
const testFields = (visited: Visit, { name, endpoint }: NamedEndpoint) => {
  const isStrict = strictBodies.includes(name)
  test('D-04b names a field that it does not take, or refuses it', () => {
    const refusal = expect.stringContaining('This takes no "undeclared"')
    const refused = isStrict ? [visited.strict, visited.strictBody] : [visited.strict]
    for (const answer of refused) expect([answer?.status, answer?.body.error?.message]).toEqual([400, refusal])
    if (!isStrict) expect(visited.lenient?.headers['ignored-fields']).toBe('undeclared')
  })
  if (endpoint.body === undefined) return
  if (isStrict)
    test('SUR-07 refuses an undeclared body field by name and does nothing', () => {
      expect(visited.strictBody).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
      expect(JSON.stringify(visited.strictBody?.body.error)).toContain('undeclared')
      expect(visited.after).toEqual(visited.before)
    })
  else
    test('SUR-08 drops an undeclared body field', () => {
      expect(visited.lenient?.status).toBeLessThan(300)
      expect(visited.lenient?.text).not.toContain('undeclared')
    })
}

const testReads = (visited: Visit) =>
  test('HEAD answers as GET does, without a body', () => {
    expectHead(visited.head, visited.taken)
    expectHead(visited.unknownHead, visited.unknown)
    const anonymous = visited.refused.find(({ name }) => name === 'nothing')
    if (anonymous) expectHead(visited.anonymousHead, anonymous.answer)
  })

describe.each(allEndpoints)('$name', (named) => {
  const { name, endpoint } = named
  const visited = {} as Visit
  beforeAll(async () => {
    Object.assign(visited, await visit(app, brain, named, callers))
  })

  test('AUT-02 AUT-03 AUT-04 AUT-05 AUT-06 AUT-07 D-13b SUR-11 lets through exactly whom the table names', () => {
    expect(toAnswered(visited.refused)).toEqual(toExpected(visited.refused))
    const refused = visited.admitted.filter(({ answer }) => answer.status >= 300 && !isAskedToConfirm(name, answer))
    expect(toAnswered(refused)).toEqual({})
    expect(visited.admitted.length).toBeGreaterThan(0)
  })

  test('AUT-02 SUR-11 a refused call changes nothing', () => {
    expect(visited.after).toEqual(visited.before)
  })

  test('D-04 says who may call before it judges what was sent', () => {
    const judged = [...visited.refused, { name: 'the owner, on a Brain that is not there', judged: visited.missing }]
    for (const {
      name: caller,
      judged: [right, ...wrong],
    } of judged)
      expect({ caller, answers: wrong }).toEqual({ caller, answers: wrong.map(() => right) })
  })

  if (endpoint.jsonRpc) return
  test('SUR-06 refuses undeclared query parameters by name, lists those that it accepts, and does nothing', () => {
    expectUnknownRefused(visited, endpoint)
    expect(visited.after).toEqual(visited.before)
  })

  if (!isStream(endpoint))
    test('SUR-02 SUR-05 answers { data } alone (or the shape of OpenAI), in the declared shape and status, with an x-request-id', () => {
      expectEnvelope(visited, endpoint)
    })

  if (!onlyReads(endpoint))
    test('AUD-04 leaves an entry in the audit log, or a reason says why not', () => {
      expect(visited.taken?.status).toBeLessThan(300)
      expect(visited.isAudited).toBe(endpointRows[name].unaudited === undefined)
    })

  if (endpoint.method === 'GET') testReads(visited)
  else if (!endpoint.ndjson && !endpoint.file) testFields(visited, named)
})
