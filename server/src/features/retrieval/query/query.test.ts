import { beforeAll, expect, test } from 'vitest'
import { createBrain, createMember } from '../../../test/app.ts'
import { useApp, useBrain } from '../../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)
beforeAll(async () => {
  await brain.call('POST', '/batch', {
    operations: [
      ...['ada', 'bob', 'cyd', 'dan'].map((id, index) => ({
        op: 'record.put',
        id,
        kind: 'person',
        slug: id,
        fields: { name: id, age: index },
      })),
      { op: 'record.put', id: 'acme', kind: 'company', slug: 'ada' },
    ],
  })
})

const query = (body: object) => brain.call('POST', '/query', { kind: 'person', ...body })
const listIds = (answer: Awaited<ReturnType<typeof query>>): string[] =>
  answer.body.data.records.map(({ id }: { id: string }) => id)
const notReady = (field: string) => ({
  status: 400,
  body: { error: { kind: 'validation', code: 'index_not_ready', message: expect.stringContaining(field) } },
})

test('QRY-02 QRY-03 a record is found by exact equality of its slug, within its kind', async () => {
  for (const slug of ['ada', { eq: 'ada' }]) {
    const answer = await query({ where: { slug } })
    expect(answer.status).toBe(200)
    expect(answer.body.data).toMatchObject({
      records: [{ id: 'ada', kind: 'person', slug: 'ada', fields: { name: 'ada', age: 0 }, version: 1 }],
      hasMore: false,
      stateVersion: 1,
      receipt: expect.stringMatching(/^rcp_/),
    })
  }
  expect(listIds(await query({ kind: 'company', where: { slug: 'ada' } }))).toEqual(['acme'])
  expect(listIds(await query({ where: { slug: 'nobody' } }))).toEqual([])
  expect(listIds(await query({ kind: 'nothing' }))).toEqual([])
  expect(listIds(await query({}))).toEqual(['ada', 'bob', 'cyd', 'dan'])
})

test.each([
  ['slug', { slug: { in: ['ada'] } }],
  ['slug', { slug: { gt: 'a' } }],
  ['slug', { slug: { eq: 'ada', gt: 'a' } }],
  ['slug', { slug: { eq: 5 } }],
  ['slug', { slug: null }],
  ['slug', { slug: ['ada'] }],
  ['name', { name: 'ada' }],
  ['name', { slug: 'ada', name: { eq: 'ada' } }],
  ['age', { age: { gt: 1 } }],
  ['id', { id: 'ada' }],
  ['nobody knows', { 'nobody knows': { like: '%' } }],
  ['constructor', { constructor: 1 }],
])('QRY-03 D-52 any other predicate is index_not_ready and names the field %s: %j', async (field, where) => {
  expect(await query({ where })).toMatchObject(notReady(field))
})

test.each([
  [{ unknown: 1 }],
  [{ kind: undefined }],
  [{ kind: 'a b' }],
  [{ links: { depth: 3 } }],
  [{ links: { depth: -1 } }],
  [{ links: { depth: 1, also: 1 } }],
  [{ limit: 0 }],
  [{ limit: 501 }],
  [{ after: 'nonsense' }],
  [{ asOf: -1 }],
  [{ asOf: 1_000_000 }],
  [{ select: 'name' }],
  [{ where: [] }],
  [{ consumerId: '' }],
])('QRY-02 SUR-07 the body is strict: %j is refused', async (body) => {
  expect(await query(body)).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
})

test('QRY-02 querying takes read, and a foreign Brain is not found', async () => {
  const body = { kind: 'person' }
  const call = async (key: string) => (await brain.call('POST', '/query', body, { key })).status
  expect(await call(await brain.mintKey(['read']))).toBe(200)
  expect(await call(await brain.mintKey(['write', 'review', 'admin']))).toBe(403)
  expect(await call((await createMember(app)).key)).toBe(404)
})

test('D-52 pages go by a cursor that belongs to its own query', async () => {
  const first = await query({ limit: 3 })
  expect(listIds(first)).toEqual(['ada', 'bob', 'cyd'])
  const { cursor, hasMore } = first.body.data
  expect(hasMore).toBe(true)
  const second = await query({ limit: 3, after: cursor })
  expect([listIds(second), second.body.data.hasMore]).toEqual([['dan'], false])
  expect(listIds(await query({ after: second.body.data.cursor }))).toEqual([])
  expect((await query({ kind: 'company', after: cursor })).status).toBe(400)
  expect((await query({ where: { slug: 'ada' }, after: cursor })).status).toBe(400)
  const list = (await brain.call('GET', '/records')).body.data.cursor
  expect((await query({ after: list })).status).toBe(400)
})

test('D-52 select names the fields that are answered', async () => {
  const { records } = (await query({ where: { slug: 'ada' }, select: ['age', 'other'] })).body.data
  expect(records).toMatchObject([{ id: 'ada', slug: 'ada', version: 1 }])
  expect(records[0].fields).toEqual({ age: 0 })
  expect((await query({ where: { slug: 'ada' }, select: [] })).body.data.records[0].fields).toEqual({})
})

test('D-52 asOf shows the Brain of that state, slugs included', async () => {
  const other = await createBrain(app, 'past')
  const ask = async (body: object) =>
    (await other.call('POST', '/query', { kind: 'k', ...body })).body.data.records.map(
      ({ id, version }: { id: string; version: number }) => [id, version],
    )
  await other.call('PUT', '/records/one', { kind: 'k', slug: 'name' })
  await other.call('PATCH', '/records/one', { slug: 'renamed' })
  await other.call('PUT', '/records/two', { kind: 'k', slug: 'name' })
  await other.call('DELETE', '/records/one')
  const twice = [1, 2].map((a) => ({ op: 'record.patch', id: 'two', fields: { a } }))
  await other.call('POST', '/batch', { operations: twice })
  expect(await ask({ where: { slug: 'name' } })).toEqual([['two', 3]])
  expect(await ask({ where: { slug: 'name' }, asOf: 1 })).toEqual([['one', 1]])
  expect(await ask({ where: { slug: 'name' }, asOf: 2 })).toEqual([])
  expect(await ask({ where: { slug: 'name' }, asOf: 4 })).toEqual([['two', 1]])
  expect(await ask({ where: { slug: 'renamed' }, asOf: 3 })).toEqual([['one', 2]])
  expect(await ask({ asOf: 3 })).toEqual([
    ['one', 2],
    ['two', 1],
  ])
})

test('D-52 QRY-04 links lead at most two steps on, each record once, and the receipt pins those too', async () => {
  const other = await createBrain(app, 'linked')
  const link = (predicate: string, to: string) => ({ predicate, to })
  const put = (id: string, links: object[]) => ({ op: 'record.put', id, kind: id === 'a' ? 'start' : 'k', links })
  await other.call('POST', '/batch', {
    operations: [
      put('a', []),
      put('e', []),
      put('d', [link('next', 'e')]),
      put('c', [link('next', 'd'), link('back', 'a')]),
      put('b', [link('next', 'c'), link('next', 'b'), link('back', 'a')]),
      put('a', [link('next', 'b'), link('side', 'e'), link('next', 'b')]),
    ],
  })
  const ask = async (links: object) => (await other.call('POST', '/query', { kind: 'start', links })).body.data
  const linked = async (links: object) => (await ask(links)).linked.map(({ id }: { id: string }) => id)
  expect(await linked({})).toEqual(['b', 'e'])
  expect(await linked({ depth: 0 })).toEqual([])
  expect(await linked({ depth: 2 })).toEqual(['b', 'e', 'c'])
  expect(await linked({ depth: 2, predicate: 'next' })).toEqual(['b', 'c'])
  expect(await linked({ predicate: 'none' })).toEqual([])
  const { receipt } = await ask({ depth: 2, predicate: 'next' })
  const served = (await other.call('GET', `/receipts/${receipt}`)).body.data.receipt.served
  expect(served.records.map(({ id }: { id: string }) => id)).toEqual(['a', 'b', 'c'])
  await other.call('DELETE', '/records/b')
  expect(await linked({ depth: 2 })).toEqual(['e'])
  const { data } = (await other.call('POST', '/query', { kind: 'start', links: { depth: 2 }, asOf: 1 })).body
  expect(data.linked.map(({ id }: { id: string }) => id)).toEqual(['b', 'e', 'c'])
})

test('D-52 no more than 500 linked records are answered', async () => {
  const other = await createBrain(app, 'many')
  const ids = Array.from({ length: 600 }, (_, index) => `r${index}`)
  const links = ids.map((to) => ({ predicate: 'has', to }))
  const operations = [
    ...ids.map((id) => ({ op: 'record.put', id, kind: 'k' })),
    { op: 'record.put', id: 'all', kind: 'all', links },
  ]
  expect((await other.call('POST', '/batch', { operations })).status).toBe(200)
  const answer = await other.call('POST', '/query', { kind: 'all', links: {} })
  expect(answer.body.data.linked).toHaveLength(500)
})
