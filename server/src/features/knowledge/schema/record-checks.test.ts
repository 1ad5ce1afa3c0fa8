import { beforeAll, expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import { type Brain, evolve } from './schema-app.fixture.ts'

const app = useApp()
let brain: Brain
beforeAll(async () => {
  brain = await createBrain(app)
})

const put = (id: string, kind: string, fields: object, rest: object = {}) =>
  brain.call('PUT', `/records/${id}`, { kind, fields, ...rest })

const refusal = (...paths: string[]) => ({
  status: 400,
  body: { error: { kind: 'validation', code: 'schema_violation', details: paths.map((path) => ({ path })) } },
})

const cases: Record<string, { good: unknown[]; bad: unknown[]; field?: object }> = {
  string: { good: ['', 'a', 'two\nlines'], bad: [1, true, null, ['a'], {}] },
  text: { good: ['prose'], bad: [1, null, []] },
  integer: { good: [0, -3, 5.0, 9007199254740991], bad: [1.5, '1', null, true] },
  number: { good: [0, -1.25, 3], bad: ['1.5', null, []] },
  boolean: { good: [true, false], bad: [0, 'true', null] },
  date: {
    good: ['2024-02-29', '2026-12-31', '0001-01-01'],
    bad: ['2026-02-29', '2026-13-01', '0000-01-01', '2026-1-1', '2026-01-01T00:00:00Z', 'today', 20260101],
  },
  datetime: {
    good: ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.123456+02:00'],
    bad: ['2026-03-01T12:00:00', '2026-03-01', '2026-02-30T12:00:00Z', '2026-03-01 12:00:00Z', 0],
  },
  enum: { good: ['red', 'blue'], bad: ['green', 'Red', '', 1, ['red']], field: { values: ['red', 'blue'] } },
  json: { good: [null, 1, 'a', [1, 'b'], { a: { b: null } }], bad: [] },
}

test.each(Object.keys(cases))('D-36 a field of type %s takes its values and refuses others', async (type) => {
  const { good = [], bad = [], field = {} } = cases[type] ?? {}
  const kind = `Of.${type}`
  await evolve(brain, { op: 'addKind', kind, fields: [{ name: 'value', type, ...field }] })
  for (const [index, value] of good.entries())
    expect([value, (await put(`${type}-${index}`, kind, { value })).status]).toEqual([value, 201])
  for (const value of bad) {
    expect([value, await put('refused', kind, { value })]).toMatchObject([value, refusal('body.fields.value')])
  }
  expect((await brain.call('GET', '/records/refused')).status).toBe(404)
})

test('D-36 a field of many values takes lists alone, and each item has its type', async () => {
  await evolve(brain, { op: 'addKind', kind: 'Listed', fields: [{ name: 'tags', type: 'string', many: true }] })
  expect((await put('l1', 'Listed', { tags: [] })).status).toBe(201)
  expect((await put('l1', 'Listed', { tags: ['a', 'b'] })).status).toBe(200)
  for (const tags of ['a', ['a', 1], [['a']], null])
    expect(await put('l1', 'Listed', { tags })).toMatchObject(refusal('body.fields.tags'))
})

test('D-36 a required field is there from the first version on, and no patch takes it away', async () => {
  await evolve(brain, {
    op: 'addKind',
    kind: 'Person',
    fields: [
      { name: 'name', type: 'string', required: true },
      { name: 'age', type: 'integer' },
    ],
  })
  expect(await put('p1', 'Person', { age: 3 })).toMatchObject(refusal('body.fields.name'))
  expect(await put('p1', 'Person', { age: 'old' })).toMatchObject(refusal('body.fields.age', 'body.fields.name'))
  expect((await put('p1', 'Person', { name: 'Ann' })).status).toBe(201)
  const patch = (fields: object) => brain.call('PATCH', '/records/p1', { fields })
  expect(await patch({ name: null })).toMatchObject(refusal('body.fields.name'))
  expect(await patch({ age: 1.5 })).toMatchObject(refusal('body.fields.age'))
  expect((await patch({ age: 4 })).status).toBe(200)
  expect((await patch({ age: null })).status).toBe(200)
})

test('D-36 a batch names the operation and the field, describes the expected value, and writes nothing', async () => {
  await evolve(brain, { op: 'addKind', kind: 'Counted', fields: [{ name: 'n', type: 'integer' }] })
  const operations = [
    { op: 'record.put', id: 'c1', kind: 'Counted', fields: { n: 1 } },
    { op: 'record.put', id: 'c2', kind: 'Counted', fields: { n: 'x' } },
  ]
  const refused = await brain.call('POST', '/batch', { operations })
  expect(refused).toMatchObject(refusal('body.operations.1', 'body.operations.1.fields.n'))
  expect(refused.body.error.details[1].message).toContain('expected a whole number')
  expect((await brain.call('GET', '/records/c1')).status).toBe(404)
})

test('D-36 a strict kind refuses fields that it does not declare; another kind takes them', async () => {
  await evolve(
    brain,
    { op: 'addKind', kind: 'Strict', strict: true, fields: [{ name: 'a', type: 'json' }] },
    { op: 'addKind', kind: 'Loose', fields: [{ name: 'a', type: 'json' }] },
  )
  expect(await put('s1', 'Strict', { a: 1, b: 2 })).toMatchObject(refusal('body.fields.b'))
  expect((await put('s1', 'Strict', { a: 1 })).status).toBe(201)
  expect(await brain.call('PATCH', '/records/s1', { fields: { b: 2 } })).toMatchObject(refusal('body.fields.b'))
  expect((await put('s2', 'Loose', { a: 1, b: 2 })).status).toBe(201)
  expect((await put('s3', 'Undeclared', { anything: [1] })).status).toBe(201)
  // A change of kind moves all fields of a record.
  expect(await brain.call('PATCH', '/records/s2', { kind: 'Strict' })).toMatchObject(refusal('body.fields.b'))
})

test('D-36 a declared link leads to live records of its kinds, and to one alone unless it says many', async () => {
  await evolve(
    brain,
    { op: 'addKind', kind: 'City' },
    {
      op: 'addKind',
      kind: 'Citizen',
      links: [
        { predicate: 'livesIn', to: ['City'], many: false },
        { predicate: 'knows', to: ['Citizen'] },
      ],
    },
  )
  await put('rome', 'City', {})
  await put('oslo', 'City', {})
  const lives = (...to: string[]) => ({ links: to.map((id) => ({ predicate: 'livesIn', to: id })) })
  expect((await put('z1', 'Citizen', {}, lives('rome'))).status).toBe(201)
  expect(await put('z1', 'Citizen', {}, lives('rome', 'oslo'))).toMatchObject(refusal('body.links.livesIn'))
  expect(await put('z1', 'Citizen', {}, lives('z1'))).toMatchObject(refusal('body.links.livesIn'))
  expect(await put('z1', 'Citizen', {}, lives('nowhere'))).toMatchObject(refusal('body.links.livesIn'))
  expect((await put('z1', 'Citizen', {}, { links: [{ predicate: 'knows', to: 'z1' }] })).status).toBe(200)
  const operations = [
    { op: 'record.create', ref: 'city', kind: 'City' },
    { op: 'record.put', id: 'z2', kind: 'Citizen', ...lives('$ref:city') },
  ]
  expect((await brain.call('POST', '/batch', { operations })).status).toBe(200)
})

test('D-36 retired fields are no longer checked, and stored values stay', async () => {
  await evolve(brain, { op: 'addKind', kind: 'Old', fields: [{ name: 'n', type: 'integer', required: true }] })
  await put('o1', 'Old', { n: 1 })
  await evolve(brain, { op: 'retireField', kind: 'Old', name: 'n' })
  expect((await brain.call('GET', '/records/o1')).body.data.record.fields).toEqual({ n: 1 })
  expect((await put('o1', 'Old', { n: 'one' })).status).toBe(200)
  await evolve(brain, { op: 'retireKind', kind: 'Old' })
  expect((await brain.call('GET', '/records/o1')).body.data.record.fields).toEqual({ n: 'one' })
  expect((await put('o2', 'Old', {})).status).toBe(201)
})
