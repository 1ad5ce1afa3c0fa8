import { expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useBrain } from '../../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)

type Item = { id: string; version: number }
const read = async (of: TestBrain, below: string) => (await of.call('GET', below)).body.data

/** Every page of a list, one after the other, and how many there were. */
const allPages = async (of: TestBrain, list: string, name: string) => {
  const items: Item[] = []
  let page = await read(of, list)
  let pages = 1
  items.push(...page[name])
  while (page.hasMore) {
    page = await read(of, `${list}&after=${page.cursor}`)
    items.push(...page[name])
    pages++
  }
  return { items, pages }
}

test('D-03 a list of records is read page by page, each record once, and hasMore ends with the last one', async () => {
  const of = await createBrain(app, 'paged')
  const ids = Array.from({ length: 25 }, (_, n) => `r${String(n).padStart(2, '0')}`)
  const operations = ids.map((id) => ({ op: 'record.put', id, kind: 'k' }))
  await of.call('POST', '/batch', { operations: operations.reverse() })
  for (const [limit, pages] of [
    [1, 25],
    [7, 4],
    [12, 3],
    [25, 1],
    [500, 1],
  ]) {
    const all = await allPages(of, `/records?limit=${limit}`, 'records')
    expect(all.items.map(({ id }) => id)).toEqual(ids)
    expect(all.pages).toBe(pages)
  }
  const last = await read(of, '/records?limit=25')
  expect(last.hasMore).toBe(false)
  const beyond = await read(of, `/records?after=${last.cursor}`)
  expect(beyond).toMatchObject({ records: [], hasMore: false, cursor: last.cursor })
})

test('D-03 limit is a whole number from 1 to 500, and 100 where it is left out', async () => {
  const of = await createBrain(app, 'limits')
  const operations = Array.from({ length: 120 }, () => ({ op: 'record.create', kind: 'k' }))
  await of.call('POST', '/batch', { operations })
  expect((await read(of, '/records')).records).toHaveLength(100)
  for (const limit of ['0', '501', '-1', '1.5', 'x', ''])
    expect((await of.call('GET', `/records?limit=${limit}`)).status, limit).toBe(400)
})

test('D-30 a list is narrowed by kind, by slug and by both', async () => {
  const of = await createBrain(app, 'narrowed')
  const put = (id: string, kind: string, slug?: string) => of.call('PUT', `/records/${id}`, { kind, slug })
  await put('a', 'person', 'x')
  await put('b', 'person', 'y')
  await put('c', 'robot', 'x')
  await put('d', 'robot')
  const ids = async (query: string) => (await read(of, `/records?${query}`)).records.map(({ id }: Item) => id)
  expect(await ids('kind=person')).toEqual(['a', 'b'])
  expect(await ids('slug=x')).toEqual(['a', 'c'])
  expect(await ids('slug=x&kind=robot')).toEqual(['c'])
  expect(await ids('kind=nobody')).toEqual([])
  expect((await of.call('GET', '/records?kind=1')).status).toBe(400)
})

test('EVT-09 D-54b a cursor of another list, another record or another Brain is refused', async () => {
  await brain.call('POST', '/batch', {
    operations: ['p', 'q'].flatMap((id) => [1, 2].map((n) => ({ op: 'record.put', id, kind: 'k', fields: { n } }))),
  })
  const other = await createBrain(app, 'stranger')
  await other.call('PUT', '/records/p', { kind: 'k' })
  const cursors = {
    records: (await read(brain, '/records?limit=1')).cursor,
    history: (await read(brain, '/records/p/history?limit=1')).cursor,
    events: (await read(brain, '/events?limit=1')).cursor,
    foreign: (await read(other, '/records?limit=1')).cursor,
  }
  const refused = (list: string, after: string) => brain.call('GET', `${list}?after=${after}`)
  for (const [list, after] of [
    ['/records', cursors.history],
    ['/records', cursors.events],
    ['/records', cursors.foreign],
    ['/records/q/history', cursors.history],
    ['/records/p/history', cursors.records],
    ['/statements', cursors.records],
    ['/documents', cursors.records],
    ['/events', cursors.records],
  ] as const)
    expect(await refused(list, after), list).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  expect((await refused('/records', cursors.records)).status).toBe(200)
  expect((await read(brain, `/records/p/history?after=${cursors.history}`)).versions).toMatchObject([
    { record: { version: 2 } },
  ])
})

test('D-07 asOf shows a record and every list as they were, at each state of the Brain', async () => {
  const of = await createBrain(app, 'timeline')
  const states: Map<string, object>[] = [new Map()]
  const steps: [string, string, object?][] = [
    ['PUT', 'a', { kind: 'k', slug: 's', fields: { n: 1 } }],
    ['PUT', 'b', { kind: 'other', fields: { n: 1 } }],
    ['PATCH', 'a', { fields: { n: 2 }, slug: null }],
    ['PATCH', 'b', { slug: 's', kind: 'k' }],
    ['DELETE', 'a'],
    ['PUT', 'a', { kind: 'k', fields: { n: 3 } }],
    ['DELETE', 'b'],
  ]
  for (const [method, id, body] of steps) {
    const { data } = (await of.call(method, `/records/${id}`, body)).body
    const state = new Map(states.at(-1))
    if (method === 'DELETE') state.delete(id)
    else state.set(id, data.record)
    states.push(state)
    expect(data.stateVersion).toBe(states.length - 1)
  }
  for (const [asOf, state] of states.entries()) {
    const records = [...state.values()] as { id: string; kind: string; slug: string | null }[]
    records.sort((one, two) => (one.id < two.id ? -1 : 1))
    expect(await read(of, `/records?asOf=${asOf}`)).toMatchObject({ records, stateVersion: asOf, hasMore: false })
    const holders = records.filter(({ slug, kind }) => slug === 's' && kind === 'k')
    expect((await read(of, `/records?asOf=${asOf}&slug=s&kind=k`)).records).toEqual(holders)
    for (const id of ['a', 'b']) {
      const answer = await of.call('GET', `/records/${id}?asOf=${asOf}`)
      if (state.has(id)) expect(answer.body.data).toEqual({ record: state.get(id), stateVersion: asOf })
      else expect(answer.status).toBe(404)
    }
  }
  const ahead = await of.call('GET', `/records?asOf=${states.length}`)
  expect(ahead).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  for (const bad of ['-1', '1.5', 'now', '9007199254740993'])
    expect((await of.call('GET', `/records/a?asOf=${bad}`)).status, bad).toBe(400)
})

test('D-35 every version has the change, the key, and the given source, receipt and trust', async () => {
  const writer = await brain.mintKey(['write'])
  const { receipt } = (await brain.call('GET', '/search?q=ada')).body.data
  const given = { source: 'crm', receipt, trust: 'unverified' }
  await brain.call('PUT', '/records/traced', { kind: 'k', provenance: given }, { key: writer })
  await brain.call('PATCH', '/records/traced', { fields: { a: 1 } })
  const { versions } = await read(brain, '/records/traced/history')
  const [first, second] = versions.map((version: { record: { provenance: object } }) => version.record.provenance)
  expect(first).toEqual({ ...given, change: expect.stringMatching(/^chg_/), key: expect.stringMatching(/^key_/) })
  expect(first.key).not.toBe(brain.keyId)
  expect(second).toEqual({ change: versions[0].ended.change, key: brain.keyId })
})

test('KNO-07 reading records, statements and documents needs read, and writing them needs write', async () => {
  await brain.call('PUT', '/records/guarded', { kind: 'k' })
  const [reader, writer] = [await brain.mintKey(['read']), await brain.mintKey(['write', 'review', 'admin'])]
  for (const below of [
    '/records',
    '/records/guarded',
    '/records/guarded/history',
    '/statements',
    '/documents',
    '/events',
  ]) {
    expect((await brain.call('GET', below, undefined, { key: reader })).status, below).toBe(200)
    const refused = await brain.call('GET', below, undefined, { key: writer })
    expect(refused, below).toMatchObject({ status: 403, body: { error: { kind: 'forbidden' } } })
    expect((await brain.call('GET', below, undefined, { key: 'nbk_none' })).status).toBe(401)
  }
  for (const [method, below, body] of [
    ['POST', '/records', { kind: 'k' }],
    ['PUT', '/records/guarded', { kind: 'k' }],
    ['PATCH', '/records/guarded', {}],
    ['DELETE', '/records/guarded', undefined],
    ['POST', '/statements', { subject: { id: 'guarded', kind: 'k' }, predicate: 'p', object: { value: 1 } }],
    ['DELETE', '/statements/x', undefined],
    ['POST', '/documents', { text: 'x' }],
    ['DELETE', '/documents/x', undefined],
    ['POST', '/batch', { operations: [{ op: 'record.delete', id: 'guarded' }] }],
  ] as const) {
    const refused = await brain.call(method, below, body, { key: reader })
    expect(refused, `${method} ${below}`).toMatchObject({ status: 403, body: { error: { kind: 'forbidden' } } })
    expect((await brain.call(method, below, body, { key: 'nbk_none' })).status).toBe(401)
  }
  expect((await brain.call('GET', '/records/guarded')).body.data.record.version).toBe(1)
})
