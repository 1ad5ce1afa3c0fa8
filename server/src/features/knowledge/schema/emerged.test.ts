import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import { approve, type Brain, evolve } from './schema-app.fixture.ts'

const app = useApp()

type Emerged = {
  id: string
  field: string | null
  count: number
  seen: string[]
  suggested: { type: string; many: boolean }
}
const emergedIn = async (brain: Brain): Promise<Emerged[]> =>
  (await brain.call('GET', '/schema/emerged')).body.data.emerged
const counts = async (brain: Brain) => (await emergedIn(brain)).map(({ id, count }) => [id, count])
const put = (brain: Brain, id: string, fields: object, kind = 'K') =>
  brain.call('PUT', `/records/${id}`, { kind, fields })

test('D-36 undeclared kinds and fields are counted by the records that have them, through any rewrites', async () => {
  const brain = await createBrain(app, 'counts')
  await put(brain, 'a', { x: 1 })
  await put(brain, 'a', { x: 2, y: 1 })
  await brain.call('PATCH', '/records/a', { fields: { x: 3 } })
  await put(brain, 'b', { x: 1 })
  await put(brain, 'b', { x: 1 })
  await brain.call('DELETE', '/records/b')
  await brain.call('PATCH', '/records/a', { kind: 'L' })
  expect(await counts(brain)).toEqual([
    ['K', 2],
    ['K/x', 2],
    ['K/y', 1],
    ['L', 1],
    ['L/x', 1],
    ['L/y', 1],
  ])
})

test('D-36 counts hold with many writers at once, on two nodes, and a refused write counts nothing', async () => {
  const brain = await createBrain(app, 'writers')
  const node = await app.startNode()
  const writes = Array.from({ length: 120 }, (_, index) => {
    const request = index % 2 === 0 ? app.request : node.request
    const slug = index % 10 === 0 ? { slug: 'same' } : {}
    const body = { kind: 'K', fields: { all: index, ...(index % 3 === 0 ? { third: true } : {}) }, ...slug }
    return request('PUT', `${brain.path}/records/w${index}`, { key: brain.key, body })
  })
  const landed = (await Promise.all(writes)).filter(({ status }) => status === 201).map(({ body }) => body.data.record)
  await node.close()
  expect(landed).toHaveLength(109)
  const thirds = landed.filter(({ fields }) => 'third' in fields).length
  expect(await counts(brain)).toEqual([
    ['K', 109],
    ['K/all', 109],
    ['K/third', thirds],
  ])
})

test('D-36 the suggested type accepts every value so far, and no value is shown', async () => {
  const brain = await createBrain(app, 'types')
  const seen: Record<string, unknown[]> = {
    integer: [1, 2],
    number: [1, 2.5],
    boolean: [true],
    date: ['2026-01-01'],
    datetime: ['2026-01-01T00:00:00Z'],
    string: ['secret-value', '2026-01-01'],
    text: ['secret-value', 'x'.repeat(300)],
    json: [{ 'secret-value': 1 }, 1],
  }
  for (const [type, values] of Object.entries(seen))
    for (const [index, value] of values.entries())
      await put(brain, `${type}${index}`, { one: value, list: [value] }, `Of.${type}`)
  const emerged = await emergedIn(brain)
  for (const type of Object.keys(seen)) {
    const suggested = (id: string) => emerged.find((entry) => entry.id === id)?.suggested
    expect([type, suggested(`Of.${type}/one`)]).toEqual([type, { type, many: false }])
    expect([type, suggested(`Of.${type}/list`)]).toEqual([type, { type, many: true }])
  }
  expect(JSON.stringify(emerged)).not.toContain('secret-value')
})

test('BRN-08 promoting proposes what emerged by its suggested types, and declared it leaves the list', async () => {
  const brain = await createBrain(app, 'promote')
  await put(brain, 'a', { n: 1, s: 'a', rest: null })
  const promoted = await brain.call('POST', '/schema/promote', { emerged: ['K/n', 'K'] })
  expect(promoted).toMatchObject({
    status: 202,
    body: { data: { outcome: 'staged', items: [{ target: { id: 'K' } }] } },
  })
  await approve(brain, promoted.body.data.change.id)
  const { kinds } = (await brain.call('GET', '/schema')).body.data.schema
  expect(kinds).toMatchObject([{ kind: 'K', strict: false, fields: [{ name: 'n', type: 'integer', many: false }] }])
  await put(brain, 'b', { n: 2, s: 'b' })
  expect(await counts(brain)).toEqual([
    ['K/rest', 1],
    ['K/s', 2],
  ])
  const text = await brain.call('POST', '/schema/promote', { emerged: ['K/s'], as: 'text' })
  await approve(brain, text.body.data.change.id)
  expect((await brain.call('GET', '/schema')).body.data.schema.kinds[0].fields[1]).toMatchObject({
    name: 's',
    type: 'text',
  })
  expect((await brain.call('POST', '/schema/promote', { emerged: ['K/s'] })).status).toBe(404)
  expect((await brain.call('POST', '/schema/promote', { emerged: ['Never'] })).status).toBe(404)
})

test('D-36 emergent structure is read page by page, a kind before its fields', async () => {
  const brain = await createBrain(app, 'pages')
  await put(brain, 'a', { 'b/c': 1, a: 1 })
  await put(brain, 'b', {}, 'A')
  const ids: string[] = []
  for (let after = '', more = true; more; ) {
    const page = (await brain.call('GET', `/schema/emerged?limit=1${after}`)).body.data
    ids.push(...page.emerged.map(({ id }: { id: string }) => id))
    after = `&after=${page.cursor}`
    more = page.hasMore
  }
  expect(ids).toEqual(['A', 'K', 'K/a', 'K/b/c'])
  await evolve(brain, { op: 'addKind', kind: 'K', fields: [{ name: 'b/c', type: 'integer' }] })
  expect(await counts(brain)).toEqual([
    ['A', 1],
    ['K/a', 1],
  ])
})
