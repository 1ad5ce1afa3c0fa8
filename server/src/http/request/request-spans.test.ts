import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, startTestApp, type TestApp, type TestBrain } from '../../test/app.ts'
import { type CollectedSpan, type Collector, openCollector } from '../../test/collector.ts'
import { startReceiver } from '../../test/receiver.ts'

// Traces as a collector gets them, of requests as callers send them.

const foreign = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const traceparent = `00-${foreign.traceId}-${foreign.spanId}-01`

let collector: Collector
let app: TestApp
let brain: TestBrain
beforeAll(async () => {
  collector = await openCollector()
  app = await startTestApp({
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '10' },
    NOEMA_LOG_LEVEL: 'debug',
  })
  brain = await addBrain(app, await createMember(app), 'traced')
})
afterAll(async () => {
  await app.close()
  await collector.close()
})

/** The span of the request with this id, once it has arrived, and all of its trace so far. */
const findTrace = async (requestId: string, isThere: (spans: readonly CollectedSpan[]) => boolean = () => true) => {
  const find = () => {
    const root = collector.spans.find(({ attributes }) => attributes['noema.request.id'] === requestId)
    return root && { root, spans: collector.spans.filter(({ traceId }) => traceId === root.traceId) }
  }
  await collector.settled(() => {
    const found = find()
    return found !== undefined && isThere(found.spans)
  })
  const found = find()
  if (!found) throw new Error('There is no such trace.')
  return found
}

const write = (id: string, headers: Record<string, string> = {}) =>
  brain.call('PUT', `/records/${id}`, { kind: 'note', fields: { text: 'Nobody may know.' } }, { headers })

const toTree = (spans: readonly CollectedSpan[], parent: CollectedSpan, depth = 0): string[] => [
  `${'  '.repeat(depth)}${parent.name}`,
  ...spans
    .filter(({ parentSpanId }) => parentSpanId === parent.spanId)
    .sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
    .flatMap((span) => toTree(spans, span, depth + 1)),
]

test('a write, its commit, its delivery and the run that it triggers are one trace, each below what caused it', async () => {
  const receiver = await startReceiver()
  await brain.call('POST', '/webhooks', { url: `${receiver.url}?token=hidden-token` })
  const agent = { name: 'Watcher', instructions: 'Watch.', model: 'noema/extractive' }
  const { body: made } = await app.request('POST', '/v1/agents', {
    key: brain.key,
    body: { ...agent, brains: [{ handle: brain.brain.handle, access: 'read_only' }] },
  })
  await app.request('POST', '/v1/automations/triggers', {
    key: brain.key,
    body: {
      ...{ knowledgeGraphId: brain.brain.id, agentId: made.data.agent.id, name: 'Watch', requiredAccess: 'read_only' },
    },
  })
  const written = await write('one', { 'x-request-id': 'write-one' })
  expect(written.status).toBe(201)
  const { root, spans } = await findTrace('write-one', (found) =>
    ['invoke_agent', 'deliver to webhook'].every((expected) => found.some(({ name }) => name === expected)),
  )
  await receiver.close()
  expect(root).toMatchObject({ name: 'PUT /v1/brains/{handle}/records/{id}', kind: 2 })
  expect(root.parentSpanId).toBeFalsy()
  expect(root.attributes).toEqual({
    'http.request.method': 'PUT',
    'http.route': '/v1/brains/{handle}/records/{id}',
    'url.path': '/v1/brains/{handle}/records/{id}',
    'url.scheme': 'http',
    'server.address': 'noema.test',
    'network.protocol.version': '1.1',
    'http.response.status_code': 201,
    'noema.request.id': 'write-one',
    'noema.organization.id': brain.organizationId,
  })
  const tree = toTree(spans, root)
  expect(tree).toContain('  commit wait')
  expect(tree).toContain('  commit')
  expect(tree.some((line) => line.startsWith('    ') && line.includes('INSERT changes'))).toBe(true)
  expect(tree).toContain('  deliver to webhook')
  expect(tree).toContain('    POST')
  expect(tree).toContain('  invoke_agent')
  // Every span of the trace is in the tree.
  expect(tree).toHaveLength(spans.length)
  const call = spans.find(({ name }) => name === 'POST')
  expect(call).toMatchObject({
    kind: 3,
    attributes: { 'http.request.method': 'POST', 'server.address': '127.0.0.1', 'http.response.status_code': 204 },
  })
  // The receiver gets the trace of the call that reached it, and goes on with it.
  expect(receiver.deliveries[0]?.headers.traceparent).toBe(`00-${root.traceId}-${call?.spanId}-01`)
  expect(JSON.stringify(collector.spans)).not.toMatch(/hidden-token|Nobody may know|@example\.com/)
})

test('lines of the log lead to the trace of their request', async () => {
  await write('logged', { 'x-request-id': 'write-logged' })
  const { root } = await findTrace('write-logged')
  const lines = app.logLines.map((line) => JSON.parse(line))
  expect(lines.find((line) => line.requestId === 'write-logged')).toMatchObject({ trace_id: root.traceId })
})

test('a caller whom the operator does not name gets a trace of their own, with a link to theirs', async () => {
  await write('linked', { traceparent, 'x-request-id': 'write-linked' })
  const { root } = await findTrace('write-linked')
  expect(root.traceId).not.toBe(foreign.traceId)
  expect(root.parentSpanId).toBeFalsy()
  expect(root.links).toMatchObject([foreign])
})

test.each([
  ['no trace context', 'nonsense'],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${foreign.spanId}-01`],
  ['a span of zeros', `00-${foreign.traceId}-${'0'.repeat(16)}-01`],
  ['a version that there is not', `ff-${foreign.traceId}-${foreign.spanId}-01`],
  ['something too long', `00-${foreign.traceId}-${foreign.spanId}-01-${'a'.repeat(4_000)}`],
])('%s in traceparent counts as none', async (name, sent) => {
  const requestId = name.replaceAll(' ', '-')
  expect((await write(requestId, { traceparent: sent, 'x-request-id': requestId })).status).toBe(201)
  const { root } = await findTrace(requestId)
  expect(root.links ?? []).toEqual([])
  expect(root.traceId).not.toBe(foreign.traceId)
})

test('a caller of another organization who knows a trace cannot add to it', async () => {
  await write('joined', { 'x-request-id': 'write-joined' })
  const { root } = await findTrace('write-joined')
  const stranger = await createMember(app)
  const headers = { traceparent: `00-${root.traceId}-${root.spanId}-01`, 'x-request-id': 'join' }
  await app.request('GET', '/v1/whoami', { key: stranger.key, headers })
  await findTrace('join')
  const organizations = collector.spans
    .filter(({ traceId }) => traceId === root.traceId)
    .flatMap(({ attributes }) => attributes['noema.organization.id'] ?? [])
  expect(new Set(organizations)).toEqual(new Set([brain.organizationId]))
})

test('a request that is refused before it is read begins no trace', async () => {
  expect((await app.request('GET', brain.path, { headers: { 'x-request-id': 'refused' } })).status).toBe(401)
  await write('after', { 'x-request-id': 'after-refused' })
  await findTrace('after-refused')
  expect(collector.spans.some(({ attributes }) => attributes['noema.request.id'] === 'refused')).toBe(false)
})

test('writes that are committed together are linked, and each has the time that it took', async () => {
  const ids = Array.from({ length: 24 }, (_, index) => `together-${index}`)
  await Promise.all(ids.map((id) => write(id, { 'x-request-id': id })))
  const commits: CollectedSpan[] = []
  for (const id of ids) {
    const { spans } = await findTrace(id, (found) => found.some(({ name }) => name === 'commit'))
    commits.push(...spans.filter(({ name }) => name === 'commit'))
  }
  expect(commits).toHaveLength(ids.length)
  const shared = commits.filter(({ attributes }) => Number(attributes['noema.commit.requests']) > 1)
  expect(shared.length).toBeGreaterThan(0)
  for (const { links = [] } of shared) expect(links.length).toBeGreaterThan(0)
})

test('a large request is one trace, though another thread answers it', async () => {
  const text = 'What a document says. '.repeat(20_000)
  const headers = { 'x-request-id': 'large' }
  expect((await brain.call('POST', '/documents', { text }, { headers })).status).toBe(201)
  const { root, spans } = await findTrace('large', (found) => found.some(({ name }) => name === 'commit'))
  expect(toTree(spans, root)).toContain('  commit')
})

test('a search reports its stages, and never its query', async () => {
  await brain.call('GET', '/search?q=nobody-asks-this', undefined, { headers: { 'x-request-id': 'search' } })
  const { root, spans } = await findTrace('search', (found) => found.some(({ name }) => name === 'search receipt'))
  const tree = toTree(spans, root)
  for (const stage of ['open', 'receipt']) expect(tree).toContain(`  search ${stage}`)
  expect(JSON.stringify(spans)).not.toContain('nobody-asks-this')
})

test('a delivery belongs to the trace of its write, though the node that wrote is gone', async () => {
  const receiver = await startReceiver()
  const writer = await app.startNode({ NOEMA_ROLES: 'http' })
  const { key, path } = await addBrain(app, brain, 'outlived')
  await writer.request('POST', `${path}/webhooks`, { key, body: { url: receiver.url } })
  const body = { kind: 'note', fields: { text: 'Late.' } }
  await writer.request('PUT', `${path}/records/late`, { key, headers: { 'x-request-id': 'outlived' }, body })
  await writer.close()
  const { root } = await findTrace('outlived')
  await app.app.workers.find(({ name }) => name === 'deliver to webhooks')?.run()
  const [delivery] = await receiver.received(1)
  await receiver.close()
  expect(String(delivery?.headers.traceparent)).toMatch(new RegExp(`^00-${root.traceId}-`))
})

test('a caller whom the operator names goes on with its own trace, and decides whether that is kept', async () => {
  const trusting = await app.startNode({
    NOEMA_TRACE_CALLERS: '127.0.0.0/8,::1',
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  })
  const read = (requestId: string, headers: Record<string, string>) =>
    trusting.request('GET', brain.path, { key: brain.key, headers: { 'x-request-id': requestId, ...headers } })
  await read('not-kept', { traceparent: traceparent.replace(/01$/, '00') })
  await read('not-asked', {})
  await read('kept', { traceparent })
  const { root } = await findTrace('kept')
  await trusting.close()
  expect(root).toMatchObject({ traceId: foreign.traceId, parentSpanId: foreign.spanId })
  const ids = collector.spans.map(({ attributes }) => attributes['noema.request.id'])
  expect(ids).not.toContain('not-kept')
  expect(ids).not.toContain('not-asked')
})

test('an absent collector is logged once, counted, and shown to operators; requests go on', async () => {
  const token = 'metrics-token-metrics-token'
  const alone = await startTestApp({
    ...{
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_BSP_SCHEDULE_DELAY: '10',
      OTEL_BSP_MAX_QUEUE_SIZE: '5',
    },
    NOEMA_METRICS_TOKEN: token,
  })
  const other = await addBrain(alone, await createMember(alone), 'alone')
  const readMetrics = async () =>
    (await fetch(`${alone.base}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
  const isCounted = (text: string) => ['failed', 'dropped'].every((outcome) => text.includes(`{outcome="${outcome}"}`))
  for (let text = ''; !isCounted(text); text = await readMetrics())
    expect((await other.call('POST', '/records', { kind: 'note', fields: {} })).status).toBe(201)
  const { body } = await alone.request('GET', '/readyz', { key: other.key })
  const reported = alone.logLines.filter((line) => line.includes('the trace collector refuses spans'))
  await alone.close()
  expect(reported).toHaveLength(1)
  const worker = body.data.workers.find(({ name }: { name: string }) => name === 'send traces')
  expect(worker).toMatchObject({ lastError: 'not_taken' })
  expect(worker.consecutiveFailures).toBeGreaterThan(0)
})

test('the guide lists every span that is sent, with its attributes', () => {
  const guide = readFileSync(new URL('../../../../docs/observability.md', import.meta.url), 'utf8')
  const section = guide.slice(guide.indexOf('| Span '))
  const rows = section.slice(0, section.indexOf('\n\n')).split('\n').slice(2)
  const listed = rows.map((row) => row.split('|').map((cell) => cell.trim()))
  const names = listed.map(([, name = '']) => name.replaceAll('`', ''))
  const attributes = new Set(
    listed.flatMap(([, , , cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name)),
  )
  const isListed = (sent: string) =>
    names.some((name) => {
      const pattern = name
        .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replace('<method> <route>', '[A-Z]+ /.+')
        .replace('<method>', '[A-Z]+')
        .replace('<operation> <table> …', '([A-Z]+ [a-z_ A-Z]+|[A-Z]+)')
        .replaceAll(/<\w+>/g, '.+')
      return new RegExp(`^${pattern}$`).test(sent)
    })
  expect([...new Set(collector.spans.map(({ name }) => name))].filter((name) => !isListed(name))).toEqual([])
  const sent = new Set(collector.spans.flatMap((span) => Object.keys(span.attributes)))
  expect([...sent].filter((name) => name !== 'error.type' && !attributes.has(name))).toEqual([])
  // No run of this file belongs to a conversation, and its model reports no usage.
  const unused = [...attributes].filter((name) => name !== undefined && !sent.has(name))
  expect(unused.filter((name) => !/^gen_ai\.(usage\.|conversation)/.test(name ?? ''))).toEqual([])
})
