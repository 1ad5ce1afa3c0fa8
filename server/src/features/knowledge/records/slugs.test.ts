import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp, useBrain } from '../../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)

const put = (id: string, body: object) => brain.call('PUT', `/records/${id}`, body)
const patch = (id: string, body: object) => brain.call('PATCH', `/records/${id}`, body)
const holders = async (slug: string) =>
  (await brain.call('GET', `/records?slug=${slug}`)).body.data.records.map(
    ({ id, kind }: { id: string; kind: string }) => `${kind} ${id}`,
  )
const batch = (...operations: object[]) => brain.call('POST', '/batch', { operations })
const taken = { status: 409, body: { error: { kind: 'conflict', code: 'slug_taken' } } }

test('D-31 a slug belongs to one live record of its kind; another kind may use it too', async () => {
  await put('a1', { kind: 'person', slug: 'ann' })
  expect(await put('a2', { kind: 'person', slug: 'ann' })).toMatchObject(taken)
  expect(await brain.call('POST', '/records', { kind: 'person', slug: 'ann' })).toMatchObject(taken)
  expect((await put('a3', { kind: 'robot', slug: 'ann' })).status).toBe(201)
  expect(await holders('ann')).toEqual(['person a1', 'robot a3'])
  const other = await createBrain(app, 'other')
  expect((await other.call('PUT', '/records/x', { kind: 'person', slug: 'ann' })).status).toBe(201)
})

test('D-31 a slug is free again once its record is deleted or takes another', async () => {
  await put('f1', { kind: 'k', slug: 'free' })
  await patch('f1', { slug: 'elsewhere' })
  expect((await put('f2', { kind: 'k', slug: 'free' })).status).toBe(201)
  await brain.call('DELETE', '/records/f2')
  expect((await put('f3', { kind: 'k', slug: 'free' })).status).toBe(201)
  expect((await patch('f3', { slug: null })).body.data.record.slug).toBeNull()
  expect((await put('f1', { kind: 'k', slug: 'free' })).status).toBe(200)
  expect(await holders('free')).toEqual(['k f1'])
})

test('D-31 PATCH keeps the slug unless it names one, and PUT without a slug takes it away', async () => {
  await put('kept', { kind: 'k', slug: 'kept' })
  expect((await patch('kept', { fields: { a: 1 } })).body.data.record.slug).toBe('kept')
  expect((await put('kept', { kind: 'k', fields: { a: 1 } })).body.data.record.slug).toBeNull()
})

test('D-31 retyping into a kind where the slug is taken is refused', async () => {
  await put('r1', { kind: 'cat', slug: 'tom' })
  await put('r2', { kind: 'dog', slug: 'tom' })
  expect(await patch('r2', { kind: 'cat' })).toMatchObject(taken)
  expect((await patch('r2', { kind: 'cat', slug: 'tom2' })).status).toBe(200)
  expect((await patch('r1', { kind: 'dog' })).status).toBe(200)
})

test('D-31 D-34 a slug moves from one record to another within a batch, and two records swap theirs', async () => {
  await put('m1', { kind: 'k', slug: 'one' })
  await put('m2', { kind: 'k', slug: 'two' })
  const early = await batch({ op: 'record.patch', id: 'm2', slug: 'one' }, { op: 'record.patch', id: 'm1', slug: null })
  expect(early).toMatchObject({ status: 409, body: { error: { code: 'slug_taken' } } })
  expect(early.body.error.details[0].index).toBe(0)
  const moved = await batch(
    { op: 'record.patch', id: 'm1', slug: null },
    { op: 'record.patch', id: 'm2', slug: 'one' },
    { op: 'record.patch', id: 'm1', slug: 'two' },
  )
  expect(moved.status).toBe(200)
  expect([await holders('one'), await holders('two')]).toEqual([['k m2'], ['k m1']])
  const inherited = await batch(
    { op: 'record.delete', id: 'm1' },
    { op: 'record.create', kind: 'k', slug: 'two', ref: 'heir' },
  )
  expect(inherited.status).toBe(200)
  expect(await holders('two')).toEqual([`k ${inherited.body.data.results[1].id}`])
})

test('D-31 a refused batch leaves every slug where it was', async () => {
  await put('s1', { kind: 'k', slug: 'stay' })
  const refused = await batch(
    { op: 'record.patch', id: 's1', slug: 'gone' },
    { op: 'record.patch', id: 'never', slug: 'stay' },
  )
  expect(refused.status).toBe(404)
  expect([await holders('stay'), await holders('gone')]).toEqual([['k s1'], []])
  expect(await put('s2', { kind: 'k', slug: 'stay' })).toMatchObject(taken)
  expect((await put('s2', { kind: 'k', slug: 'gone' })).status).toBe(201)
})

test('D-31 of many concurrent creates of one slug, exactly one is applied', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => put(`race${n}`, { kind: 'k', slug: 'raced' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(409)])
  expect(await holders('raced')).toHaveLength(1)
})

test('D-31 a slug of another shape is refused', async () => {
  for (const slug of ['', 'Ann', '-a', '.a', 'a b', 'ä', 'a'.repeat(129)])
    expect((await put('shape', { kind: 'k', slug })).status, slug).toBe(400)
  for (const slug of ['a', '0', 'a.b_c-d', 'a'.repeat(128)])
    expect((await put('shape', { kind: 'k', slug })).status, slug).toBeLessThan(300)
})
