import { expect, test } from 'vitest'
import { useApp, useBrain } from '../test/harness.ts'
import { connectClient } from './mcp-client.fixture.ts'

const app = useApp()
const brain = useBrain(app)
const call = async (tool: string, given: object) => {
  const { call: callTool, close } = await connectClient(app, { key: brain.key })
  const { isError, content } = await callTool(tool, given)
  await close()
  const [text] = content
  return [isError ?? false, text?.type === 'text' ? text.text : '']
}

test.each([
  [
    'feilds',
    { op: 'record.create', kind: 'person', feilds: {} },
    'it takes kind, slug, fields, links, expiresAt, provenance',
  ],
  [
    'valid_to',
    { op: 'statement.assert', subject: { id: 'a', kind: 'b' }, predicate: 'p', object: { value: 1 }, valid_to: 1 },
    'validTo',
  ],
  ['urii', { op: 'document.put', text: 'x', source: { name: 'a', urii: 'b' } }, 'it takes name, uri, externalId'],
  [
    'extra',
    { op: 'statement.assert', subject: { id: 'a', kind: 'b' }, predicate: 'p', object: { value: 1, extra: 1 } },
    'it takes value',
  ],
])(
  'D-04b a tool refuses a misspelt name inside an operation with the accepted ones: %s',
  async (name, operation, accepted) => {
    const [isError, text] = await call('knowledge_write', { operations: [operation] })
    expect(isError).toBe(true)
    expect(text).toContain(`This takes no "${name}"`)
    expect(text).toContain(accepted)
    expect((await brain.call('GET', '')).body.data.brain.stateVersion).toBe(0)
  },
)

test('D-04b the schemas of tools say at every depth that they take nothing else', async () => {
  const { client, close } = await connectClient(app, { key: brain.key })
  const { tools } = await client.listTools()
  await close()
  const open: string[] = []
  const walk = (node: unknown, place: string): void => {
    if (node === null || typeof node !== 'object') return
    if (
      'properties' in node &&
      'type' in node &&
      (node as { additionalProperties?: unknown }).additionalProperties !== false
    )
      open.push(place)
    for (const [name, inside] of Object.entries(node)) walk(inside, `${place}.${name}`)
  }
  for (const tool of tools) walk(tool.inputSchema, tool.name)
  expect(open).toEqual([])
})

test('arguments of another action are refused with the name of that action', async () => {
  for (const given of [{ id: 'chg_1' }, { action: 'list', id: 'chg_1' }])
    expect((await call('knowledge_changes', given))[1]).toContain('the action "get"')
  const [, text] = await call('knowledge_read', { id: 'a', kind: 'person', slug: 'x' })
  expect(text).not.toContain('What you sent is taken by')
})

test('the question is called query by every tool, and its own name is taken as well', async () => {
  const { client, get, close } = await connectClient(app, { key: brain.key })
  const { tools } = await client.listTools()
  const search = tools.find(({ name }) => name === 'knowledge_search')
  expect([Object.keys(search?.inputSchema.properties ?? {}), search?.inputSchema.required]).toEqual([
    expect.arrayContaining(['query', 'limit']),
    ['query'],
  ])
  expect(search?.inputSchema.properties).not.toHaveProperty('q')
  expect((await get('knowledge_search', { query: 'ada' })).results).toEqual([])
  expect((await get('knowledge_search', { q: 'ada' })).results).toEqual([])
  await close()
  expect((await call('knowledge_search', {}))[1]).toContain('arguments.query')
})
