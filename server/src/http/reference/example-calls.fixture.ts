import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { TestApp, TestBrain } from '../../test/app.ts'
import { fillPath, sampleCall } from '../../test/sample-calls.ts'
import type { Parts } from '../../test/sample-parts.ts'

// Calls of which the reference shows request and answer: about spacecraft, where a sample of the tests would say nothing.

export const exampleHandle = 'space-missions'

const overview =
  'Voyager 1 was launched on 5 September 1977. It crossed into interstellar space in August 2012 and still sends data.'

/** What the examples are about. */
export const addSpacecraft = async (brain: TestBrain): Promise<void> => {
  const probe = { kind: 'spacecraft', slug: 'voyager-1', fields: { name: 'Voyager 1', launched: '1977-09-05' } }
  const written = [await brain.call('PUT', '/records/voyager-1', probe)]
  const document = {
    id: 'voyager-overview',
    title: 'Voyager 1',
    text: overview,
    source: { name: 'mission-pages', uri: 'https://example.com/voyager' },
  }
  written.push(await brain.call('POST', '/documents', document), await brain.call('POST', '/statements', crossing))
  for (const { status, body } of written) if (status !== 201) throw new Error(JSON.stringify(body))
}

const crossing = {
  subject: { id: 'voyager-1', kind: 'spacecraft' },
  predicate: 'entered',
  object: { value: 'interstellar space' },
  validFrom: '2012-08-25T00:00:00Z',
  sources: [{ document: 'voyager-overview', quote: 'It crossed into interstellar space in August 2012' }],
}

const onVoyager = { params: { id: 'voyager-1' } }
const onOverview = { params: { id: 'voyager-overview' } }

const toolCall = (name: string, args: object): Parts => ({
  headers: { accept: 'application/json, text/event-stream' },
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
})

const calls: Record<string, Parts> = {
  'brains.get': {},
  'brains.put': {
    params: { handle: 'exoplanets' },
    body: { name: 'Exoplanets', purpose: 'What is known about planets of other stars', mode: 'review' },
  },
  'brains.patch': { body: { mode: 'direct', reviewRules: { requireOtherReviewer: false } } },
  'keys.mint': { body: { name: 'nightly import', idempotencyKey: 'nightly-import-1' } },
  'brain.keys.mint': { body: { name: 'assistant', capabilities: ['read', 'write'] } },
  'brain.records.create': {
    body: {
      kind: 'spacecraft',
      slug: 'voyager-2',
      fields: { name: 'Voyager 2', launched: '1977-08-20' },
      links: [{ predicate: 'twin_of', to: 'voyager-1' }],
      provenance: { source: 'mission catalogue' },
    },
  },
  'brain.records.put': {
    params: { id: 'new-horizons' },
    body: { kind: 'spacecraft', slug: 'new-horizons', fields: { name: 'New Horizons', launched: '2006-01-19' } },
  },
  'brain.records.patch': { ...onVoyager, body: { fields: { status: 'active' } } },
  'brain.records.get': onVoyager,
  'brain.records.history': onVoyager,
  'brain.records.neighbours': { ...onVoyager, query: '?select=name' },
  'brain.records.list': { query: '?kind=spacecraft&limit=2' },
  'brain.statements.assert': {
    body: { ...crossing, predicate: 'carries', object: { value: 'golden record' }, sources: undefined, confidence: 1 },
  },
  'brain.documents.put': {
    body: { title: 'New Horizons', text: 'New Horizons flew past Pluto on 14 July 2015.', contentType: 'text/plain' },
  },
  'brain.documents.get': onOverview,
  'brain.documents.versions': onOverview,
  'brain.search': { query: '?q=interstellar+space&limit=1' },
  'brain.context': {
    body: { query: 'When did Voyager 1 reach interstellar space?', consumerId: 'assistant', budget: { tokens: 400 } },
  },
  'brain.query': { body: { kind: 'spacecraft', where: { slug: 'voyager-1' }, select: ['name', 'launched'] } },
  'brain.batch': {
    body: {
      operations: [
        { op: 'record.create', ref: 'planet', kind: 'planet', slug: 'pluto', fields: { name: 'Pluto' } },
        {
          op: 'statement.assert',
          subject: { id: '$ref:planet', kind: 'planet' },
          predicate: 'visited_by',
          object: { value: 'New Horizons' },
        },
      ],
    },
  },
  'brain.mcp': toolCall('knowledge_search', { query: 'interstellar space', limit: 1 }),
  mcp: toolCall('runs_read', { action: 'list', limit: 1 }),
  'brain.snapshots.plan': {
    params: { source: 'mission-pages' },
    body: { items: [{ id: 'cassini', title: 'Cassini', text: 'Cassini orbited Saturn until 2017.' }], complete: true },
  },
  'brain.hold': { body: { reason: 'Legal review' } },
  'brain.events.list': { query: '?limit=2' },
  'schemas.put': {
    params: { name: 'missions' },
    body: { kinds: [{ kind: 'spacecraft', fields: [{ name: 'launched', type: 'date', indexed: true }] }] },
  },
}

export type ExampleCall = { method: string; path: string; body?: unknown; headers?: Record<string, string> }

/** The call that stands for an operation: one of those above, else the sample of the tests. */
export const exampleCall = async (
  test: TestApp,
  brain: TestBrain,
  { name, endpoint }: { name: string; endpoint: Endpoint },
): Promise<ExampleCall> => {
  const parts = calls[name]
  if (!parts) return sampleCall(test, brain, { name, endpoint })
  const { params, query = '', body, headers } = parts
  return {
    method: endpoint.method,
    path: fillPath(endpoint.path, { handle: exampleHandle, ...params }) + query,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  }
}
