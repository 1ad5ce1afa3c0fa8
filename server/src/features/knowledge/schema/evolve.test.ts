import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { approve, type Brain, evolve, listEventTypes, propose } from './schema-app.fixture.ts'

const app = useOwnApp()

const readSchema = async (brain: Brain, query = '') => (await brain.call('GET', `/schema${query}`)).body.data.schema
const readChange = async (brain: Brain, id: string) => (await brain.call('GET', `/changes/${id}`)).body.data.change
const put = (brain: Brain, id: string, kind: string, fields: object = {}) =>
  brain.call('PUT', `/records/${id}`, { kind, fields })

test.each(['direct', 'review'])(
  'BRN-08 evolving in %s mode makes a proposal, and changes nothing until it is published',
  async (mode) => {
    const brain = await createBrain(app, `in-${mode}`)
    await brain.call('PATCH', '', { mode })
    const proposed = await propose(brain, { op: 'addKind', kind: 'Person', fields: [{ name: 'name', type: 'string' }] })
    expect(proposed).toMatchObject({
      status: 202,
      body: {
        data: {
          outcome: 'staged',
          stateVersion: null,
          change: { decision: 'pending', application: 'not_applied' },
          items: [{ item: '1', op: 'schema.evolve', target: { type: 'schema', id: 'Person' }, tag: 'strengthening' }],
        },
      },
    })
    expect(await readSchema(brain)).toEqual({ schemaVersion: 0, baseline: null, kinds: [] })
    const { id } = proposed.body.data.change
    expect((await readChange(brain, id)).items[0]).toMatchObject({
      before: null,
      after: { kind: 'Person', strict: false },
    })
    expect((await approve(brain, id)).body.data).toMatchObject({ change: { application: 'applied' }, stateVersion: 1 })
    expect(await readSchema(brain)).toMatchObject({ schemaVersion: 1, kinds: [{ kind: 'Person' }] })
    expect((await readSchema(brain, '?version=0')).kinds).toEqual([])
    expect((await brain.call('GET', '/schema?version=2')).status).toBe(404)
    expect((await brain.call('GET', '')).body.data.brain).toMatchObject({ schemaVersion: 1, stateVersion: 1 })
  },
)

test('EVT-11 a published schema change is staged, decided, evolved and published, in this order', async () => {
  const brain = await createBrain(app, 'events')
  await evolve(brain, { op: 'addKind', kind: 'A' })
  await evolve(brain, { op: 'addKind', kind: 'B' })
  const page = (await brain.call('GET', '/events')).body.data.events
  const types = ['change.staged', 'change.decided', 'schema.evolved', 'change.published']
  expect(page.map(({ type }: { type: string }) => type)).toEqual([...types, ...types])
  expect(page[2].data).toEqual({ schemaVersion: 1, previousSchemaVersion: 0 })
  expect(page[6].data).toEqual({ schemaVersion: 2, previousSchemaVersion: 1 })
  expect(page[7].data).toMatchObject({ stateVersion: 2 })
})

test('BRN-08 evolving needs admin; reading the schema needs read, and the lineage a management key', async () => {
  const brain = await createBrain(app, 'access')
  const body = { baseVersion: 0, operations: [{ op: 'addKind', kind: 'A' }] }
  const admin = await brain.mintKey(['admin'])
  const others = await brain.mintKey(['read', 'write', 'review'])
  expect((await brain.call('POST', '/schema/evolve', body, { key: others })).status).toBe(403)
  expect((await brain.call('POST', '/schema/promote', { emerged: ['A'] }, { key: others })).status).toBe(403)
  expect((await brain.call('POST', '/schema/evolve', body, { key: admin })).status).toBe(202)
  expect((await brain.call('GET', '/schema', undefined, { key: admin })).status).toBe(403)
  expect((await brain.call('GET', '/schema/emerged', undefined, { key: admin })).status).toBe(403)
  expect((await brain.call('GET', '/schema', undefined, { key: others })).status).toBe(200)
  expect((await brain.call('GET', '/schema-lineage', undefined, { key: others })).status).toBe(401)
})

test('D-37 a moved baseVersion is 409 stale_schema, and a repeat with its key gets the first answer', async () => {
  const brain = await createBrain(app, 'stale')
  const body = { baseVersion: 0, operations: [{ op: 'addKind', kind: 'A' }] }
  const extra = { headers: { 'idempotency-key': 'once' } }
  const first = await brain.call('POST', '/schema/evolve', body, extra)
  await approve(brain, first.body.data.change.id)
  expect(await brain.call('POST', '/schema/evolve', body)).toMatchObject({
    status: 409,
    body: { error: { code: 'stale_schema', details: [{ current: 1 }] } },
  })
  expect((await brain.call('POST', '/schema/evolve', body, extra)).body).toEqual(first.body)
})

const field = { name: 'f', type: 'string' }
const bad: [string, object[], string][] = [
  ['an unknown kind', [{ op: 'addField', kind: 'Nope', field }], 'body.operations.0'],
  [
    'a kind twice',
    [
      { op: 'addKind', kind: 'New' },
      { op: 'addKind', kind: 'New' },
    ],
    'body.operations.1',
  ],
  ['a field twice', [{ op: 'addField', kind: 'Known', field: { name: 'a', type: 'text' } }], 'body.operations.0'],
  ['a field twice in one kind', [{ op: 'addKind', kind: 'New', fields: [field, field] }], 'body.operations.0.fields.1'],
  ['an unknown field', [{ op: 'setField', kind: 'Known', field }], 'body.operations.0'],
  ['an unknown link', [{ op: 'retireLink', kind: 'Known', predicate: 'x' }], 'body.operations.0'],
  [
    'an unknown type',
    [{ op: 'addField', kind: 'Known', field: { name: 'f', type: 'float' } }],
    'body.operations.0.field.type',
  ],
  [
    'an enum without values',
    [{ op: 'addField', kind: 'Known', field: { name: 'f', type: 'enum' } }],
    'body.operations.0.field.values',
  ],
  [
    'values of no enum',
    [{ op: 'addField', kind: 'Known', field: { ...field, values: ['a'] } }],
    'body.operations.0.field.values',
  ],
  [
    'a notice of no date',
    [{ op: 'addField', kind: 'Known', field: { ...field, notifyBefore: ['P1D'] } }],
    'body.operations.0.field.notifyBefore',
  ],
  [
    'unique json',
    [{ op: 'addField', kind: 'Known', field: { name: 'f', type: 'json', unique: true } }],
    'body.operations.0.field.unique',
  ],
  ...['30D', 'P', 'PT', 'P1H', '-P1D', 'P1.5D', 'P30D '].map((duration): [string, object[], string] => [
    `the duration ${JSON.stringify(duration)}`,
    [{ op: 'addField', kind: 'Known', field: { name: 'f', type: 'date', notifyBefore: [duration] } }],
    'body.operations.0.field.notifyBefore.0',
  ]),
]

test('D-37 a malformed operation is refused by its place, and nothing is staged', async () => {
  const brain = await createBrain(app, 'malformed')
  await evolve(brain, { op: 'addKind', kind: 'Known', fields: [{ name: 'a', type: 'text' }] })
  for (const [what, operations, path] of bad) {
    const refused = await propose(brain, ...operations)
    expect([what, refused.status, refused.body.error?.details?.[0]?.path]).toEqual([what, 400, path])
  }
  expect((await propose(brain, { op: 'setStrict', kind: 'Known', strict: false })).status).toBe(400)
  const notified = { name: 'due', type: 'date', notifyBefore: ['P30D', 'PT12H', 'P0D', 'P1Y2M3W4DT5H6M7S'] }
  expect((await propose(brain, { op: 'addField', kind: 'Known', field: notified })).status).toBe(202)
})

test('D-37 operations are tagged, and a strengthening one counts the violating records again at every read', async () => {
  const brain = await createBrain(app, 'tags')
  await evolve(brain, { op: 'addKind', kind: 'K', fields: [{ name: 'n', type: 'integer' }] })
  for (const [id, fields] of Object.entries({ k1: { n: 1 }, k2: { n: 2, x: 'a' }, k3: {} }))
    await put(brain, id, 'K', fields)
  const proposed = await propose(
    brain,
    { op: 'setField', kind: 'K', field: { name: 'n', type: 'number' } },
    { op: 'setField', kind: 'K', field: { name: 'n', type: 'number', required: true } },
    { op: 'setStrict', kind: 'K', strict: true },
    { op: 'setStrict', kind: 'K', strict: false },
    { op: 'addField', kind: 'K', field: { name: 'x', type: 'boolean' } },
    { op: 'addLink', kind: 'K', link: { predicate: 'of', to: ['Z'] } },
    { op: 'retireField', kind: 'K', name: 'n' },
  )
  const shown = (items: { tag: string; violations: number }[]) =>
    items.map(({ tag, violations }) => [tag[0], violations])
  const expected = [
    ['w', 0],
    ['s', 1],
    ['s', 1],
    ['w', 0],
    ['s', 1],
    ['s', 0],
    ['w', 0],
  ]
  expect(shown(proposed.body.data.items)).toEqual(expected)
  await put(brain, 'k4', 'K', { x: 1 })
  const { items } = await readChange(brain, proposed.body.data.change.id)
  expect(shown(items)).toEqual([
    ['w', 0],
    ['s', 2],
    ['s', 2],
    ['w', 0],
    ['s', 2],
    ['s', 0],
    ['w', 0],
  ])
})

test('D-37 records that violate a published strengthening stay, and their next write must comply', async () => {
  const brain = await createBrain(app, 'violating')
  await put(brain, 'v1', 'K', { n: 'one' })
  const published = await evolve(brain, { op: 'addKind', kind: 'K', fields: [{ name: 'n', type: 'integer' }] })
  expect(published.body.data.change.application).toBe('applied')
  expect((await brain.call('GET', '/records/v1')).body.data.record.fields).toEqual({ n: 'one' })
  expect((await put(brain, 'v1', 'K', { n: 'two' })).status).toBe(400)
  expect((await brain.call('PATCH', '/records/v1', { fields: { other: 1 } })).status).toBe(200)
  expect((await put(brain, 'v1', 'K', { n: 2 })).status).toBe(200)
})

test('D-41 a schema change whose base has moved is blocked; a rebase checks it again and needs a new decision', async () => {
  const brain = await createBrain(app, 'moved')
  await evolve(brain, { op: 'addKind', kind: 'A' }, { op: 'addKind', kind: 'B' })
  const [fits, fails] = [
    await propose(brain, { op: 'addField', kind: 'A', field }),
    await propose(brain, { op: 'addField', kind: 'B', field }),
  ].map(({ body }) => body.data.change.id)
  await evolve(brain, { op: 'retireKind', kind: 'B' })
  expect(await readChange(brain, fits)).toMatchObject({ outdated: true, conflicts: ['1'] })
  expect((await approve(brain, fits)).body.data.change.application).toBe('blocked')
  const rebased = await brain.call('POST', `/changes/${fits}/rebase`)
  expect(rebased.body.data.change).toMatchObject({ decision: 'pending', application: 'not_applied' })
  expect((await approve(brain, fits)).body.data.change.application).toBe('applied')
  expect((await approve(brain, fails)).body.data.change.application).toBe('blocked')
  expect((await brain.call('POST', `/changes/${fails}/rebase`)).status).toBe(400)
})

test('REV-04 splitting a schema change publishes a part; the rest is rebased on what that made, or rejected', async () => {
  const brain = await createBrain(app, 'split')
  const proposed = await propose(
    brain,
    { op: 'addKind', kind: 'A' },
    { op: 'addField', kind: 'A', field },
    { op: 'addKind', kind: 'B' },
  )
  const split = await approve(brain, proposed.body.data.change.id, { items: ['3'] })
  expect(split.body.data.change).toMatchObject({ application: 'applied', itemCount: 1 })
  const rest = split.body.data.staged[0].id
  expect((await readSchema(brain)).kinds.map(({ kind }: { kind: string }) => kind)).toEqual(['B'])
  expect((await approve(brain, rest)).body.data.change.application).toBe('blocked')
  await brain.call('POST', `/changes/${rest}/rebase`)
  await approve(brain, rest)
  expect(await readSchema(brain)).toMatchObject({
    schemaVersion: 2,
    kinds: [{ kind: 'B' }, { kind: 'A', fields: [{ name: 'f' }] }],
  })
  const refused = await propose(brain, { op: 'retireKind', kind: 'A' })
  await brain.call('POST', `/changes/${refused.body.data.change.id}/decide`, { decision: 'rejected' })
  expect((await readSchema(brain)).schemaVersion).toBe(2)
  const edits = { edits: { 1: { fields: {} } } }
  const edited = await propose(brain, { op: 'retireKind', kind: 'A' })
  expect((await approve(brain, edited.body.data.change.id, edits)).status).toBe(400)
})

test('D-41 an ordinary change that the schema refuses by now is blocked, and says why', async () => {
  const brain = await createBrain(app, 'late')
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await put(brain, 'late', 'K', { n: 'one' })
  await evolve(brain, { op: 'addKind', kind: 'K', fields: [{ name: 'n', type: 'integer' }] })
  const { change } = (await approve(brain, staged.body.data.change.id)).body.data
  expect(change).toMatchObject({
    application: 'blocked',
    blockedBy: expect.stringContaining('expected a whole number'),
  })
  expect(await put(brain, 'late', 'K', { n: 'one' })).toMatchObject({ status: 400 })
  expect((await listEventTypes(brain)).at(-1)).toBe('change.decided')
})

test('D-41 a scheduled schema change is published when its time has come', async () => {
  const brain = await createBrain(app, 'scheduled')
  const { id } = (await propose(brain, { op: 'addKind', kind: 'K' })).body.data.change
  const publish = new Date(app.clock.now().getTime() + 3_600_000).toISOString()
  expect((await approve(brain, id, { publish })).body.data.change.application).toBe('scheduled')
  app.clock.advance({ minutes: 61 })
  await app.app.workers.find(({ name }) => name === 'publish scheduled changes')?.run()
  expect((await readSchema(brain)).schemaVersion).toBe(1)
})
