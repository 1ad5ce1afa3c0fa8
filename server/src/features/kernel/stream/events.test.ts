import { beforeAll, expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp, useBrain } from '../../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)
/** The events of the shared Brain, in order. */
let types: string[]
beforeAll(async () => {
  await brain.call('PUT', '/records/a', { kind: 'k' })
  await brain.call('POST', '/documents', { id: 'd', text: 'x' })
  await brain.call('POST', '/batch', {
    operations: [
      { op: 'statement.assert', id: 's', subject: { id: 'a', kind: 'k' }, predicate: 'p', object: { value: 1 } },
      { op: 'record.put', id: 'b', kind: 'k' },
      { op: 'document.retire', id: 'd' },
    ],
  })
  await brain.call('DELETE', '/records/a')
  types = [
    'record.accepted',
    'document.served',
    'statement.asserted',
    'record.accepted',
    'document.retired',
    'statement.retracted',
    'record.deleted',
  ]
})

type Event = { cursor: string; type: string; occurredAt: string; data: Record<string, unknown> }
type Page = { events: Event[]; cursor: string; hasMore: boolean }
const read = async (query = '', of = brain): Promise<Page> => (await of.call('GET', `/events${query}`)).body.data
const listTypes = (page: Page) => page.events.map(({ type }) => type)

/** Every page from the beginning. */
const readPages = async (query: string, of = brain): Promise<Page[]> => {
  const pages = [await read(`?${query}`, of)]
  while (pages.at(-1)?.hasMore) pages.push(await read(`?${query}&after=${pages.at(-1)?.cursor}`, of))
  return pages
}

test('EVT-04 a reader starts with the newest events, or with later ones', async () => {
  expect(listTypes(await read('?newest=2'))).toEqual(types.slice(-2))
  expect(listTypes(await read('?newest=500'))).toEqual(types)
  const end = await read('?newest=0')
  expect(end).toMatchObject({ events: [], hasMore: false })
  expect((await read(`?after=${end.cursor}`)).events).toEqual([])
  const first = (await read('?limit=1')).cursor
  expect(listTypes(await read(`?newest=1&after=${first}`))).toEqual(types.slice(1))
  expect((await brain.call('GET', '/events?newest=501')).status).toBe(400)
})

test('EVT-01 EVT-02 EVT-03 a page lists the events in the order of their commits, each with cursor, type, occurredAt and data', async () => {
  const page = await read()
  expect(Object.keys(page)).toEqual(['events', 'cursor', 'hasMore'])
  expect(listTypes(page)).toEqual(types)
  for (const event of page.events) {
    expect(Object.keys(event)).toEqual(['cursor', 'type', 'occurredAt', 'data'])
    expect(event.occurredAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  }
  expect(new Set(page.events.map(({ cursor }) => cursor)).size).toBe(types.length)
  const states = page.events.flatMap(({ data }) => data.stateVersion ?? [])
  expect(states).toEqual([1, 3, 3, 4, 4])
})

test('EVT-04 after takes the cursor of a page or of any event, and without it a read begins at the beginning', async () => {
  const all = await read()
  for (const [index, { cursor }] of all.events.entries())
    expect((await read(`?after=${cursor}`)).events).toEqual(all.events.slice(index + 1))
  expect((await read(`?after=${all.cursor}`)).events).toEqual([])
  expect((await read()).events).toEqual(all.events)
})

test('EVT-03 EVT-07 pages of any size, read one after the other, are the stream: nothing missed, nothing twice', async () => {
  const all = await read()
  for (let limit = 1; limit <= types.length + 1; limit++) {
    const pages = await readPages(`limit=${limit}`)
    expect(pages.flatMap(({ events }) => events)).toEqual(all.events)
    expect(pages.slice(0, -1).every(({ hasMore }) => hasMore)).toBe(true)
    expect(pages).toHaveLength(Math.ceil(types.length / limit))
  }
})

test('EVT-01 limit is 1 to 500 and defaults to 100', async () => {
  const of = await createBrain(app, 'limits')
  const operations = Array.from({ length: 510 }, (_, n) => ({ op: 'record.put', id: `r${n}`, kind: 'k' }))
  await of.call('POST', '/batch', { operations })
  expect((await read('', of)).events).toHaveLength(100)
  expect((await read('?limit=500', of)).events).toHaveLength(500)
  expect(await read('', of)).toMatchObject({ hasMore: true })
  for (const limit of ['0', '501', '-1', 'ten', '1.5', '']) {
    const refused = await of.call('GET', `/events?limit=${limit}`)
    expect(refused, limit).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  }
})

test('EVT-07 hasMore is false exactly at the last committed event', async () => {
  const of = await createBrain(app, 'ends')
  const empty = await read('', of)
  expect(empty).toEqual({ events: [], cursor: expect.any(String), hasMore: false })
  await of.call('PUT', '/records/a', { kind: 'k' })
  await of.call('PUT', '/records/b', { kind: 'k' })
  const one = await read(`?after=${empty.cursor}&limit=1`, of)
  expect([one.events.length, one.hasMore]).toEqual([1, true])
  const two = await read(`?after=${one.cursor}&limit=1`, of)
  expect([two.events.length, two.hasMore]).toEqual([1, false])
  const three = await read(`?after=${two.cursor}&limit=1`, of)
  expect(three).toEqual({ events: [], cursor: two.cursor, hasMore: false })
  await of.call('PUT', '/records/c', { kind: 'k' })
  expect((await read(`?after=${three.cursor}`, of)).events).toHaveLength(1)
})

test('EVT-01 EVT-05 types chooses events by name, and an unknown name is refused', async () => {
  expect(listTypes(await read('?types=record.accepted'))).toEqual(['record.accepted', 'record.accepted'])
  expect(listTypes(await read('?types=record.deleted,document.served'))).toEqual(['document.served', 'record.deleted'])
  expect(listTypes(await read('?types=record.deleted,%20document.served,record.deleted'))).toEqual([
    'document.served',
    'record.deleted',
  ])
  expect(listTypes(await read('?types=date.reached'))).toEqual([])
  for (const [bad, named] of [
    ['record.made', 'record.made'],
    ['record.accepted,nope', 'nope'],
    ['', ''],
    ['record.accepted,', ''],
    ['RECORD.DELETED', 'RECORD.DELETED'],
    ['toString', 'toString'],
  ]) {
    const refused = await brain.call('GET', `/events?types=${bad}`)
    expect(refused, bad).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
    expect(refused.body.error.message).toContain(`"${named}"`)
  }
})

test('EVT-06 the page cursor moves past events that types leaves out, also when events is empty', async () => {
  const none = await read('?types=date.reached')
  expect(none).toMatchObject({ events: [], hasMore: false })
  expect((await read(`?after=${none.cursor}`)).events).toEqual([])
  const first = await read('?types=document.served')
  expect((await read(`?after=${first.cursor}`)).events).toEqual([])
  await brain.call('PUT', '/records/late', { kind: 'k' })
  types.push('record.accepted')
  expect(listTypes(await read(`?after=${none.cursor}&types=record.accepted`))).toEqual(['record.accepted'])
})

test('EVT-06 a page that is full ends at its last event, so that nothing chosen is passed over', async () => {
  const chosen = (await read('?types=record.accepted,record.deleted')).events
  for (const limit of [1, 2, 3]) {
    const pages = await readPages(`types=record.accepted,record.deleted&limit=${limit}`)
    expect(pages.flatMap(({ events }) => events)).toEqual(chosen)
  }
})

test('EVT-06 a few events among more than 10,000 others are found by following page cursors', async () => {
  const of = await createBrain(app, 'long')
  const operations = (n: number) =>
    Array.from({ length: 1000 }, (_, index) => ({ op: 'record.put', id: `r${index}`, kind: 'k', fields: { n } }))
  const rare = (id: string) => of.call('POST', '/documents', { id, text: id })
  await rare('first')
  for (let n = 0; n < 11; n++) await of.call('POST', '/batch', { operations: operations(n) })
  await rare('last')
  const pages = await readPages('types=document.served&limit=2', of)
  expect(pages.flatMap(({ events }) => events.map(({ data }) => data.document))).toEqual([
    { id: 'first' },
    { id: 'last' },
  ])
  expect((await read(`?after=${pages.at(-1)?.cursor}`, of)).events).toEqual([])
  const never = await readPages('types=document.retired', of)
  expect(never.map(({ events, hasMore }) => [events.length, hasMore])).toEqual([
    [0, true],
    [0, false],
  ])
  const all = await readPages('limit=500', of)
  expect(all.flatMap(({ events }) => events)).toHaveLength(11_002)
})

test('EVT-13 reads are not on the stream', async () => {
  const { cursor } = await read()
  for (const below of [
    '/records',
    '/records/b',
    '/records/b/history',
    '/statements',
    '/documents',
    '/documents/d/versions',
    '/events',
    '',
  ])
    expect((await brain.call('GET', below)).status, below).toBe(200)
  expect(await read(`?after=${cursor}`)).toMatchObject({ events: [], hasMore: false })
})
