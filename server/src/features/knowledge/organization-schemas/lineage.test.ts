import { expect, test } from 'vitest'
import { addBrain, createBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { evolve } from '../schema/schema-app.fixture.ts'

const app = useApp()
const member = useMember(app)

const call = (method: string, path: string, body?: unknown) =>
  app.request(method, path, { key: member.key, ...(body === undefined ? {} : { body }) })
const name = { name: 'name', type: 'string' }
const kinds = [{ kind: 'Person', fields: [name] }]
const nothing = { added: [], changed: [], removed: [] }

test('D-38 an organization schema is versioned: each change makes the next, and a repeat makes none', async () => {
  const put = (body: object[]) => call('PUT', '/v1/schemas/crm', { kinds: body })
  expect(await put(kinds)).toMatchObject({ status: 201, body: { data: { schema: { name: 'crm', version: 1 } } } })
  expect(await put(kinds)).toMatchObject({ status: 200, body: { data: { schema: { version: 1 } } } })
  expect(await put([...kinds, { kind: 'Firm' }])).toMatchObject({
    status: 200,
    body: { data: { schema: { version: 2 } } },
  })
  expect((await call('GET', '/v1/schemas/crm')).body.data.schema.kinds).toHaveLength(2)
  expect((await call('GET', '/v1/schemas/crm?version=1')).body.data.schema.kinds).toMatchObject(kinds)
  await call('PUT', '/v1/schemas/aaa', { kinds: [] })
  const page = (await call('GET', '/v1/schemas?limit=1')).body.data
  expect(page).toMatchObject({ schemas: [{ name: 'aaa', version: 1 }], hasMore: true })
  expect((await call('GET', `/v1/schemas?after=${page.cursor}`)).body.data).toMatchObject({
    schemas: [{ name: 'crm', version: 2 }],
    hasMore: false,
  })
})

test('D-38 a malformed, unknown or foreign organization schema is refused', async () => {
  const twice = await call('PUT', '/v1/schemas/bad', { kinds: [{ kind: 'A' }, { kind: 'A' }] })
  expect(twice).toMatchObject({ status: 400, body: { error: { details: [{ path: 'body.kinds.1' }] } } })
  expect((await call('PUT', '/v1/schemas/Bad!', { kinds: [] })).status).toBe(400)
  expect((await call('GET', '/v1/schemas/unknown')).status).toBe(404)
  expect((await call('GET', '/v1/schemas/crm?version=0')).status).toBe(400)
  expect((await call('GET', '/v1/schemas/crm?version=99')).status).toBe(404)
  const stranger = await createBrain(app)
  expect((await app.request('GET', '/v1/schemas/crm', { key: stranger.key })).status).toBe(404)
  const brainKey = await stranger.mintKey(['read', 'write', 'review', 'admin'])
  expect((await app.request('GET', '/v1/schemas', { key: brainKey })).status).toBe(401)
})

test('BRN-07 the lineage names the fork of a Brain, whether its origin changed, and the changes of both', async () => {
  await call('PUT', '/v1/schemas/base', { kinds })
  const made = await call('PUT', '/v1/brains/forked', { schema: 'base' })
  expect(made).toMatchObject({ status: 201, body: { data: { brain: { schemaVersion: 1, stateVersion: 0 } } } })
  expect((await call('PUT', '/v1/brains/forked', { schema: 'base' })).status).toBe(200)
  const brain = await addBrain(app, member, 'forked')
  const lineage = async () => (await brain.call('GET', '/schema-lineage')).body.data.lineage
  const forkedFrom = { schema: 'base', version: 1 }
  expect((await brain.call('GET', '/schema')).body.data.schema).toMatchObject({ baseline: forkedFrom, kinds })
  expect((await brain.call('PUT', '/records/r', { kind: 'Person', fields: { name: 1 } })).status).toBe(400)
  const still = { currentVersion: 1, moved: false }
  expect(await lineage()).toEqual({ forkedFrom, baseline: still, local: nothing, upstream: nothing })
  await evolve(brain, { op: 'addKind', kind: 'Pet' }, { op: 'retireField', kind: 'Person', name: 'name' })
  const renamed = [{ kind: 'Person', title: 'Human', fields: [name, { name: 'age', type: 'integer' }] }]
  await call('PUT', '/v1/schemas/base', { kinds: renamed })
  expect(await lineage()).toEqual({
    forkedFrom,
    baseline: { currentVersion: 2, moved: true },
    local: { added: ['Pet'], changed: [], removed: ['Person.name'] },
    upstream: { added: ['Person.age'], changed: ['Person'], removed: [] },
  })
  expect((await brain.call('GET', '/schema')).body.data.schema.baseline).toEqual(forkedFrom)
})

test('BRN-07 a Brain that was not forked has no baseline, and an unknown schema makes no Brain', async () => {
  const brain = await addBrain(app, member, 'own')
  await evolve(brain, { op: 'addKind', kind: 'A' })
  expect((await brain.call('GET', '/schema-lineage')).body.data.lineage).toEqual({
    forkedFrom: null,
    baseline: { currentVersion: null, moved: false },
    local: { added: ['A'], changed: [], removed: [] },
    upstream: nothing,
  })
  const refused = await call('PUT', '/v1/brains/unmade', { schema: 'unknown' })
  expect(refused).toMatchObject({ status: 400, body: { error: { details: [{ path: 'body.schema' }] } } })
  expect((await call('GET', '/v1/brains/unmade')).status).toBe(404)
  expect((await call('GET', '/v1/brains/unmade/schema-lineage')).status).toBe(404)
})
