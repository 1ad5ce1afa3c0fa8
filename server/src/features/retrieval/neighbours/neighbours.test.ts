import { neighbourLimits } from '@noema/contracts/neighbours.ts'
import { expect, test } from 'vitest'
import { useApp, useBrainPerTest, useMember } from '../../../test/harness.ts'

const app = useApp()
const member = useMember(app)
const brain = useBrainPerTest(app, member)

type Link = { predicate: string; to: string }

const write = async (...operations: object[]): Promise<number> => {
  const { status, body } = await brain.call('POST', '/batch', { operations })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.stateVersion
}
const to = (...targets: string[]): Link[] => targets.map((target) => ({ predicate: 'uses', to: target }))
const put = (id: string, links: Link[] = [], kind = 'thing') => ({
  ...{ op: 'record.put', id, kind, links },
  fields: { name: `The ${id}`, notes: 'long' },
})
const say = (id: string, subject: string, object: object) => ({
  ...{ op: 'statement.assert', id, predicate: 'knows', object },
  subject: { id: subject, kind: 'thing' },
})
const record = (id: string) => ({ record: { id, kind: 'thing' } })

const read = async (id: string, query = '') => {
  const { status, body } = await brain.call('GET', `/records/${id}/neighbours?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data
}
const listIds = async (id: string, query = ''): Promise<string[]> =>
  (await read(id, query)).records.map((one: { id: string }) => one.id)

test('D-30 D-32 the records around one are those that links and statements lead to and from, each once with its relations', async () => {
  const links = [{ predicate: 'uses', to: 'b' }]
  await write(put('a', links), put('b', to('a')), put('c', to('a'), 'person'), put('d'), put('far', to('d')))
  await write(
    say('s1', 'a', record('d')),
    { ...say('s2', 'c', record('a')), subject: { id: 'c', kind: 'person' } },
    say('s3', 'a', { value: 'tall' }),
  )
  const found = await read('a', 'select=name')
  expect(found).toEqual({
    records: [
      {
        id: 'a',
        kind: 'thing',
        slug: null,
        version: 1,
        fields: { name: 'The a' },
        distance: 0,
        hidden: 0,
        hasMore: false,
      },
      ...['b', 'd', 'c'].map((id) => ({
        ...{ id, kind: id === 'c' ? 'person' : 'thing', slug: null, version: 1, fields: { name: `The ${id}` } },
        ...{ distance: 1, hidden: id === 'd' ? 1 : 0, hasMore: false },
      })),
    ],
    relations: [
      { type: 'link', from: 'a', to: 'b', predicate: 'uses' },
      { type: 'statement', from: 'a', to: 'd', predicate: 'knows', statement: 's1' },
      { type: 'link', from: 'b', to: 'a', predicate: 'uses' },
      { type: 'link', from: 'c', to: 'a', predicate: 'uses' },
      { type: 'statement', from: 'c', to: 'a', predicate: 'knows', statement: 's2' },
    ],
    stateVersion: 2,
  })
  expect((await read('a')).records[0].fields).toEqual({})
})

test('D-30 the walk has the requested number of steps, nearest first, and names missing records', async () => {
  await write(put('a', to('b')), put('b', to('c', 'a')), put('c', to('d', 'nobody')), put('d', to('e')), put('e'))
  expect(await listIds('a')).toEqual(['a', 'b'])
  expect(await listIds('a', 'depth=2')).toEqual(['a', 'b', 'c'])
  const { records, relations } = await read('a', 'depth=3')
  expect(records.map(({ id, kind, distance }: Record<string, unknown>) => [id, kind, distance])).toEqual([
    ['a', 'thing', 0],
    ['b', 'thing', 1],
    ['c', 'thing', 2],
    ['d', 'thing', 3],
    ['nobody', null, 3],
  ])
  expect(relations).toHaveLength(5)
})

test('D-30 the requested number of neighbours of a hub is followed, and hidden ones are counted', async () => {
  const leaves = Array.from({ length: neighbourLimits.perRecord + 10 }, (_, index) => `leaf-${1000 + index}`)
  await write(put('hub'), ...leaves.map((id) => put(id, to('hub'))), put('near', to('hub', 'leaf-1000')))
  const few = await read('hub', 'perRecord=3')
  expect(few.records).toHaveLength(4)
  expect(few.records[0]).toMatchObject({ id: 'hub', hidden: neighbourLimits.perRecord - 3, hasMore: true })
  // A hub on the way does not hide what else a record is related to.
  expect(await listIds('near', 'depth=2&perRecord=2')).toEqual(['near', 'hub', 'leaf-1000', 'leaf-1001', 'leaf-1002'])
})

test('D-30 kinds say which records are returned and gone through', async () => {
  await write(put('a', to('b', 'p')), put('b', to('c')), put('p', to('q'), 'person'), put('c'), put('q', [], 'person'))
  expect(await listIds('a', 'depth=2&kinds=person')).toEqual(['a', 'p', 'q'])
  expect((await read('a', 'depth=2&kinds=person')).records[0].hidden).toBe(0)
  expect(await listIds('a', 'depth=2&kinds=person,thing')).toEqual(['a', 'b', 'p', 'c', 'q'])
  expect(await listIds('a', 'kinds=nothing')).toEqual(['a'])
})

test('D-30 D-07 the neighbourhood of a record at an earlier state can be read', async () => {
  const first = await write(put('a', to('b')), put('b'), put('c'), say('s1', 'a', record('c')))
  const second = await write(put('a'), { op: 'statement.retract', id: 's1' }, put('d', to('a')))
  await write({ op: 'record.delete', id: 'd' })
  expect(await listIds('a', `asOf=${first}`)).toEqual(['a', 'b', 'c'])
  expect(await listIds('a', `asOf=${second}`)).toEqual(['a', 'd'])
  expect(await listIds('a')).toEqual(['a'])
  expect((await read('a', `asOf=${second}`)).stateVersion).toBe(second)
  expect((await brain.call('GET', '/records/d/neighbours')).status).toBe(404)
  expect((await brain.call('GET', `/records/d/neighbours?asOf=${first}`)).status).toBe(404)
  expect((await brain.call('GET', '/records/a/neighbours?asOf=99')).status).toBe(400)
})

test('D-30 an answer has 500 records at most, of 4 MiB at most, and says that there are more', async () => {
  const targets = (hub: number) => Array.from({ length: 30 }, (_, index) => `leaf-${hub}-${index}`)
  const hubs = Array.from({ length: 20 }, (_, hub) => hub)
  const leaves = hubs.flatMap(targets).map((id) => put(id))
  await write(
    put('a', to(...hubs.map((hub) => `hub-${hub}`))),
    ...hubs.map((hub) => put(`hub-${hub}`, to(...targets(hub)))),
  )
  await write(...leaves)
  const wide = await read('a', 'depth=2&perRecord=250')
  expect(wide).toMatchObject({ truncated: true })
  expect(wide.records).toHaveLength(neighbourLimits.records)
  expect((await read('a', 'depth=2&perRecord=20')).truncated).toBeUndefined()
  const large = ['x', 'y', 'z', 'u', 'v', 'w'].map((id) => ({ ...put(id), fields: { text: id.repeat(900_000) } }))
  for (const one of large) await write(one)
  await write(put('heavy', to(...large.map(({ id }) => id))))
  const heavy = await read('heavy')
  expect(heavy.truncated).toBe(true)
  expect(heavy.records.length).toBeLessThan(6)
  expect(heavy.records.every(({ kind }: { kind: string | null }) => kind !== null)).toBe(true)
})

test('D-30 a wrong request is refused by name', async () => {
  await write(put('a'))
  for (const [query, path] of [
    ['depth=4', 'query.depth'],
    ['perRecord=0', 'query.perRecord'],
    ['perRecord=251', 'query.perRecord'],
    ['kinds=1x', 'query.kinds.0'],
  ]) {
    const { status, body } = await brain.call('GET', `/records/a/neighbours?${query}`)
    expect(status).toBe(400)
    expect(body.error.details).toMatchObject([{ path }])
  }
  expect((await brain.call('GET', '/records/nobody/neighbours')).status).toBe(404)
})
