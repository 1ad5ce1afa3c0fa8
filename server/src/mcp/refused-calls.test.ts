import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrain, startTestApp, type TestApp } from '../test/app.ts'
import { connectClient } from './mcp-client.fixture.ts'

let app: TestApp
let tools: Awaited<ReturnType<typeof connectClient>>
beforeAll(async () => {
  app = await startTestApp()
  tools = await connectClient(app, { key: (await createBrain(app)).key })
})
afterAll(async () => {
  await tools.close()
  await app.close()
})

const missing = { id: 'rec_missing' }
const operation = { op: 'record.create', kind: 'person' }
test.each([
  ['a search for nothing', 'knowledge_search', { q: ' ' }, 'validation', 'arguments.q'],
  ['a mode that there is not', 'knowledge_search', { q: 'a', mode: 'magic' }, 'validation', 'arguments.mode'],
  ['neither query nor messages', 'knowledge_context', {}, 'validation', 'Send either query or messages'],
  [
    'a predicate without an index',
    'knowledge_query',
    { kind: 'person', where: { age: 3 } },
    'validation',
    'index_not_ready',
  ],
  [
    'an argument that the tool does not have',
    'knowledge_read',
    { ...missing, handle: 'other' },
    'validation',
    'it takes id, asOf',
  ],
  ['an argument of another action', 'knowledge_read', { ...missing, kind: 'person' }, 'validation', 'takes no "kind"'],
  ['a missing id', 'knowledge_read', {}, 'validation', 'arguments.id'],
  ['an id that is no text', 'knowledge_read', { id: 7 }, 'validation', 'arguments.id'],
  ['an unknown action', 'knowledge_read', { action: 'eat' }, 'validation', 'get_record'],
  [
    'an action by the name of a property of all objects',
    'knowledge_read',
    { action: 'constructor' },
    'validation',
    'get_record',
  ],
  [
    'a body that is wrong inside',
    'knowledge_write',
    { operations: [{ op: 'record.create' }] },
    'validation',
    'arguments.operations.0.kind',
  ],
  ['no operations', 'knowledge_write', { operations: [] }, 'validation', '1 to 1,000'],
  [
    'a bad idempotency key',
    'knowledge_write',
    { operations: [operation], idempotencyKey: 'a b' },
    'validation',
    'arguments.idempotencyKey',
  ],
  ['a record that is not there', 'knowledge_read', missing, 'not_found', 'rec_missing'],
  [
    'a target that is not there',
    'knowledge_write',
    { operations: [{ op: 'record.patch', ...missing }] },
    'not_found',
    'operations.0',
  ],
  [
    'a version that is not current',
    'knowledge_write',
    { operations: [{ op: 'record.put', id: 'x', kind: 'person', ifMatch: 3 }] },
    'conflict',
    'stale_version',
  ],
])('D-55 %s is an error of the tool with its kind and advice', async (_case, name, given, kind, says) => {
  const refused = await tools.call(name, given)
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { kind } } })
  const [text] = refused.content
  expect(text?.type === 'text' && text.text.startsWith(kind)).toBe(true)
  const lines = text?.type === 'text' ? text.text.replace(/^.*?: /, '').split('\n- ') : []
  expect(lines).toEqual([...new Set(lines)])
  expect(JSON.stringify(refused)).toContain(says.replaceAll('"', '\\"'))
})
