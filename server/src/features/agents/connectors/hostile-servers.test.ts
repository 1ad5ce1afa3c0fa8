import { maxConnectorTools } from '@noema/contracts/connectors.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { type McpServer, object, startMcpServer } from './mcp-server.fixture.ts'

// A connector's server is untrusted: it may send anything, anything at all, or nothing.

const app = useOwnApp({ NOEMA_LOG_LEVEL: 'trace' })
const member = useMember(app)
let server: McpServer
let made = 0
beforeEach(async () => {
  server = await startMcpServer()
})
afterEach(() => server.close())

const ask = async () => {
  const body = { name: `hostile-${++made}`, url: server.url, headers: { 'x-key': 'planted-secret' } }
  const { id } = (await app.request('POST', '/v1/connectors', { key: member.key, body })).body.data.connector
  return (await app.request('POST', `/v1/connectors/${id}/test`, { key: member.key })).body.data
}

// Every result has these in the newest revision of the protocol.
const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }

test('an offer of 10,000 tools is read no further than is kept', async () => {
  server.behaviour.tools = () =>
    Array.from({ length: 10_000 }, (_, n) => ({ name: `tool-${n}`, description: 'A tool.', inputSchema: object }))
  const { ok, tools, omitted } = await ask()
  expect(ok).toBe(true)
  expect(tools).toHaveLength(maxConnectorTools)
  expect(omitted).toBe(10_000 - maxConnectorTools)
})

test('pages without an end are not followed to it', async () => {
  let pages = 0
  server.behaviour.intercept = (_request, response, body) => {
    const { method, id } = body === '' ? {} : JSON.parse(body)
    if (method !== 'tools/list') return false
    const tools = [{ name: `tool-${++pages}`, inputSchema: object }]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { ...complete, tools, nextCursor: `page-${pages}` } }))
    return true
  }
  const { tools, error } = await ask()
  expect(error).toBe(null)
  expect(tools.length).toBe(pages)
  expect(pages).toBeLessThanOrEqual(16)
})

test('tools that cannot be shown to models are left out: huge, deep, nameless or twice of one name', async () => {
  let deep = {}
  for (let level = 0; level < 2_000; level++) deep = { anyOf: [deep] }
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`property-${n}`, { type: 'string' }]))
  const good = { name: 'good', description: 'a\u0000b\u001b[31m'.padEnd(5_000, 'x'), inputSchema: object }
  server.behaviour.tools = () => [
    { name: 'deep', inputSchema: { type: 'object', properties: { deep } } },
    { name: 'wide', inputSchema: { type: 'object', properties: wide } },
    { name: 'white space\n', inputSchema: object },
    { name: 'n'.repeat(500), inputSchema: object },
    good,
    { ...good, description: 'Another of the same name.' },
  ]
  const { tools, omitted } = await ask()
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['good'])
  expect(tools[0].description).toHaveLength(2_000)
  expect(tools[0].description).toMatch(/^a b \[31mx+$/)
  expect(omitted).toBe(5)
})

test('a redirect is not followed, wherever it leads', async () => {
  for (const location of ['https://169.254.169.254/latest/meta-data', 'http://127.0.0.1:1/', `${server.url}/other`]) {
    server.behaviour.intercept = (_request, response) => {
      response.writeHead(307, { location }).end()
      return true
    }
    expect(await ask()).toMatchObject({ ok: false, error: expect.stringContaining('redirect'), tools: null })
  }
  expect(server.requests.filter((one) => one.includes('/other'))).toEqual([])
})

test.each([
  ['a page of a browser', 'text/html', '<html>Welcome</html>'],
  ['no JSON', 'application/json', '{"jsonrpc": '],
  ['JSON of another sort', 'application/json', '[[[[1]]]]'],
  ['nesting without end', 'application/json', '['.repeat(500_000)],
  ['a secret that it was sent', 'text/plain', 'You said planted-secret'],
  ['nothing', 'application/json', ''],
])('a server that answers %s is named as the cause, in words that show nothing', async (_what, type, text) => {
  server.behaviour.intercept = (_request, response) => {
    response.writeHead(type === 'text/plain' ? 500 : 200, { 'content-type': type }).end(text)
    return true
  }
  const { ok, error } = await ask()
  expect(ok).toBe(false)
  expect(error.length).toBeLessThan(600)
  expect(error).not.toContain('planted-secret')
  expect(app.logLines.join('\n')).not.toContain('planted-secret')
})

test.each(['application/json', 'text/event-stream'])(
  'an answer without an end, as %s, is broken off, and the test says so at once',
  async (type) => {
    server.behaviour.intercept = (_request, response) => {
      response.writeHead(200, { 'content-type': type })
      const more = () => {
        while (!response.destroyed && response.write('a'.repeat(64 * 1024)));
      }
      response.on('drain', more)
      more()
      return true
    }
    expect(await ask()).toMatchObject({ ok: false, error: expect.stringContaining('longer than') })
  },
)

test.each([
  [
    'a schema 3,000 deep',
    () => `{"type":"object","properties":{"a":${'{"items":'.repeat(3_000)}{}${'}'.repeat(3_000)}}}`,
  ],
  ['a schema that is none', () => '"text"'],
])('a server that offers %s is named as the cause, in words about it', async (_what, schema) => {
  server.behaviour.intercept = (_request, response, body) => {
    const { method, id } = body === '' ? {} : JSON.parse(body)
    if (method !== 'tools/list') return false
    response.setHeader('content-type', 'application/json')
    response.end(
      `{"jsonrpc":"2.0","id":${id},"result":{${JSON.stringify(complete).slice(1, -1)},"tools":[{"name":"one","inputSchema":${schema()}}]}}`,
    )
    return true
  }
  const { ok, error } = await ask()
  if (!ok) expect(error).toMatch(/^The answer of the server is /)
})

test("a server that opens with none of the protocol's handshakes gets an error that says so", async () => {
  server.behaviour.intercept = (_request, response, body) => {
    const { id } = body === '' ? {} : JSON.parse(body)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 7, capabilities: 'all' } }))
    return true
  }
  expect(await ask()).toMatchObject({ ok: false, error: expect.stringMatching(/^The answer of the server is not/) })
})

test('requests of a server to its client are refused: it has no roots, no model and no user to ask', async () => {
  const asked: string[] = []
  server.behaviour.intercept = (_request, response, body) => {
    const { method, id } = body === '' ? {} : JSON.parse(body)
    if (method !== 'tools/list') {
      if (method === undefined && body !== '') asked.push(body)
      return false
    }
    const wish = {
      jsonrpc: '2.0',
      id: 'wish',
      method: 'sampling/createMessage',
      params: { messages: [], maxTokens: 1 },
    }
    const result = { ...complete, tools: [{ name: 'one', inputSchema: object }] }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const message of [wish, { jsonrpc: '2.0', id, result }]) response.write(`data: ${JSON.stringify(message)}\n\n`)
    response.end()
    return true
  }
  expect(await ask()).toMatchObject({ error: null, tools: [{ name: 'one' }] })
  expect(asked.filter((body) => !body.includes('"error"'))).toEqual([])
})
