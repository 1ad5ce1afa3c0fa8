import { afterAll, beforeAll, expect, test } from 'vitest'
import { type McpServer, object, startMcpServer } from '../../features/agents/connectors/mcp-server.fixture.ts'
import { addBrain, type TestBrain } from '../../test/app.ts'
import { useMember, useOwnApp } from '../../test/harness.ts'
import { maxOutputBytes } from './bound-output.ts'
import { listRunTools } from './list-run-tools.ts'
import { ToolGone } from './run-tool.ts'
import { addRun, callRunTool } from './run-tools.fixture.ts'

const app = useOwnApp({ NOEMA_CONNECTOR_SECONDS: '2', NOEMA_LOG_LEVEL: 'trace' })
const member = useMember(app)
let brain: TestBrain
let server: McpServer
beforeAll(async () => {
  server = await startMcpServer()
  brain = await addBrain(app, member, 'brain')
})
afterAll(() => server.close())

let made = 0
const addConnector = async (given: object = {}): Promise<{ id: string; name: string }> => {
  const body = { name: `c${++made}`, url: server.url, ...given }
  return (await app.request('POST', '/v1/connectors', { key: member.key, body })).body.data.connector
}
type Tools = Parameters<typeof addRun>[2]
const addRunWith = (tools: NonNullable<NonNullable<Tools>['tools']>) =>
  addRun(app, [{ brain, access: 'read_only' }], { tools })
const offer = (...names: string[]) => {
  server.behaviour.tools = () => names.map((name) => ({ name, description: 'Does it.', inputSchema: object }))
}

test('a run has the tools of its connectors, as far as its agent allows, under names that are distinct for every model', async () => {
  const annotated = [
    { name: 'read', inputSchema: object, annotations: { readOnlyHint: true } },
    { name: 'put', inputSchema: object, annotations: { idempotentHint: true } },
    { name: 'send', inputSchema: object },
  ]
  const odd = ['search.all', 'search_all', 'ä', '../../etc', 'n'.repeat(128)].map((name) => ({
    name,
    inputSchema: object,
  }))
  server.behaviour.tools = () => [...annotated, ...odd]
  const all = await addConnector({ name: 'all' })
  const some = await addConnector({ name: 'some' })
  const run = await addRunWith([{ connector: all.id }, { connector: some.id, allow: ['send', 'none'] }])
  const tools = (await listRunTools(app.app.deps, run)).filter(({ source }) => source.kind === 'connector')
  const names = tools.map(({ name }) => name)
  expect(names.slice(0, 3)).toEqual(['all__read', 'all__put', 'all__send'])
  expect(tools.slice(0, 3).map(({ isRepeatable }) => isRepeatable)).toEqual([true, true, false])
  expect(names.at(-1)).toBe('some__send')
  expect(names).toHaveLength(8)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name))).toEqual([])
  expect(tools[0]?.source).toEqual({ kind: 'connector', id: all.id, toolName: 'read', versionId: '1' })
  const again = (await listRunTools(app.app.deps, run)).map(({ name }) => name)
  expect(again).toEqual(expect.arrayContaining(names))
})

test('a connector that is called like a Brain hides none of its tools', async () => {
  const other = await addBrain(app, member, 'other')
  offer('knowledge_search')
  const { id } = await addConnector({ name: 'other' })
  const grants = [brain, other].map((one) => ({ brain: one, access: 'read_only' as const }))
  const run = await addRun(app, grants as unknown as Parameters<typeof addRun>[1], { tools: [{ connector: id }] })
  const tools = await listRunTools(app.app.deps, run)
  expect(tools.find(({ name }) => name === 'other__knowledge_search')?.source.kind).toBe('builtin')
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
})

test('a call carries the arguments and its operation, and the answer is text, data or named parts', async () => {
  offer('echo')
  const { id, name } = await addConnector()
  const run = await addRunWith([{ connector: id }])
  const call = (input: unknown) => callRunTool(app, run, `${name}__echo`, input, { operationId: 'opr_one' })
  expect(await call({ a: 1 })).toEqual({ output: '{"a":1}', isError: false })
  expect(server.calls.at(-1)).toMatchObject({ name: 'echo', input: { a: 1 }, meta: { 'noema/operation': 'opr_one' } })
  server.behaviour.call = () => ({ content: [{ type: 'text', text: '{"b":2}' }], structuredContent: { b: 2 } })
  expect(await call({})).toEqual({ output: { b: 2 }, isError: false })
  const lines = ['one', 'two'].map((text) => ({ type: 'text' as const, text }))
  server.behaviour.call = () => ({ content: lines })
  expect(await call({})).toEqual({ output: 'one\ntwo', isError: false })
  const image = { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' }
  server.behaviour.call = () => ({ content: [{ type: 'text', text: 'Look.' }, image] })
  const note = 'This is no text and was left out.'
  expect(await call({})).toEqual({ output: ['Look.', { type: 'image', note }], isError: false })
  server.behaviour.call = () => ({ isError: true, content: [{ type: 'text', text: 'No such city.' }] })
  expect(await call({})).toEqual({ output: 'No such city.', isError: true })
  expect(await call('x')).toMatchObject({ isError: true })
})

test('an answer is cut at 256 KiB, and has no header of the connector in it', async () => {
  offer('echo')
  const { id, name } = await addConnector({
    headers: { authorization: 'Bearer planted-secret', 'x-key': 'other-secret' },
  })
  const run = await addRunWith([{ connector: id }])
  const call = () => callRunTool(app, run, `${name}__echo`, {})
  server.behaviour.call = ({ headers }) => ({ content: [], structuredContent: { headers, 'planted-secret': 'here' } })
  const echoed = await call()
  expect(echoed).toMatchObject({ output: { headers: { authorization: '***', 'x-key': '***' }, '***': 'here' } })
  server.behaviour.call = ({ headers }) => {
    throw new Error(`I broke over ${headers.authorization} and ${headers['x-key']}`)
  }
  expect(await call()).toMatchObject({ isError: true, output: expect.stringContaining('***') })
  server.behaviour.call = () => ({ content: [{ type: 'text', text: 'a'.repeat(1_000_000) }] })
  const { output } = await call()
  expect(output.length).toBeLessThanOrEqual(maxOutputBytes)
  expect(output).toContain('cut here')
  expect(JSON.stringify([echoed, app.logLines])).not.toMatch(/planted-secret|other-secret/)
})

test('a server that does not answer is given up after a while, and what it did is said to be unknown', async () => {
  offer('echo')
  const { id, name } = await addConnector()
  const run = await addRunWith([{ connector: id }])
  await listRunTools(app.app.deps, run)
  server.behaviour.call = () => new Promise(() => {})
  expect(await callRunTool(app, run, `${name}__echo`, {})).toEqual({
    isError: true,
    output: 'The server did not answer within 2 seconds. It is not known whether the call took effect.',
  })
})

test('a call ends as soon as its run does', async () => {
  offer('echo')
  const { id, name } = await addConnector()
  const run = await addRunWith([{ connector: id }])
  await listRunTools(app.app.deps, run)
  const ends = new AbortController()
  server.behaviour.call = () => {
    ends.abort(new Error('The run has ended.'))
    return new Promise(() => {})
  }
  const call = callRunTool(app, run, `${name}__echo`, {}, { signal: ends.signal })
  await expect(call).rejects.toThrow('The run has ended.')
  await expect(callRunTool(app, run, `${name}__echo`, {}, { signal: ends.signal })).rejects.toThrow(
    'The run has ended.',
  )
})

test('a missing connector or agent is reported as such, and a server that is away only has no tools yet', async () => {
  offer('echo')
  const away = await addConnector({ url: 'http://127.0.0.1:9/mcp' })
  const run = await addRunWith([{ connector: away.id }])
  expect((await listRunTools(app.app.deps, run)).filter(({ source }) => source.kind === 'connector')).toEqual([])
  await app.request('DELETE', `/v1/connectors/${away.id}`, { key: member.key })
  await expect(listRunTools(app.app.deps, run)).rejects.toThrow(ToolGone)
  const body = { name: 'Fact Checker (2)', instructions: 'Check.', model: 'noema/extractive' }
  const { agent } = (await app.request('POST', '/v1/agents', { key: member.key, body })).body.data
  const asking = await addRunWith([{ agent: agent.id }])
  const [tool] = (await listRunTools(app.app.deps, asking)).filter(({ kind }) => kind === 'agent')
  expect(tool).toMatchObject({
    name: 'ask_fact_checker_2',
    agentId: agent.id,
    source: { kind: 'builtin', id: agent.id },
  })
  await app.request('DELETE', `/v1/agents/${agent.id}`, { key: member.key })
  await expect(listRunTools(app.app.deps, asking)).rejects.toThrow(ToolGone)
})
