import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { expect, test } from 'vitest'
import { useApp, useBrain } from '../../test/harness.ts'
import { readState } from '../../test/sample-calls.ts'

const app = useApp()
const brain = useBrain(app)

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])
const post = (below: string, body: unknown) => brain.call('POST', below, body)

test('D-08 JSON nests 64 levels deep and no deeper', async () => {
  // The body and its fields are the first two levels.
  expect((await post('/records', { kind: 'deep', fields: { value: nested(62) } })).status).toBe(201)
  const refused = await post('/records', { kind: 'deep', fields: { value: nested(63) } })
  expect(refused).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  expect(refused.body.error.message).toContain('64')
})

const bodyWithBytes = (bytes: number, { before, after, fill }: { before: string; after: string; fill: string }) =>
  before + fill.repeat(bytes - before.length - after.length) + after
const document = { before: '{"id":"large","text":"', after: '"}', fill: 'x' }
// A record has a limit of its own, which blanks of the body do not count toward.
const record = { before: '{"kind":"large","fields":{"text":"x"', after: '}}', fill: ' ' }

test.each([
  ['/records', 1024 * 1024, record],
  ['/documents', 16 * 1024 * 1024, document],
])('D-08 a body on %s holds %i bytes, and a byte more is 400 body_too_large', async (below, limit, shape) => {
  expect((await post(below, bodyWithBytes(limit, shape))).status).toBe(201)
  const before = await readState(app, brain)
  const refused = await post(below, bodyWithBytes(limit + 1, shape))
  expect(refused).toMatchObject({ status: 400, body: { error: { kind: 'validation', code: 'body_too_large' } } })
  expect(await readState(app, brain)).toEqual(before)
})

test('D-08 a body may have 200,000 names and no more; text that holds colons has none', async () => {
  const operation = (count: number) => ({
    op: 'record.create',
    kind: 'a',
    fields: { list: Array(count).fill({ a: 1 }) },
  })
  const items = (count: number) => JSON.stringify({ operations: [operation(count / 2), operation(count / 2)] })
  expect((await post('/batch', items(199_980))).status).toBe(200)
  const refused = await post('/batch', items(200_000))
  expect(refused).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  expect(refused.body.error.message).toContain('200000')
  expect((await post('/documents', { id: 'colons', text: ':'.repeat(300_000) })).status).toBe(201)
})

test('D-08 the limit holds for a body without a length', async () => {
  async function* chunks() {
    for (let sent = 0; sent < 20; sent++) yield Buffer.alloc(64 * 1024, ' ')
  }
  const answer = await fetch(`${app.base}${brain.path}/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${brain.key}`, 'content-type': 'application/json' },
    body: ReadableStream.from(chunks()),
    duplex: 'half',
  })
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({
    status: 400,
    body: { error: { code: 'body_too_large' } },
  })
})

test.each([
  ['opened alone', '['.repeat(16 * 1024 * 1024)],
  ['opened and closed', '['.repeat(8 * 1024 * 1024) + ']'.repeat(8 * 1024 * 1024)],
  ['as objects', '{"a":'.repeat(3 * 1024 * 1024)],
  ['of a million names', `{${Array.from({ length: 1_000_000 }, (_, index) => `"a${index}":1`).join(',')}}`],
])('D-08 many MiB of brackets or names (%s) are refused at once', async (_case, body) => {
  const begun = process.cpuUsage()
  const refused = await post('/batch', body)
  expect(refused).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  const { user, system } = process.cpuUsage(begun)
  expect((user + system) / 1000).toBeLessThan(2_000)
})

test('D-08 a large body of a caller without a key is refused for the key', async () => {
  const refused = await app.request('POST', `${brain.path}/documents`, { body: bodyWithBytes(1024 * 1024, document) })
  expect(refused.status).toBe(401)
})

test.each([
  ['application/json', 200],
  ['application/json; charset=utf-8', 200],
  ['application/merge-patch+json', 200],
  ['text/plain', 400],
  ['application/x-www-form-urlencoded', 400],
  ['multipart/form-data; boundary=x', 400],
  ['application/jsonp', 400],
  ['nonsense', 400],
])('a body sent as %s answers %i', async (type, status) => {
  const answer = await app.request('PATCH', brain.path, { key: brain.key, headers: { 'content-type': type }, body: {} })
  expect(answer.status).toBe(status)
})

test.each([
  ['a byte order mark before JSON', Buffer.from('\ufeff{"kind":"bom"}'), [201, 400]],
  ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), [400]],
  ['UTF-16', Buffer.from('{"kind":"wide"}', 'utf16le'), [400]],
  ['nothing', Buffer.alloc(0), [400]],
  ['blanks', Buffer.from(' \n '), [400]],
  ['two values', Buffer.from('{"kind":"a"}{"kind":"b"}'), [400]],
  ['a comment', Buffer.from('/* a */{"kind":"a"}'), [400]],
  ['NaN', Buffer.from('{"kind":"a","fields":{"n":NaN}}'), [400]],
  ['a number too large to keep', Buffer.from('{"kind":"a","fields":{"n":1e999}}'), [400]],
  ['a whole number of 20 digits', Buffer.from('{"kind":"a","fields":{"n":12345678901234567890}}'), [400]],
  ['NUL in a value', Buffer.from('{"kind":"a","fields":{"n":"\\u0000"}}'), [400]],
  ['NUL in a name', Buffer.from('{"kind":"a","fields":{"\\u0000":1}}'), [400]],
  ['half a surrogate pair', Buffer.from('{"kind":"a","fields":{"n":"\\ud83d"}}'), [400]],
  ['half a surrogate pair in a name', Buffer.from('{"kind":"a","fields":{"\\ud83d":1}}'), [400]],
  ['a field named __proto__', Buffer.from('{"kind":"a","fields":{"__proto__":{"admin":true}}}'), [400]],
])('a body with %s is refused or kept exactly, never a 500', async (_case, body, statuses) => {
  const answer = await fetch(`${app.base}${brain.path}/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${brain.key}`, 'content-type': 'application/json' },
    body,
  })
  expect(statuses).toContain(answer.status)
})

test('the rest of a refused body is read slowly, and its connection answers the next request', async () => {
  const { hostname, port } = new URL(app.base)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async (path: string, bytes: number) => {
    const sent = request({
      agent,
      hostname,
      port,
      path,
      method: bytes > 0 ? 'POST' : 'GET',
      headers: { 'content-length': bytes },
    })
    const finished = once(sent, 'finish')
    sent.end(Buffer.alloc(bytes))
    const [response] = await once(sent, 'response')
    const answeredAt = performance.now()
    await response.resume().toArray()
    await finished
    return { status: response.statusCode, socket: sent.socket, milliseconds: performance.now() - answeredAt }
  }
  const refused = await ask(`${brain.path}/documents`, 16 * 1024 * 1024)
  const next = await ask('/livez', 0)
  agent.destroy()
  expect([refused.status, next.status]).toEqual([401, 200])
  expect(next.socket).toBe(refused.socket)
  // The pieces are of 64 KiB at most, and the system's buffers take some of them.
  expect(refused.milliseconds).toBeGreaterThan(300)
})
