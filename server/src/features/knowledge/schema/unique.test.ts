import { beforeAll, expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import { approve, type Brain, evolve, propose } from './schema-app.fixture.ts'

const app = useApp()
let brain: Brain
beforeAll(async () => {
  brain = await createBrain(app)
  await evolve(brain, {
    op: 'addKind',
    kind: 'Account',
    fields: [
      { name: 'email', type: 'string', unique: true },
      { name: 'at', type: 'datetime', unique: true },
      { name: 'phones', type: 'string', many: true, unique: true },
    ],
  })
})

const put = (id: string, fields: object, kind = 'Account') => brain.call('PUT', `/records/${id}`, { kind, fields })
const patch = (id: string, fields: object) => brain.call('PATCH', `/records/${id}`, { fields })
const taken = (field: string) => ({
  status: 409,
  body: { error: { kind: 'conflict', code: 'field_taken', details: [{ path: `body.fields.${field}` }] } },
})

test('D-36 a value of a unique field belongs to one live record of its kind', async () => {
  expect((await put('a1', { email: 'a@x' })).status).toBe(201)
  expect(await put('a2', { email: 'a@x' })).toMatchObject(taken('email'))
  expect((await put('a1', { email: 'a@x', other: 1 })).status).toBe(200)
  expect((await put('other', { email: 'a@x' }, 'Elsewhere')).status).toBe(201)
  expect(await brain.call('PATCH', '/records/other', { kind: 'Account' })).toMatchObject(taken('email'))
})

test('D-36 a value is free again once its record has another, is deleted or changes its kind', async () => {
  await put('f1', { email: 'free@x' })
  await patch('f1', { email: 'moved@x' })
  expect((await put('f2', { email: 'free@x' })).status).toBe(201)
  await brain.call('DELETE', '/records/f2')
  expect((await put('f3', { email: 'free@x' })).status).toBe(201)
  await brain.call('PATCH', '/records/f3', { kind: 'Closed' })
  expect((await put('f4', { email: 'free@x' })).status).toBe(201)
  const swap = [
    { op: 'record.patch', id: 'f1', fields: { email: null } },
    { op: 'record.patch', id: 'f4', fields: { email: 'moved@x' } },
    { op: 'record.patch', id: 'f1', fields: { email: 'free@x' } },
  ]
  expect((await brain.call('POST', '/batch', { operations: swap })).status).toBe(200)
  expect(await put('f5', { email: 'moved@x' })).toMatchObject(taken('email'))
})

test('D-36 one moment in two offsets is one value, and so is each item of a list', async () => {
  await put('t1', { at: '2026-03-01T12:00:00Z', phones: ['1', '2'] })
  expect(await put('t2', { at: '2026-03-01T14:00:00+02:00' })).toMatchObject(taken('at'))
  expect(await put('t2', { phones: ['3', '2'] })).toMatchObject(taken('phones'))
  const long = 'x'.repeat(5_000)
  expect((await put('t3', { email: long })).status).toBe(201)
  expect(await put('t4', { email: long })).toMatchObject(taken('email'))
  expect((await put('t4', { email: `${long}y` })).status).toBe(201)
})

test('D-36 of 20 writers that want one value at once, on two nodes, one gets it', async () => {
  const node = await app.startNode()
  const writes = Array.from({ length: 20 }, (_, index) => {
    const request = index % 2 === 0 ? app.request : node.request
    const body = { kind: 'Account', fields: { email: 'race@x' } }
    return request('PUT', `${brain.path}/records/race-${index}`, { key: brain.key, body })
  })
  const statuses = (await Promise.all(writes)).map(({ status }) => status)
  await node.close()
  expect(statuses.filter((status) => status === 201)).toHaveLength(1)
  expect(statuses.filter((status) => status === 409)).toHaveLength(19)
})

test('D-37 a field cannot become unique while records share a value: the change is blocked and says how many', async () => {
  for (const [id, code] of Object.entries({ d1: 'a', d2: 'a', d3: 'a', d4: 'b' })) await put(id, { code }, 'Doubled')
  const proposed = await propose(brain, {
    op: 'addKind',
    kind: 'Doubled',
    fields: [{ name: 'code', type: 'string', unique: true }],
  })
  expect(proposed.body.data.items).toMatchObject([{ tag: 'strengthening', violations: 2, violationsAtLeast: false }])
  const { id } = proposed.body.data.change
  const blocked = await approve(brain, id)
  expect(blocked.body.data.change).toMatchObject({ decision: 'approved', application: 'blocked' })
  expect(blocked.body.data.change.blockedBy).toContain('2 records')
  await put('d2', { code: 'c' }, 'Doubled')
  await put('d3', { code: 'd' }, 'Doubled')
  expect((await brain.call('POST', `/changes/${id}/publish`)).body.data.change.application).toBe('applied')
  // Records from before the declaration have values too.
  expect(await put('d5', { code: 'b' }, 'Doubled')).toMatchObject(taken('code'))
})

test('D-41 an edit of a reviewer takes no value that another record holds', async () => {
  await put('e1', { email: 'edit@x' })
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await put('e2', { email: 'new@x' })
  await brain.call('PATCH', '', { mode: 'direct' })
  const decided = await approve(brain, staged.body.data.change.id, { edits: { 1: { fields: { email: 'edit@x' } } } })
  expect(decided.body.data.change.application).toBe('blocked')
})
