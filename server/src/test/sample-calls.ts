import { endpoints } from '@noema/contracts/api.ts'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { TestApp, TestBrain } from './app.ts'

// One call of every endpoint that succeeds for whoever may make it. Tests that hold for all endpoints are made of these;
// a new endpoint joins them by a line here.

type Parts = { params?: Record<string, string>; body?: unknown }
type Sample = (test: TestApp, brain: TestBrain) => Parts | Promise<Parts>

let made = 0
const fresh = (what: string): string => `${what}-${++made}`

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

const newSchema = async (test: TestApp, { key }: TestBrain): Promise<string> =>
  (await test.request('PUT', `/v1/schemas/${fresh('schema')}`, { key, body: { kinds: [] } })).body.data.schema.name

const schemaVersionOf = async (brain: TestBrain): Promise<number> =>
  (await brain.call('GET', '')).body.data.brain.schemaVersion

const newKind = async (brain: TestBrain): Promise<string> =>
  (await brain.call('POST', '/records', { kind: fresh('emerging') })).body.data.record.kind

const onRecord = async (_test: TestApp, brain: TestBrain) => ({ params: { id: await newRecord(brain) } })
const onStatement = async (_test: TestApp, brain: TestBrain) => ({ params: { id: await newStatement(brain) } })
const onDocument = async (_test: TestApp, brain: TestBrain) => ({ params: { id: await newDocument(brain) } })
const onBrainKey = async (_test: TestApp, brain: TestBrain) => ({ params: { keyId: await newBrainKey(brain) } })
const plain = () => ({})

const samples: Record<string, Sample> = {
  whoami: plain,
  'keys.mint': () => ({ body: { name: 'sample' } }),
  'keys.list': plain,
  'keys.revoke': async (test, brain) => ({ params: { id: await newManagementKey(test, brain) } }),
  'brains.put': () => ({ params: { handle: fresh('brain') }, body: { purpose: fresh('purpose') } }),
  'brains.get': plain,
  'brains.list': plain,
  'brains.patch': () => ({ body: { purpose: fresh('purpose') } }),
  'brains.delete': async (test, brain) => ({ params: { handle: await newBrain(test, brain) } }),
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
  'brain.batch': () => ({ body: { operations: [{ op: 'record.create', kind: 'sample' }] } }),
  'schemas.put': () => ({ params: { name: fresh('schema') }, body: { kinds: [] } }),
  'schemas.get': async (test, brain) => ({ params: { name: await newSchema(test, brain) } }),
  'schemas.list': plain,
  'brain.schema.get': plain,
  'brain.schema.evolve': async (_test, brain) => ({
    body: { baseVersion: await schemaVersionOf(brain), operations: [{ op: 'addKind', kind: fresh('Kind') }] },
  }),
  'brain.schema.promote': async (_test, brain) => ({ body: { emerged: [await newKind(brain)] } }),
  'brain.schema.emerged': plain,
  'brain.schema.lineage': plain,
  'brain.events.list': plain,
}

/** The endpoints that have no sample yet; a test keeps this empty. */
export const endpointsWithoutSample = (): string[] =>
  endpoints.map(({ name }) => name).filter((name) => !Object.hasOwn(samples, name))

export type SampleCall = { method: string; path: string; body?: unknown }

/** A path with its parameters filled in, each percent-encoded. */
export const fillPath = (path: string, params: Record<string, string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? `no-${name}`))

/** A call of an endpoint on a Brain, on things made for it alone. */
export const sampleCall = async (
  test: TestApp,
  brain: TestBrain,
  { name, endpoint }: { name: string; endpoint: Endpoint },
): Promise<SampleCall> => {
  const { params, body }: Parts = (await samples[name]?.(test, brain)) ?? {}
  const path = fillPath(endpoint.path, { handle: brain.brain.handle, ...params })
  return { method: endpoint.method, path, ...(body === undefined ? {} : { body }) }
}

/** What a Brain, its keys and its organization look like from outside: equal before and after whatever changes nothing. */
export const stateOf = async (test: TestApp, { key, session, path }: TestBrain): Promise<unknown> => {
  const events = await test.request('GET', `${path}/events?limit=1&types=availability.changed`, { key })
  const reads = [
    await test.request('GET', path, { key }),
    await test.request('GET', `${path}/keys?limit=500`, { key }),
    await test.request('GET', '/v1/brains?limit=500', { key }),
    await test.request('GET', '/v1/keys?limit=500', { headers: session }),
  ]
  // When a key was last used is noted in the background.
  const text = JSON.stringify([events.body.data, ...reads.map(({ body }) => body.data)])
  return JSON.parse(text, (name, value) => (name === 'lastUsedAt' ? undefined : value))
}
