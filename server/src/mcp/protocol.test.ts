import { errorBody } from '@noema/contracts/errors.ts'
import { beforeAll, expect, test } from 'vitest'
import { createMember, publicUrl } from '../test/app.ts'
import { useApp, useBrain } from '../test/harness.ts'
import { rawRequest } from '../test/raw-request.ts'
import { readState } from '../test/sample-calls.ts'
import { connectClient } from './mcp-client.fixture.ts'

const app = useApp()
const brain = useBrain(app)
let path: string
beforeAll(async () => {
  path = `${brain.path}/mcp`
})

const accept = 'application/json, text/event-stream'
const uuid = /^[0-9a-f-]{36}$/

const post = (message: unknown, headers: Record<string, string> = {}) =>
  app.request('POST', path, { key: brain.key, headers: { accept, ...headers }, body: message })
const call = (name: unknown, given: unknown = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
})
/** The message of an answer, which the 2025 revisions send as one Server-Sent Event. */
const readMessage = async (response: Response) => {
  const text = await response.text()
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
}
const postText = (body: string) =>
  fetch(app.base + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${brain.key}`, 'content-type': 'application/json', accept },
    body,
  })

test('D-55 a missing or wrong credential and a foreign Brain are refused by HTTP before anything is read', async () => {
  const stranger = await createMember(app)
  for (const [headers, status] of [
    [{}, 401],
    [{ authorization: 'Bearer nbk_wrong' }, 401],
    [{ authorization: `Bearer ${stranger.key}` }, 404],
  ] as const) {
    const answer = await app.request('POST', path, { headers, body: 'not even JSON' })
    expect(answer.status).toBe(status)
    expect(errorBody.safeParse(answer.body).success).toBe(true)
    expect(answer.headers.get('x-request-id')).toMatch(uuid)
  }
})

test('D-13b D-55 a session of a member reaches the MCP endpoint of a Brain, and another one does not', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const ask = async (session: Record<string, string>) =>
    (await app.request('POST', path, { headers: { ...session, accept }, body })).status
  const stranger = await createMember(app)
  expect(await ask(brain.session)).toBe(200)
  expect(await ask(stranger.session)).toBe(404)
})

test('D-55 a page of a foreign origin reaches no tool, with any key; trusted ones and programs do', async () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  for (const origin of ['http://evil.example', 'null', `${publicUrl}.evil.example`]) {
    const refused = await post(list, { origin })
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'MISSING_OR_NULL_ORIGIN' } } })
  }
  expect((await post(list, { origin: publicUrl })).status).toBe(200)
  expect((await post(list)).status).toBe(200)
})

test('D-55 the official client reports a wrong key and a Brain that is not there', async () => {
  await expect(connectClient(app, { key: 'nbk_wrong' })).rejects.toThrow()
  await expect(connectClient(app, { key: brain.key, handle: 'nothing', revision: '2025' })).rejects.toThrow()
})

test('D-55 a key that is revoked stops at its next message', async () => {
  const { body } = await brain.call('POST', '/keys', { name: 'short', capabilities: ['read'] })
  const { get, call: callTool } = await connectClient(app, { key: body.data.secret })
  await get('knowledge_events')
  await brain.call('DELETE', `/keys/${body.data.key.id}`)
  await expect(callTool('knowledge_events')).rejects.toThrow()
})

test('D-55 no message needs another to have come before it, so any node answers any of them', async () => {
  const node = await app.startNode()
  const { get, close } = await connectClient(app, { key: brain.key, revision: '2025' })
  const written = await get('knowledge_write', { operations: [{ op: 'record.create', kind: 'person' }] })
  const id = written.results[0].id
  const answer = await node.request('POST', path, {
    key: brain.key,
    headers: { accept },
    body: call('knowledge_read', { id }),
  })
  expect(answer.status).toBe(200)
  await close()
  await node.close()
})

test('D-55 every answer carries x-request-id, and the one that was sent along', async () => {
  const answer = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'x-request-id': 'trace-1' })
  expect(answer.headers.get('x-request-id')).toBe('trace-1')
  expect((await app.request('GET', path, { key: brain.key })).headers.get('x-request-id')).toMatch(uuid)
})

test('D-55 there is no stream to open and no session to end: GET and DELETE are 405, as the protocol has it', async () => {
  for (const method of ['GET', 'DELETE']) {
    const answer = await app.request(method, path, { key: brain.key, headers: { accept } })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
  }
  expect((await app.request('PUT', path, { key: brain.key, body: {} })).status).toBe(404)
})

test('D-55 a notification is taken without an answer', async () => {
  const answer = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  expect([answer.status, answer.body]).toEqual([202, undefined])
})

const deep = `${'['.repeat(100)}${']'.repeat(100)}`
test.each([
  ['no body', '', -32700],
  ['what is not JSON', '{"jsonrpc":', -32700],
  ['nesting without end', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`, -32700],
  [
    'a name that would reach a prototype',
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{}}}',
    -32700,
  ],
  ['half a character', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":"\\ud800"}}', -32700],
  ['a batch', JSON.stringify([call('knowledge_events'), call('knowledge_events')]), -32600],
  ['an empty batch', '[]', -32600],
  ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"resources/eat"}', -32601],
  ['a method of servers with prompts', '{"jsonrpc":"2.0","id":1,"method":"prompts/list"}', -32601],
  ['an unknown tool', JSON.stringify(call('knowledge_eat')), -32602],
  ['a tool by the name of a property of all objects', JSON.stringify(call('constructor')), -32602],
  ['a tool whose name is no text', JSON.stringify(call(7)), -32602],
  ['arguments that are no object', JSON.stringify(call('knowledge_events', [1])), -32602],
])('D-55 %s is refused by a JSON-RPC error and does nothing', async (_case, body, code) => {
  const before = await readState(app, brain)
  const response = await postText(body)
  expect(response.status).toBeLessThan(500)
  expect(response.headers.get('x-request-id')).toMatch(uuid)
  expect(await readMessage(response)).toMatchObject({ jsonrpc: '2.0', error: { code, message: expect.any(String) } })
  expect(await readState(app, brain)).toEqual(before)
})

test.each([
  ['a value that is no message', '7'],
  ['null', 'null'],
  ['another protocol', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}'],
  ['an answer to nothing', '{"jsonrpc":"2.0","id":1,"result":{}}'],
])('D-55 %s is taken or refused, never a failure of the server', async (_case, body) => {
  const response = await postText(body)
  expect([202, 400]).toContain(response.status)
})

test('D-55 no one can hold a connection open by listening for changes that never happen', async () => {
  const { client, close } = await connectClient(app, { key: brain.key })
  await expect(client.listen({ toolsListChanged: true })).rejects.toThrow()
  await close()
})

test('D-55 a body that is too large, or no JSON by its type, is refused as everywhere', async () => {
  const large = await postText(' '.repeat(16 * 1024 * 1024 + 1))
  expect([large.status, await large.json()]).toMatchObject([400, { error: { code: 'body_too_large' } }])
  const typed = await rawRequest(app.base, {
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${brain.key}`, 'content-type': 'text/plain' },
    body: Buffer.from('{}'),
  })
  expect([typed.status, JSON.parse(typed.text)]).toMatchObject([400, { error: { kind: 'validation' } }])
})
