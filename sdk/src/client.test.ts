import { endpoints } from '@noema/contracts/api.ts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from './client.ts'
import { NoemaError } from './errors.ts'
import { type ScriptedAnswer, startScriptedServer } from './test/scripted-server.ts'
import { testTiming } from './test/test-timing.ts'

const scriptedClient = async (script: Parameters<typeof startScriptedServer>[0]) => {
  const { url, requests } = await startScriptedServer(script)
  const { timing, delays } = testTiming()
  return { client: createClient({ baseUrl: url, apiKey: 'nsk_test', timing }), requests, delays }
}

const anything: ScriptedAnswer = { data: {} }

/** A call starts when it is made, a stream when it is read; the missing answer does not matter here. */
const settle = async (called: unknown) => {
  const next = called instanceof Promise ? undefined : Reflect.get(Object(called), 'next')
  await (typeof next === 'function' ? next.call(called).catch(() => undefined) : called)
}

test('every endpoint of the contracts has a method, and sends its own method and path', async () => {
  const { client, requests } = await scriptedClient(() => anything)
  for (const { name, endpoint } of endpoints) {
    const names = name.split('.')
    const bound = names[0] === 'brain'
    let found: unknown = bound ? client.brain('a') : client
    for (const key of bound ? names.slice(1) : names) found = Reflect.get(Object(found), key)
    expect(found, name).toBeTypeOf('function')
    const parameters = [...endpoint.path.matchAll(/\{(\w+)\}/g)].filter(([, key]) => !(bound && key === 'handle'))
    const called = Reflect.apply(
      Object(found),
      undefined,
      parameters.map(() => 'a'),
    )
    await settle(called)
    const seen = requests.at(-1)
    expect(`${seen?.method} ${seen?.url}`).toBe(`${endpoint.method} ${endpoint.path.replaceAll(/\{\w+\}/g, 'a')}`)
  }
})

test('no endpoint takes both a body and a query, so one input argument is enough', () => {
  expect(endpoints.filter(({ endpoint }) => endpoint.body && endpoint.query)).toEqual([])
})

test('a call sends its key, body, condition and idempotency key, and gives the data of the answer', async () => {
  const { client, requests } = await scriptedClient([{ status: 201, data: { outcome: 'landed' } }])
  const options = { ifMatch: 3, idempotencyKey: 'once' }
  const data = await client.brain('crm').records.put('rec_1', { kind: 'person', fields: { name: 'Ada' } }, options)
  expect(data).toEqual({ outcome: 'landed' })
  expect(requests[0]).toMatchObject({
    method: 'PUT',
    url: '/v1/brains/crm/records/rec_1',
    headers: { authorization: 'Bearer nsk_test', 'if-match': '"3"', 'idempotency-key': 'once' },
  })
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ kind: 'person', fields: { name: 'Ada' } })
})

test('a file is sent as it is, with its own type, and again after a failure unless it is a stream', async () => {
  const { client, requests } = await scriptedClient((request) =>
    request.headers['idempotency-key'] === 'once' && requests.length === 1
      ? 'break'
      : { status: 201, data: { artifact: { id: 'art_1' } } },
  )
  const options = { ifMatch: 2, idempotencyKey: 'once' }
  await client.artifacts.upload(new Blob(['%PDF'], { type: 'application/pdf' }), { path: 'a b/é.pdf' }, options)
  expect(requests).toHaveLength(2)
  expect(requests[1]).toMatchObject({
    ...{ method: 'POST', url: '/v1/artifacts?path=a+b%2F%C3%A9.pdf', body: '%PDF' },
    headers: { 'content-type': 'application/pdf', 'if-match': '"2"', 'idempotency-key': 'once' },
  })
  await client.artifacts.upload(new Uint8Array([104, 105]), { path: 'a' }, { contentType: 'text/plain' })
  expect(requests[2]).toMatchObject({ body: 'hi', headers: { 'content-type': 'text/plain', 'content-length': '2' } })
  await client.artifacts.upload(new Blob(['piped']).stream(), { path: 'a' })
  expect(requests[3]).toMatchObject({ body: 'piped', headers: { 'content-type': 'application/octet-stream' } })
})

test('a document is put by its id like a record, created without one, and put in the former form', async () => {
  const { client, requests } = await scriptedClient(() => ({ status: 201, data: { outcome: 'landed' } }))
  const { documents } = client.brain('crm')
  const options = { ifMatch: 3, idempotencyKey: 'once' }
  await documents.put('note', { text: 'It rains.' }, options)
  await documents.put({ id: 'note', text: 'It rains.' }, options)
  await documents.create({ text: 'It rains.' }, options)
  const headers = { 'if-match': '"3"', 'idempotency-key': 'once' }
  for (const request of requests)
    expect(request).toMatchObject({ method: 'POST', url: '/v1/brains/crm/documents', headers })
  const sent = { text: 'It rains.' }
  expect(requests.map(({ body }) => JSON.parse(body))).toEqual([{ ...sent, id: 'note' }, { ...sent, id: 'note' }, sent])
})

test('withResponse gives the data with the status, the headers and the request id', async () => {
  const { client } = await scriptedClient([{ status: 201, data: { brain: {} }, headers: { 'x-extra': 'yes' } }])
  const { data, response } = await client.brains.put('crm', { name: 'CRM' }).withResponse()
  expect(data).toEqual({ brain: {} })
  expect(response).toMatchObject({ status: 201, requestId: 'req_1' })
  expect(response.headers.get('x-extra')).toBe('yes')
})

test('a call is a promise, and a failure that withResponse reports is not also an unhandled rejection', async () => {
  const { client } = await scriptedClient([{ status: 404, error: { kind: 'not_found', message: 'No such Brain.' } }])
  const call = client.brains.get('crm')
  expect(call).toBeInstanceOf(Promise)
  await expect(call.withResponse()).rejects.toThrow('No such Brain.')
})

test('a query joins arrays by commas, writes Dates as ISO 8601 and leaves undefined out', async () => {
  const { client, requests } = await scriptedClient(() => anything)
  const brain = client.brain('crm')
  await brain.events.list({ types: ['record.accepted', 'record.deleted'], after: undefined, limit: 5 })
  await brain.statements.list({ validAt: new Date(0), retracted: true })
  await brain.search({ q: 'tides', metadata: { team: 'core', year: 2026 } })
  expect(requests.map(({ url }) => url)).toEqual([
    '/v1/brains/crm/events?types=record.accepted%2Crecord.deleted&limit=5',
    '/v1/brains/crm/statements?validAt=1970-01-01T00%3A00%3A00.000Z&retracted=true',
    '/v1/brains/crm/search?q=tides&metadata.team=core&metadata.year=2026',
  ])
})

test('path parameters are encoded, in any script and with slashes', async () => {
  const { client, requests } = await scriptedClient(() => anything)
  await client.brain('crm').documents.get('docs/ü 日本/a?b#c%.md')
  const [, , , , , last = ''] = (requests[0]?.url ?? '').split('/')
  expect(decodeURIComponent(last)).toBe('docs/ü 日本/a?b#c%.md')
})

test.each(['', '.', '..', '\ud800'])(
  'an id that no path can carry (%j) is refused before anything is sent',
  async (id) => {
    const { client, requests } = await scriptedClient([])
    await expect(client.brain('crm').records.get(id)).rejects.toThrow(NoemaError)
    expect(requests).toEqual([])
  },
)

test('an endpoint whose body may be left out gets none, and any other gets an empty object', async () => {
  const { client, requests } = await scriptedClient(() => anything)
  await client.brains.put('crm')
  await client.brains.patch('crm')
  expect(requests.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
    ['', undefined],
    ['{}', 'application/json'],
  ])
})

test('headers of the client are sent with every call, so a session works by its cookie', async () => {
  const { url, requests } = await startScriptedServer(() => anything)
  const headers = { cookie: 'session=1', 'x-organization-id': 'org_1' }
  await createClient({ baseUrl: `${url}/`, headers, apiKey: '' }).keys.list()
  expect(requests[0]?.headers).toMatchObject(headers)
  expect(requests[0]?.headers.authorization).toBeUndefined()
})

test('a header of the client replaces the default one in any spelling', async () => {
  const { url, requests } = await startScriptedServer(() => anything)
  await createClient({ baseUrl: url, apiKey: 'nsk_test', headers: { Authorization: 'Bearer other' } }).whoami()
  expect(requests[0]?.headers.authorization).toBe('Bearer other')
})

test('an answer that is not the envelope is an error that asks about the base URL', async () => {
  const { client } = await scriptedClient([{ status: 200, text: '<html>' }])
  await expect(client.whoami()).rejects.toThrow('is the base URL that of a Noema service?')
})

test('a base URL that is none is refused at once', () => {
  expect(() => createClient({ baseUrl: '127.0.0.1:4100/' })).toThrow('not a URL')
})

test.each([
  [{}, 'http://127.0.0.1:4100/v1/whoami'],
  [{ NOEMA_PORT: '4330' }, 'http://127.0.0.1:4330/v1/whoami'],
  [{ NOEMA_PORT: '4330', NOEMA_BASE_URL: 'https://noema.example' }, 'https://noema.example/v1/whoami'],
])('without an address, a client in the environment %o calls %s', async (env, address) => {
  for (const name of ['NOEMA_PORT', 'NOEMA_BASE_URL']) vi.stubEnv(name, undefined)
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const called: string[] = []
  const fetch: typeof globalThis.fetch = async (input) => {
    called.push(String(input))
    return Response.json({ data: {} })
  }
  await createClient({ fetch }).whoami()
  expect(called).toEqual([address])
})
