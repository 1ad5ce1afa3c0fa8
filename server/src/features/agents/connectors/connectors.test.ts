import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMember } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { type McpServer, object, startMcpServer } from './mcp-server.fixture.ts'

const app = useOwnApp({ NOEMA_LOG_LEVEL: 'trace' })
const member = useMember(app)
let server: McpServer
beforeAll(async () => {
  server = await startMcpServer()
})
afterAll(() => server.close())

const token = 'Bearer planted-secret-of-a-connector'
let made = 0
const call = (method: string, path: string, body?: object) =>
  app.request(method, `/v1/connectors${path}`, { key: member.key, ...(body ? { body } : {}) })
const create = async (given: object = {}) => {
  const { status, body } = await call('POST', '', { name: `connector-${++made}`, url: server.url, ...given })
  expect(status).toBe(201)
  return body.data.connector
}

test('D-78b a connector is kept once, read with the tools that its server offered last, changed and deleted', async () => {
  const connector = await create({ name: 'tools', headers: { authorization: token } })
  expect(connector).toMatchObject({ name: 'tools', url: server.url, headers: ['authorization'], toolCount: null })
  expect(await call('GET', `/${connector.id}`)).toMatchObject({ body: { data: { connector: { tools: null } } } })
  const tested = await call('POST', `/${connector.id}/test`)
  const echo = { name: 'echo', description: 'Says it again.', inputSchema: object, isRepeatable: false }
  expect(tested.body.data).toMatchObject({ ok: true, error: null, omitted: 0, tools: [echo] })
  expect((await call('GET', `/${connector.id}`)).body.data.connector).toMatchObject({ toolCount: 1, tools: [echo] })
  expect((await call('GET', '')).body.data.connectors).toContainEqual(
    expect.objectContaining({ id: connector.id, toolCount: 1, toolsAt: expect.any(String) }),
  )
  const renamed = await call('PATCH', `/${connector.id}`, { name: 'others' })
  expect(renamed.body.data.connector).toMatchObject({ name: 'others', toolCount: 1, headers: ['authorization'] })
  const bare = await call('PATCH', `/${connector.id}`, { headers: null })
  expect(bare.body.data.connector).toMatchObject({ toolCount: null, headers: [] })
  expect(await call('DELETE', `/${connector.id}`)).toMatchObject({ status: 200, body: { data: { deleted: true } } })
  for (const [method, path, body] of [
    ['GET', `/${connector.id}`],
    ['DELETE', `/${connector.id}`],
    ['POST', `/${connector.id}/test`],
    ['PATCH', `/${connector.id}`, { name: 'third' }],
  ] as const)
    expect((await call(method, path, body)).status).toBe(404)
})

test('a connector of another organization is not there', async () => {
  const { id } = await create()
  const { key } = await createMember(app)
  expect((await app.request('GET', `/v1/connectors/${id}`, { key })).status).toBe(404)
  expect((await app.request('POST', `/v1/connectors/${id}/test`, { key })).status).toBe(404)
  expect((await app.request('GET', '/v1/connectors', { key })).body.data.connectors).toEqual([])
})

test.each([
  ['a name that no tool can begin with', { name: 'Über' }, 'name'],
  ['an address of this network', { url: 'http://10.0.0.1/mcp' }, 'url'],
  ['the address of metadata', { url: 'https://169.254.169.254/latest' }, 'url'],
  ['an address without encryption', { url: 'http://example.com/mcp' }, 'url'],
  ['a header that the service sets', { headers: { host: 'a' } }, 'headers'],
  ['a header that begins another', { headers: { 'x-a': 'b\r\nhost: c' } }, 'headers'],
  [
    'too many headers',
    { headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, 'a'])) },
    'headers',
  ],
  ['too long headers', { headers: { 'x-a': 'a'.repeat(9_000) } }, 'headers'],
])('a connector with %s is 400', async (_what, given, place) => {
  const refused = await call('POST', '', { name: 'wrong', url: server.url, ...given })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.body.error)).toContain(place)
})

test('an organization has no two connectors of one name, and at most 50', async () => {
  const { key } = await createMember(app)
  const add = (name: string) => app.request('POST', '/v1/connectors', { key, body: { name, url: server.url } })
  const statuses = await Promise.all(Array.from({ length: 52 }, async (_, n) => (await add(`c-${n}`)).status))
  expect(statuses.filter((status) => status === 201)).toHaveLength(50)
  expect(await add('c-new')).toMatchObject({ status: 409, body: { error: { code: 'too_many_connectors' } } })
  await create({ name: 'only' })
  expect(await call('POST', '', { name: 'only', url: server.url })).toMatchObject({
    status: 409,
    body: { error: { code: 'name_taken' } },
  })
})

test('headers go only to the server that they were given for, and appear in no answer', async () => {
  const { id } = await create({ headers: { authorization: token, 'x-tenant': 'acme-secret' } })
  const elsewhere = { url: 'http://127.0.0.1:9/mcp' }
  expect(await call('PATCH', `/${id}`, elsewhere)).toMatchObject({ status: 400 })
  // Some hosts have a server for each path, of different owners.
  expect(await call('PATCH', `/${id}`, { url: `${server.url}/neighbor` })).toMatchObject({ status: 400 })
  expect((await call('PATCH', `/${id}`, { url: `${server.url}?version=2` })).status).toBe(200)
  expect((await call('PATCH', `/${id}`, { ...elsewhere, headers: null })).status).toBe(200)
  const other = await create({ headers: { authorization: token } })
  server.behaviour.tools = () => [{ name: 'leak', description: `You sent ${token}`, inputSchema: object }]
  const tested = await call('POST', `/${other.id}/test`)
  server.behaviour.tools = () => [{ name: 'echo', inputSchema: object }]
  expect(tested.body.data.tools[0].description).toBe('You sent ***')
  const answers = [tested, await call('GET', ''), await call('GET', `/${other.id}`)]
  expect(JSON.stringify(answers)).not.toContain('planted-secret')
  expect(app.logLines.join('\n')).not.toContain('planted-secret')
  const { rows } = await app.database.pool.query('select row_to_json(connectors)::text as row from connectors')
  expect(JSON.stringify(rows)).not.toContain('planted-secret')
})

test('an agent may use tools of an existing connector, and a missing one is refused with a list of the others', async () => {
  const { id } = await create()
  const agent = (...ids: string[]) => {
    const tools = ids.map((connector) => ({ connector, allow: ['echo'] }))
    const body = { name: 'a', instructions: 'Answer.', model: 'noema/extractive', tools }
    return app.request('POST', '/v1/agents', { key: member.key, body })
  }
  expect((await agent(id)).status).toBe(201)
  expect(await agent('con_none')).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining(id) } },
  })
  const many = Array.from({ length: 17 }, (_, n) => `con_${n}`)
  expect(await agent(...many)).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('at most 16 connectors') } },
  })
})
