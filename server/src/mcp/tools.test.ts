import { eventTypes } from '@noema/contracts/event-types.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrain, startTestApp, type TestApp, type TestBrain } from '../test/app.ts'
import { connectClient, type Revision } from './mcp-client.fixture.ts'

let app: TestApp
let brain: TestBrain
let tools: Awaited<ReturnType<typeof connectClient>>
beforeAll(async () => {
  app = await startTestApp()
  brain = await createBrain(app)
  tools = await connectClient(app, { key: brain.key })
})
afterAll(async () => {
  await tools.close()
  await app.close()
})

const capabilities = ['read', 'write', 'review', 'admin']
const capabilitySets = Array.from({ length: 15 }, (_, bits) =>
  capabilities.filter((_name, at) => (bits + 1) & (1 << at)),
)
const openedBy: Record<string, string[]> = {
  knowledge_search: ['read'],
  knowledge_context: ['read'],
  knowledge_query: ['read'],
  knowledge_read: ['read'],
  knowledge_events: ['read'],
  ...{ knowledge_write: ['write'], knowledge_merge: ['read+write'] },
  knowledge_schema: ['read', 'admin'],
  knowledge_changes: ['review'],
  knowledge_decide: ['review'],
}

test.each<Revision>(['newest', '2025'])(
  'D-55 a client of the %s revision connects, lists and calls',
  async (revision) => {
    const { client, get, close } = await connectClient(app, { key: brain.key, revision })
    expect(client.getServerVersion()).toMatchObject({ name: 'noema', title: 'Noema' })
    expect(client.getInstructions()).toContain('"brain"')
    const listed = (await client.listTools()).tools
    expect(listed.map(({ name }) => name)).toEqual(Object.keys(openedBy))
    for (const { description, inputSchema } of listed) {
      expect(description?.length).toBeGreaterThan(40)
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    }
    const written = await get('knowledge_write', { operations: [{ op: 'record.create', kind: 'person' }] })
    expect(written).toMatchObject({ outcome: 'landed', results: [{ op: 'record.create', changed: true }] })
    await close()
  },
)

test('D-55 a key is shown the tools that its capabilities open, at most twelve, and a management key all', async () => {
  expect(await tools.toolNames()).toEqual(Object.keys(openedBy))
  expect(Object.keys(openedBy).length).toBeLessThanOrEqual(12)
  for (const holds of capabilitySets) {
    const mine = await connectClient(app, { key: await brain.mintKey(holds) })
    const isOpened = (needs: string[]) => needs.some((one) => one.split('+').every((each) => holds.includes(each)))
    const expected = Object.entries(openedBy).filter(([, needs]) => isOpened(needs))
    expect(await mine.toolNames()).toEqual(expected.map(([name]) => name))
    await mine.close()
  }
})

test('D-55 the arguments of each tool are described in place, without references to shapes elsewhere', async () => {
  const { tools: listed } = await tools.client.listTools()
  expect(
    listed.filter(({ inputSchema }) => JSON.stringify(inputSchema).includes('$ref":"#')).map(({ name }) => name),
  ).toEqual([])
})

test('D-55 a tool that does several things shows a key only the permitted ones, and refuses the rest by capability', async () => {
  const reader = await connectClient(app, { key: await brain.mintKey(['read']) })
  const schema = (await reader.client.listTools()).tools.find(({ name }) => name === 'knowledge_schema')
  expect(schema?.inputSchema.properties?.action).toMatchObject({ enum: ['get', 'list_emerged'] })
  expect(schema?.description).not.toContain('promote(')
  expect(schema?.annotations).toEqual({ readOnlyHint: true, openWorldHint: false })
  for (const [name, given] of [
    ['knowledge_schema', { action: 'evolve', baseVersion: 0, operations: [] }],
    ['knowledge_write', { operations: [{ op: 'record.create', kind: 'person' }] }],
  ] as const) {
    const refused = await reader.call(name, given)
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: { kind: 'forbidden' } } })
    expect(JSON.stringify(refused.content)).toMatch(/needs (admin|write); the key has read/)
  }
  await reader.close()
})

test('EVT-12 knowledge_events answers the very page of the HTTP read, for a key with read', async () => {
  const subject = await createBrain(app)
  for (const kind of ['a', 'b', 'c']) await subject.call('POST', '/records', { kind })
  await subject.call('POST', '/documents', { text: 'text' })
  const reader = await connectClient(app, { key: await subject.mintKey(['read']) })
  const http = async (query: string) => (await subject.call('GET', `/events${query}`)).body.data
  const second = (await http('?limit=2')).cursor
  for (const [given, query] of [
    [{}, ''],
    [{ limit: 2 }, '?limit=2'],
    [{ after: second, limit: 1 }, `?after=${second}&limit=1`],
    [{ types: ['document.served', 'record.deleted'] }, '?types=document.served,record.deleted'],
    [{ types: ['record.deleted'], limit: 1 }, '?types=record.deleted&limit=1'],
    [{ types: [...eventTypes] }, `?types=${eventTypes.join(',')}`],
  ] as const) {
    const { textIsTheSame, ...page } = await reader.get('knowledge_events', given)
    expect(page).toEqual(await http(query))
    expect(textIsTheSame).toBe(true)
  }
  await reader.close()
})

test('EVT-12 a bad type, cursor or limit is refused as the HTTP read refuses it', async () => {
  for (const [given, query] of [
    [{ types: ['record.eaten'] }, '?types=record.eaten'],
    [{ after: 'forged' }, '?after=forged'],
    [{ limit: 501 }, '?limit=501'],
    [{ limit: 1.5 }, '?limit=1.5'],
  ] as const) {
    const { structuredContent, isError } = await tools.call('knowledge_events', given)
    const { body } = await brain.call('GET', `/events${query}`)
    expect(isError).toBe(true)
    expect(JSON.parse(JSON.stringify(structuredContent).replaceAll('arguments', 'query'))).toMatchObject({
      error: { kind: body.error.kind, message: body.error.message },
    })
  }
})

test('EVT-12 a key without read is not shown the stream and is refused it', async () => {
  const writer = await connectClient(app, { key: await brain.mintKey(['write', 'review', 'admin']) })
  expect(await writer.toolNames()).not.toContain('knowledge_events')
  const refused = await writer.call('knowledge_events')
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { kind: 'forbidden' } } })
  await writer.close()
})

test('D-30 D-32 D-55 links and statements are read backwards, and missing targets of links are named', async () => {
  const subject = { id: 'agent', kind: 'person' }
  const written = await tools.get('knowledge_write', {
    operations: [
      { op: 'record.put', id: 'hub', kind: 'team' },
      {
        op: 'record.put',
        id: 'agent',
        kind: 'person',
        links: ['hub', 'nobody'].map((to) => ({ predicate: 'of', to })),
      },
      {
        op: 'statement.assert',
        id: 'leads',
        subject,
        predicate: 'leads',
        object: { record: { id: 'hub', kind: 'team' } },
      },
    ],
  })
  expect(written).toMatchObject({ outcome: 'landed', missing: ['nobody'] })
  const read = (given: object) => tools.get('knowledge_read', given)
  expect(await read({ action: 'list_records', linksTo: 'hub', predicate: 'of', order: 'desc' })).toMatchObject({
    records: [{ id: 'agent' }],
  })
  expect(await read({ action: 'list_statements', object: 'hub' })).toMatchObject({ statements: [{ id: 'leads' }] })
  const links = { direction: 'in' }
  expect(await tools.get('knowledge_query', { kind: 'team', links })).toMatchObject({ linked: [{ id: 'agent' }] })
})

test('D-55 a tool’s write is one change like a batch, and is read back by its addresses', async () => {
  const { results, stateVersion, change } = await tools.get('knowledge_write', {
    operations: [
      { op: 'record.create', kind: 'person', slug: 'ada', fields: { name: 'Ada' }, ref: 'ada' },
      {
        op: 'statement.assert',
        subject: { id: '$ref:ada', kind: 'person' },
        predicate: 'born',
        object: { value: 1815 },
      },
      { op: 'document.put', id: 'note', text: 'A note.' },
    ],
  })
  const [record, statement] = results
  const read = (given: object) => tools.get('knowledge_read', given)
  expect(await read({ id: record.id })).toMatchObject({ record: { fields: { name: 'Ada' } }, stateVersion })
  expect(await read({ action: 'list_records', slug: 'ada' })).toMatchObject({ records: [{ id: record.id }] })
  expect(await read({ action: 'record_history', id: record.id })).toMatchObject({ versions: [{ ended: null }] })
  expect(await read({ action: 'get_statement', id: statement.id })).toMatchObject({ statement: { predicate: 'born' } })
  const listed = await read({ action: 'list_statements', subject: record.id, retracted: false, limit: 5 })
  expect(listed.statements).toHaveLength(1)
  expect(await read({ action: 'get_document', id: 'note', version: 1 })).toMatchObject({
    document: { text: 'A note.' },
  })
  expect(await read({ action: 'list_documents', limit: 500 })).toMatchObject({ hasMore: false })
  expect(await read({ action: 'document_versions', id: 'note' })).toMatchObject({ versions: [{ version: 1 }] })
  const before = await tools.call('knowledge_read', { id: record.id, asOf: stateVersion - 1 })
  expect(before).toMatchObject({ isError: true, structuredContent: { error: { kind: 'not_found' } } })
  const review = await tools.get('knowledge_changes', { action: 'get', id: change.id })
  expect(review.change).toMatchObject({ id: change.id, itemCount: 3 })
})

test('D-55 tools search, collect and query written items, each with a receipt that a tool reads', async () => {
  const subject = await createBrain(app)
  const mine = await connectClient(app, { key: subject.key })
  const { results } = await mine.get('knowledge_write', {
    operations: [
      { op: 'record.create', kind: 'person', slug: 'ada', fields: { name: 'Ada Lovelace' } },
      { op: 'document.put', id: 'note', text: 'The analytical engine weaves algebraic patterns.' },
    ],
  })
  const found = await mine.get('knowledge_search', {
    q: 'algebraic patterns',
    mode: 'lexical',
    types: ['document'],
    limit: 3,
  })
  expect(found).toMatchObject({ evidence: 'strong', results: [{ type: 'document', id: 'note', evidence: 'strong' }] })
  // A model pays for each word: a hit has neither positions nor a score, nor the ids of its change and key.
  const hit = ['evidence', 'id', 'snippet', 'title', 'type', 'version', 'why']
  expect(found.results.map((one: object) => Object.keys(one).sort())).toEqual([hit])
  expect(found.textIsTheSame).toBe(true)
  const { content, structuredContent } = await mine.call('knowledge_context', {
    query: 'analytical engine',
    consumerId: 'me',
  })
  const gathered = structuredContent as { context: string; receipt: string; items: object[] }
  expect(content).toMatchObject([{ text: gathered.context }, { text: expect.not.stringContaining('algebraic') }])
  expect(gathered.context).toContain('algebraic patterns')
  expect(content[1]).toMatchObject({ text: expect.stringContaining('"evidence":"strong"') })
  const unknown = await mine.call('knowledge_context', { query: 'parental leave in Portugal' })
  expect(unknown.content).toMatchObject([
    { text: 'Nothing here seems to answer this.' },
    { text: expect.stringContaining('"evidence":"none"') },
  ])
  expect(unknown.structuredContent).toMatchObject({ items: [], evidence: 'none' })
  const queried = await mine.get('knowledge_query', { kind: 'person', where: { slug: 'ada' }, limit: 1 })
  expect(queried.records).toMatchObject([{ id: results[0].id }])
  for (const { receipt } of [found, gathered, queried])
    expect(await mine.get('knowledge_read', { action: 'get_receipt', id: receipt })).toMatchObject({
      receipt: { current: true },
    })
  const kept = await mine.get('knowledge_read', { action: 'list_receipts', consumerId: 'me' })
  expect(kept.receipts).toMatchObject([{ id: gathered.receipt, operation: 'context' }])
  await mine.close()
})

test('D-55 a write with an idempotency key is done once, over tools and HTTP alike', async () => {
  const operations = [{ op: 'record.create', kind: 'once' }]
  const first = await tools.get('knowledge_write', { operations, idempotencyKey: 'k1' })
  expect(await tools.get('knowledge_write', { operations, idempotencyKey: 'k1' })).toEqual(first)
  const http = await brain.call('POST', '/batch', { operations }, { headers: { 'idempotency-key': 'k1' } })
  expect(http.body.data.change.id).toBe(first.change.id)
  const other = await tools.call('knowledge_write', {
    operations: [...operations, ...operations],
    idempotencyKey: 'k1',
  })
  expect(other).toMatchObject({ isError: true, structuredContent: { error: { kind: 'conflict' } } })
})

test('D-55 a staged write is reported as staged, is seen by its reviewer, and is applied by the decision', async () => {
  const subject = await createBrain(app)
  await subject.call('PATCH', '', { mode: 'review' })
  const mine = await connectClient(app, { key: subject.key })
  expect(mine.client.getInstructions()).toContain('wait for review')
  const written = await mine.get('knowledge_write', { operations: [{ op: 'record.create', kind: 'person' }] })
  expect(written).toMatchObject({ outcome: 'staged', stateVersion: null })
  const pending = await mine.get('knowledge_changes', { decision: 'pending' })
  expect(pending.changes).toMatchObject([{ id: written.change.id }])
  const decided = await mine.get('knowledge_decide', { id: written.change.id, decision: 'approved' })
  expect(decided.change).toMatchObject({ application: 'applied', stateVersion: 1 })
  const reverted = await mine.get('knowledge_decide', { action: 'revert', id: written.change.id, reason: 'wrong' })
  expect(reverted).toMatchObject({ outcome: 'staged', corrects: written.change.id })
  await mine.close()
})

test('D-55 the schema is read, evolved and its proposal decided by tools', async () => {
  const subject = await createBrain(app)
  const mine = await connectClient(app, { key: subject.key })
  const { schema } = await mine.get('knowledge_schema')
  const operations = [{ op: 'addKind', kind: 'person', fields: [{ name: 'name', type: 'string' }] }]
  const proposed = await mine.get('knowledge_schema', {
    action: 'evolve',
    baseVersion: schema.schemaVersion,
    operations,
  })
  await mine.get('knowledge_decide', { id: proposed.change.id, decision: 'approved' })
  expect((await mine.get('knowledge_schema', { action: 'get' })).schema.kinds).toMatchObject([{ kind: 'person' }])
  expect((await mine.get('knowledge_schema', { version: 0 })).schema.kinds).toEqual([])
  expect((await mine.get('knowledge_schema', { action: 'list_emerged' })).emerged).toEqual([])
  await mine.close()
})

test('D-55 a statement is ended by knowledge_write, which answers its next version', async () => {
  await brain.call('PUT', '/records/ann', { kind: 'person' })
  const said = { subject: { id: 'ann', kind: 'person' }, predicate: 'works-at', object: { value: 'Acme' } }
  await brain.call('POST', '/statements', { id: 's', ...said })
  const operations = [{ op: 'statement.assert', ...said, validTo: '2025-06-30T00:00:00.000Z' }]
  const written = await tools.get('knowledge_write', { operations })
  expect(written).toMatchObject({ outcome: 'landed', results: [{ id: 's', version: 2, changed: true }] })
  expect((await brain.call('GET', '/statements/s')).body.data.statement).toMatchObject({
    version: 2,
    validTo: '2025-06-30T00:00:00.000Z',
  })
})
