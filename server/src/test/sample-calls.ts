import { endpoints } from '@noema/contracts/api.ts'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { insertRun } from '../features/agents/run-feeds/run.fixture.ts'
import { leaveFor } from '../features/retrieval/receipts/receipt.fixture.ts'
import { accountSamples } from './account-samples.ts'
import { agentSamples } from './agent-samples.ts'
import type { TestApp, TestBrain } from './app.ts'
import { runSamples } from './run-samples.ts'
import { fresh, type Parts, plain, type Sample, unreachable } from './sample-parts.ts'

// One call of every endpoint that succeeds for whoever may make it. Tests that hold for all endpoints are made of these;
// a new endpoint joins them by a line here.

const newRecord = async (brain: TestBrain): Promise<string> =>
  (await brain.call('POST', '/records', { kind: 'sample' })).body.data.record.id

const newStatement = async (brain: TestBrain): Promise<string> => {
  const body = {
    subject: { id: await newRecord(brain), kind: 'sample' },
    predicate: 'is',
    object: { value: fresh('value') },
  }
  return (await brain.call('POST', '/statements', body)).body.data.statement.id
}

const newDocument = async (brain: TestBrain): Promise<string> =>
  (await brain.call('POST', '/documents', { text: fresh('text') })).body.data.document.id

const newBrainKey = async (brain: TestBrain): Promise<string> =>
  (await brain.call('POST', '/keys', { name: 'sample', capabilities: ['read'] })).body.data.key.id

const newManagementKey = async (test: TestApp, { session }: TestBrain): Promise<string> =>
  (await test.request('POST', '/v1/keys', { headers: session, body: { name: 'sample' } })).body.data.key.id

const newBrain = async (test: TestApp, { key }: TestBrain): Promise<string> =>
  (await test.request('PUT', `/v1/brains/${fresh('brain')}`, { key })).body.data.brain.handle

/** A change that waits for a decision: deletions of this Brain's records stage from now on. */
const newStagedChange = async (brain: TestBrain): Promise<string> => {
  await brain.call('PATCH', '', { reviewRules: { always: ['record.delete'] } })
  return (await brain.call('DELETE', `/records/${await newRecord(brain)}`)).body.data.change.id
}

const newApprovedChange = async (brain: TestBrain): Promise<string> => {
  const id = await newStagedChange(brain)
  await brain.call('POST', `/changes/${id}/decide`, { decision: 'approved', publish: false })
  return id
}

const onStagedChange = async (_test: TestApp, brain: TestBrain) => ({ params: { id: await newStagedChange(brain) } })
const onApprovedChange = async (_test: TestApp, brain: TestBrain) => ({
  params: { id: await newApprovedChange(brain) },
})
const newSchema = async (test: TestApp, { key }: TestBrain): Promise<string> =>
  (await test.request('PUT', `/v1/schemas/${fresh('schema')}`, { key, body: { kinds: [] } })).body.data.schema.name

const readSchemaVersion = async (brain: TestBrain): Promise<number> =>
  (await brain.call('GET', '')).body.data.brain.schemaVersion

const newKind = async (brain: TestBrain): Promise<string> =>
  (await brain.call('POST', '/records', { kind: fresh('emerging') })).body.data.record.kind

const onRecord = async (_test: TestApp, brain: TestBrain) => ({ params: { id: await newRecord(brain) } })
const onStatement = async (_test: TestApp, brain: TestBrain) => ({ params: { id: await newStatement(brain) } })
const onDocument = async (_test: TestApp, brain: TestBrain) => ({ params: { id: await newDocument(brain) } })
const onBrainKey = async (_test: TestApp, brain: TestBrain) => ({ params: { keyId: await newBrainKey(brain) } })
const onSnapshot = async (_test: TestApp, brain: TestBrain) => {
  const items = [{ id: fresh('item'), text: fresh('text') }]
  const planned = await brain.call('POST', '/sources/sample/snapshots', { items, complete: false })
  return { params: { source: 'sample', snapshot: planned.body.data.snapshot.snapshot } }
}
const sampleHook = { url: unreachable, types: ['date.reached'] }
const newWebhook = async (brain: TestBrain): Promise<string> =>
  (await brain.call('POST', '/webhooks', sampleHook)).body.data.webhook.id

const newOrganizationWebhook = async (test: TestApp, { key }: TestBrain): Promise<string> => {
  const body = { url: unreachable, events: ['knowledge.corrected'] }
  return (await test.request('POST', '/v1/webhooks', { key, body })).body.data.webhook.id
}

const onOrganizationWebhook = async (test: TestApp, brain: TestBrain) => ({
  params: { id: await newOrganizationWebhook(test, brain) },
})

/** A delivery that failed long ago. */
const onOrganizationDelivery = async (test: TestApp, brain: TestBrain) => {
  const [id, delivery] = [await newOrganizationWebhook(test, brain), fresh('msg')]
  await test.database.pool.query(
    `insert into organization_deliveries (id, webhook_id, event, body, state, created_at)
     values ($1, $2, 'knowledge.corrected', '{}', 'failed', now())`,
    [delivery, id],
  )
  return { params: { id, delivery } }
}

const onEndedRun = async (test: TestApp, { organizationId }: TestBrain) => ({
  params: { id: (await insertRun(test, organizationId, { state: 'completed' })).id },
})

const onNewWebhook = async (_test: TestApp, brain: TestBrain) => ({ params: { id: await newWebhook(brain) } })
/** The Brain's own first webhook: there cannot be one for each call. */
const onWebhook = async (_test: TestApp, brain: TestBrain) => {
  const { body } = await brain.call('GET', '/webhooks')
  return { params: { id: body.data.webhooks[0]?.id ?? (await newWebhook(brain)) } }
}
const sampleMessage = () => ({
  headers: { accept: 'application/json, text/event-stream' },
  body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
})

/** What says who calls an endpoint that a Brain's owner may call. */
export const sampleCredential = ({ access }: Endpoint, { key, session }: TestBrain): Record<string, string> =>
  access === 'session' || access === 'account' ? session : { authorization: `Bearer ${key}` }

const samples: Record<string, Sample> = {
  ...accountSamples,
  ...agentSamples,
  ...runSamples,
  whoami: plain,
  'changes.list': plain,
  'keys.mint': () => ({ body: { name: 'sample' } }),
  'keys.list': plain,
  'keys.revoke': async (test, brain) => ({ params: { id: await newManagementKey(test, brain) } }),
  'brains.put': () => ({ params: { handle: fresh('brain') }, body: { purpose: fresh('purpose') } }),
  'brains.get': plain,
  'brains.list': plain,
  'brains.patch': () => ({ body: { reviewRules: { requireOtherReviewer: false } } }),
  'brains.delete': async (test, brain) => ({ params: { handle: await newBrain(test, brain) } }),
  'brain.hold': async (test, brain) => ({
    params: { handle: await newBrain(test, brain) },
    body: { reason: 'sample' },
  }),
  'brain.release': plain,
  'brain.export': plain,
  'brain.import': async (test, brain) => {
    const handle = await newBrain(test, brain)
    const exported = await fetch(`${test.base}/v1/brains/${handle}/export`, {
      headers: { authorization: `Bearer ${brain.key}` },
    })
    return { params: { handle }, body: await exported.text(), headers: { 'content-type': 'application/x-ndjson' } }
  },
  'brain.keys.mint': () => ({ body: { name: 'sample', capabilities: ['read'] } }),
  'brain.keys.list': plain,
  'brain.keys.rotate': onBrainKey,
  'brain.keys.revoke': onBrainKey,
  'brain.records.create': () => ({ body: { kind: 'sample' } }),
  'brain.records.put': () => ({ params: { id: fresh('record') }, body: { kind: 'sample' } }),
  'brain.records.patch': async (_test, brain) => ({
    params: { id: await newRecord(brain) },
    body: { fields: { name: fresh('name') } },
  }),
  'brain.records.delete': onRecord,
  'brain.records.get': onRecord,
  'brain.records.list': plain,
  'brain.records.history': onRecord,
  'brain.records.neighbours': onRecord,
  'brain.statements.assert': async (_test, brain) => ({
    body: {
      subject: { id: await newRecord(brain), kind: 'sample' },
      predicate: 'is',
      object: { value: fresh('value') },
    },
  }),
  'brain.statements.retract': onStatement,
  'brain.statements.get': onStatement,
  'brain.statements.list': plain,
  'brain.documents.put': () => ({ body: { text: fresh('text') } }),
  'brain.documents.retire': onDocument,
  'brain.documents.get': onDocument,
  'brain.documents.list': plain,
  'brain.documents.versions': onDocument,
  'brain.snapshots.plan': () => ({
    params: { source: 'sample' },
    body: { items: [{ id: fresh('item'), text: fresh('text') }], complete: false },
  }),
  'brain.snapshots.apply': async (test, brain) => ({ ...(await onSnapshot(test, brain)), body: { planRevision: 1 } }),
  'brain.snapshots.get': onSnapshot,
  'brain.snapshots.list': () => ({ params: { source: 'sample' } }),
  'brain.dates.list': plain,
  'brain.batch': () => ({ body: { operations: [{ op: 'record.create', kind: 'sample' }] } }),
  'brain.changes.list': plain,
  'brain.changes.get': onStagedChange,
  'brain.changes.decide': async (test, brain) => ({
    ...(await onStagedChange(test, brain)),
    body: { decision: 'rejected' },
  }),
  'brain.changes.publish': onApprovedChange,
  'brain.changes.cancel': onApprovedChange,
  'brain.changes.rebase': onStagedChange,
  'brain.changes.revert': async (_test, brain) => ({
    params: { id: (await brain.call('POST', '/records', { kind: 'sample' })).body.data.change.id },
  }),
  'webhooks.create': () => ({ body: { url: unreachable, events: ['run.completed'] } }),
  'webhooks.list': plain,
  'webhooks.patch': async (test, brain) => ({
    ...(await onOrganizationWebhook(test, brain)),
    body: { events: ['run.failed'] },
  }),
  'webhooks.delete': onOrganizationWebhook,
  'webhooks.test': onOrganizationWebhook,
  'webhooks.rotate': onOrganizationWebhook,
  'webhooks.deliveries': onOrganizationWebhook,
  'webhooks.redeliver': onOrganizationDelivery,
  'webhooks.rewind': async (test, brain) => {
    const { id, delivery } = (await onOrganizationDelivery(test, brain)).params
    return { params: { id }, body: { from: delivery } }
  },
  activity: plain,
  activityDays: plain,
  overview: plain,
  'runs.stream': onEndedRun,
  'runs.messages': onEndedRun,
  'runs.operations': onEndedRun,
  'schemas.put': () => ({ params: { name: fresh('schema') }, body: { kinds: [] } }),
  'schemas.get': async (test, brain) => ({ params: { name: await newSchema(test, brain) } }),
  'schemas.list': plain,
  'brain.schema.get': plain,
  'brain.schema.evolve': async (_test, brain) => ({
    body: { baseVersion: await readSchemaVersion(brain), operations: [{ op: 'addKind', kind: fresh('Kind') }] },
  }),
  'brain.schema.promote': async (_test, brain) => ({ body: { emerged: [await newKind(brain)] } }),
  'brain.schema.emerged': plain,
  'brain.schema.lineage': plain,
  'brain.events.list': plain,
  'brain.mcp': sampleMessage,
  mcp: sampleMessage,
  'brain.search': () => ({ query: '?q=sample' }),
  'brain.context': () => ({ body: { query: 'sample' } }),
  'brain.query': () => ({ body: { kind: 'sample' } }),
  'brain.receipts.get': async (test, brain) => ({ params: { id: await leaveFor(test, brain) } }),
  'brain.receipts.list': plain,
  'brain.webhooks.create': () => ({ body: sampleHook }),
  'brain.webhooks.list': plain,
  'brain.webhooks.patch': async (test, brain) => ({
    ...(await onWebhook(test, brain)),
    body: { url: unreachable + fresh('hook') },
  }),
  'brain.webhooks.delete': onNewWebhook,
  'brain.webhooks.test': onWebhook,
  'brain.webhooks.rewind': async (test, brain) => ({
    ...(await onWebhook(test, brain)),
    body: { after: (await brain.call('GET', '/events')).body.data.cursor },
  }),
  'brain.webhooks.rotate': onNewWebhook,
  'brain.webhooks.deliveries': onWebhook,
}

/** The endpoints that have a sample; a test tells when one has none. */
export const sampledEndpoints = endpoints.filter(({ name }) => Object.hasOwn(samples, name))

export type SampleCall = { method: string; path: string; body?: unknown; headers?: Record<string, string> }

/** A path with its parameters filled in, each percent-encoded. */
export const fillPath = (path: string, params: Record<string, string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? `no-${name}`))

/** A call of an endpoint on a Brain, on things made for it alone. */
export const sampleCall = async (
  test: TestApp,
  brain: TestBrain,
  { name, endpoint }: { name: string; endpoint: Endpoint },
): Promise<SampleCall> => {
  const { params, query = '', body, headers }: Parts = (await samples[name]?.(test, brain)) ?? {}
  const path = fillPath(endpoint.path, { handle: brain.brain.handle, ...params }) + query
  return {
    method: endpoint.method,
    path,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  }
}

/** What a Brain, its keys and its organization look like from outside: equal before and after whatever changes nothing. */
export const readState = async (test: TestApp, { key, session, path }: TestBrain): Promise<unknown> => {
  const reads = await Promise.all([
    test.request('GET', `${path}/events?limit=1&types=availability.changed`, { key }),
    test.request('GET', path, { key }),
    test.request('GET', `${path}/keys?limit=500`, { key }),
    test.request('GET', '/v1/brains?limit=500', { key }),
    test.request('GET', '/v1/keys?limit=500', { headers: session }),
  ])
  // When a key was last used is noted in the background, and so is how far the search index has come.
  const text = JSON.stringify(reads.map(({ body }) => body.data))
  return JSON.parse(text, (name, value) => (['lastUsedAt', 'indexing'].includes(name) ? undefined : value))
}
