import { endpoints } from '@noema/contracts/api.ts'
import { errorStatus } from '@noema/contracts/error-status.ts'
import { errorBody } from '@noema/contracts/errors.ts'
import { expect, test } from 'vitest'
import { useBrain, useOwnApp } from '../../test/harness.ts'
import { rawRequest } from '../../test/raw-request.ts'

const app = useOwnApp()
const brain = useBrain(app)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const json = { 'content-type': 'application/json' }

test('SUR-01 every endpoint is under /v1/', () => {
  expect(endpoints.length).toBeGreaterThan(30)
  expect(endpoints.filter(({ endpoint }) => !endpoint.path.startsWith('/v1/'))).toEqual([])
})

type Refusal = { status: number; path: string; method?: string; headers?: Record<string, string>; body?: string }

const refusals: Record<string, Refusal> = {
  'malformed JSON': { status: 400, method: 'PUT', path: '/v1/brains/x', headers: json, body: '{"name":' },
  'a body of another type': {
    status: 400,
    method: 'PUT',
    path: '/v1/brains/x',
    headers: { 'content-type': 'text/plain' },
    body: 'x',
  },
  'a body that is too large': {
    status: 400,
    method: 'PUT',
    path: '/v1/brains/x',
    headers: json,
    body: ' '.repeat(1_100_000),
  },
  'a bad query': { status: 400, path: '/v1/brains?limit=0' },
  'a path that is not percent-encoded': { status: 400, path: '/v1/brains/%zz' },
  'no credential': { status: 401, path: '/v1/brains', headers: { authorization: 'none' } },
  'a management key for a session': { status: 403, path: '/v1/keys' },
  'an unknown Brain': { status: 404, path: '/v1/brains/nothing' },
  'an unknown path': { status: 404, path: '/v1/nothing/here' },
  'a bare /v1': { status: 404, path: '/v1' },
  'a path outside /v1': { status: 404, path: '/nothing' },
  'an unsupported method': { status: 404, method: 'DELETE', path: '/v1/brains' },
  'OPTIONS, which no endpoint has': { status: 404, method: 'OPTIONS', path: '/v1/brains' },
  'a conflict': {
    status: 409,
    method: 'POST',
    path: '/v1/brains/brain/statements',
    headers: json,
    body: JSON.stringify({ subject: { id: 'none', kind: 'none' }, predicate: 'is', object: { value: 1 } }),
  },
}

const send = ({ method = 'GET', path, headers = {}, body }: Refusal) =>
  rawRequest(app.base, {
    method,
    path,
    headers: { authorization: `Bearer ${brain.key}`, ...headers },
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  })

test.each(Object.entries(refusals))(
  'SUR-02 SUR-03 SUR-05 %s is answered in the error envelope with its kind and an x-request-id',
  async (_case, refusal) => {
    const answer = await send(refusal)
    expect(answer.status).toBe(refusal.status)
    const body = JSON.parse(answer.text)
    expect(errorBody.strict().safeParse(body).success).toBe(true)
    expect(errorStatus[errorBody.parse(body).error.kind]).toBe(refusal.status)
    expect(body.error.message).not.toBe('')
    expect(answer.headers['x-request-id']).toMatch(uuid)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  },
)

test('SUR-10 a refusal that is not transient is the same again', async () => {
  for (const refusal of Object.values(refusals)) {
    const [first, second] = [await send(refusal), await send(refusal)]
    expect({ status: second.status, text: second.text }).toEqual({ status: first.status, text: first.text })
  }
})

test('SUR-05 bytes that are not even HTTP are answered in the error envelope with an x-request-id', async () => {
  const { hostname, port } = new URL(app.base)
  const { connect } = await import('node:net')
  const text = await new Promise<string>((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'))
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('end', () => resolve(received))
    socket.on('error', reject)
  })
  expect(text).toMatch(/^HTTP\/1\.1 400 /)
  expect(text).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/)
  expect(errorBody.strict().safeParse(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).success).toBe(true)
})

test('SUR-05 a stream carries an x-request-id', async () => {
  const ending = new AbortController()
  const response = await fetch(`${app.base}${brain.path}/events`, {
    headers: { authorization: `Bearer ${brain.key}`, accept: 'text/event-stream', 'x-request-id': 'trace-7' },
    signal: ending.signal,
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('x-request-id')).toBe('trace-7')
  ending.abort()
})

test.each([
  ['a UUID', '7f6d2c1e-0000-4000-8000-0123456789ab'],
  ["a load balancer's trace id", 'Root=1-67891233-abcdef012345678912345678'],
  ['a path-like id', 'gke/node.7:req+1'],
  ['one character', 'x'],
  ['128 characters', 'a'.repeat(128)],
])('SUR-05 D-10 an incoming x-request-id that is %s is echoed, on successes and errors', async (_case, id) => {
  for (const path of ['/v1/brains', '/v1/nothing', '/v1/brains?limit=0', '/v1/%zz']) {
    const answer = await send({ status: 0, path, headers: { 'x-request-id': id } })
    expect(answer.headers['x-request-id']).toBe(id)
  }
})

test.each([
  ['129 characters', 'a'.repeat(129)],
  ['nothing', ''],
  ['two words', 'a b'],
  ['markup', '<script>'],
  ['quoted', '"id"'],
  ['beyond ASCII', 'id\u00e9'],
  ['a list', 'a,b'],
])('SUR-05 D-10 an incoming x-request-id that is %s is replaced by a new UUID', async (_case, id) => {
  const answers = [await send({ status: 0, path: '/v1/brains', headers: { 'x-request-id': id } })]
  answers.push(await send({ status: 0, path: '/v1/nothing', headers: { 'x-request-id': id } }))
  for (const { headers } of answers) expect(headers['x-request-id']).toMatch(uuid)
  expect(answers[0]?.headers['x-request-id']).not.toBe(answers[1]?.headers['x-request-id'])
})

test('SUR-03 an unexpected failure is 500 internal in a fixed sentence; its text is in the log alone, with the request id', async () => {
  const pool = app.database.pool
  await pool.query('alter table events rename to moved_away')
  const answer = await app.request('GET', `${brain.path}/events`, {
    key: brain.key,
    headers: { 'x-request-id': 'find-me' },
  })
  await pool.query('alter table moved_away rename to events')
  expect(answer).toMatchObject({ status: 500, body: { error: { kind: 'internal' } } })
  expect(JSON.stringify(answer.body)).not.toContain('events')
  const logged = app.logLines.map((line) => JSON.parse(line)).find((line) => line.requestId === 'find-me')
  expect(JSON.stringify(logged)).toContain('relation')
})
