import { beforeAll, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { evolve } from '../../knowledge/schema/schema-app.fixture.ts'
import { untilIndexed } from '../lexical-index/indexed.fixture.ts'

const app = useApp()
const member = useMember(app)
let brain: TestBrain

const longText = Array.from({ length: 60 }, (_, number) => `The harbor log has an entry ${number} about tides.`).join(
  '\n',
)
const record = (id: string, source?: string) => ({
  ...{ op: 'record.put', id, kind: 'harbor', fields: { name: `harbor ${id}` } },
  ...(source === undefined ? {} : { provenance: { source } }),
})
const document = (id: string, rest: object) => ({ op: 'document.put', id, text: `the harbor log ${id}`, ...rest })

beforeAll(async () => {
  brain = await addBrain(app, member, 'harbors')
  await evolve(brain, {
    op: 'addKind',
    kind: 'document',
    fields: [
      { name: 'team', type: 'string', indexed: true },
      { name: 'tags', type: 'string', many: true, indexed: true },
      { name: 'year', type: 'integer', indexed: true },
      { name: 'plain', type: 'string' },
    ],
  })
  const operations = [
    record('r-feed', 'feed'),
    record('r-plain'),
    {
      ...{ op: 'statement.assert', id: 's-old', subject: { id: 'r-plain', kind: 'harbor' }, predicate: 'has' },
      ...{ object: { value: 'a harbor master' }, validFrom: '2019-05-01T00:00:00Z', provenance: { source: 'feed' } },
    },
    document('d-old', {
      ...{ source: { name: 'wiki, "old"' }, provenance: { source: 'feed' }, occurredAt: '2020-01-01T00:00:00.000Z' },
      metadata: { team: 'core', tags: ['a', 'b'], year: 2020, plain: 'x', constructor: 'y' },
    }),
    document('d-long', { text: longText, source: { name: 'wiki' }, occurredAt: '2020-06-01T02:00:00+02:00' }),
    document('d-new', { metadata: { team: 'edge', tags: 'a', year: '2020' } }),
  ]
  const { status, body } = await brain.call('POST', '/batch', { operations })
  expect(status, JSON.stringify(body)).toBe(200)
})

type Filters = Record<string, unknown>

const flat = ({ metadata = {}, ...rest }: Filters): Record<string, string> => ({
  ...(rest as Record<string, string>),
  ...Object.fromEntries(Object.entries(metadata as object).map(([key, value]) => [`metadata.${key}`, String(value)])),
})

const search = (filters: Filters, rest: Record<string, string> = {}) =>
  brain.call('GET', `/search?${new URLSearchParams({ q: 'harbor', limit: '50', ...flat(filters), ...rest })}`)
const context = (filters: Filters) => brain.call('POST', '/context', { query: 'harbor', limit: 50, ...filters })

/** The items that a search and a context find with these filters, which must be the same. */
const find = async (filters: Filters): Promise<string> => {
  const [searched, read] = await Promise.all([search(filters), context({ ...filters, minEvidence: 'weak' })])
  expect(searched.status, JSON.stringify(searched.body)).toBe(200)
  const ids = ({ id }: { id: string }) => id
  const found = [...new Set<string>(searched.body.data.results.map(ids))].toSorted()
  expect([...new Set<string>(read.body.data.items.map(ids))].toSorted()).toEqual(found)
  return found.join(' ')
}

const cases: [Filters, string][] = [
  [{}, 'd-long d-new d-old r-feed r-plain s-old'],
  [{ source: 'feed' }, 'd-old r-feed s-old'],
  [{ source: 'wiki, "old"' }, 'd-old'],
  [{ source: 'wiki' }, 'd-long'],
  [{ source: 'Feed' }, ''],
  [{ until: '2020-01-01T00:00:00Z' }, 's-old'],
  [{ since: '2020-01-01T00:00:00Z', until: '2020-06-01T00:00:00Z' }, 'd-old'],
  [{ since: '2020-06-01T00:00:00Z', until: '2020-06-01T00:00:00.001Z' }, 'd-long'],
  [{ since: '2021-01-01T00:00:00Z' }, 'd-new r-feed r-plain'],
  [{ metadata: { team: 'core' } }, 'd-old'],
  [{ metadata: { tags: 'a' } }, 'd-new d-old'],
  [{ metadata: { tags: 'a', year: 2020, team: 'edge' } }, 'd-new'],
]

test.each(['before', 'after'])(
  'QRY-05 search and context filter by source, time and metadata %s the content is indexed',
  async (moment) => {
    if (moment === 'after') await untilIndexed(app, brain)
    for (const [filters, ids] of cases) expect(await find(filters), JSON.stringify(filters)).toBe(ids)
  },
)

test('QRY-05 filters join those by type and kind, and follow what is written and retired', async () => {
  const ids = async (filters: Filters, rest = {}) =>
    (await search(filters, rest)).body.data.results.map(({ id }: { id: string }) => id)
  expect(await ids({ source: 'feed', types: 'record' })).toEqual(['r-feed'])
  expect((await ids({ source: 'feed', kinds: 'harbor' })).toSorted()).toEqual(['r-feed', 's-old'])
  const { stateVersion } = (await search({})).body.data
  await brain.call('POST', '/documents', { ...document('d-new', { metadata: { team: 'core' } }) })
  expect((await ids({ metadata: { team: 'core' } })).toSorted()).toEqual(['d-new', 'd-old'])
  expect(await ids({ metadata: { team: 'edge' } })).toEqual([])
  expect(await ids({ metadata: { team: 'edge' } }, { asOf: String(stateVersion) })).toEqual(['d-new'])
  await untilIndexed(app, brain)
  expect((await ids({ metadata: { team: 'core' } })).toSorted()).toEqual(['d-new', 'd-old'])
  await brain.call('DELETE', '/documents/d-new')
  expect(await ids({ metadata: { team: 'core' } })).toEqual(['d-old'])
  const { body } = await brain.call('GET', '/search?q=harbor&metadata[team]=core')
  expect(body.data.results).toMatchObject([{ id: 'd-old' }])
})

test('QRY-05 a page is full however few of many passages a filter keeps', async () => {
  const operations = Array.from({ length: 600 }, (_, number) =>
    document(`n-${number}`, { provenance: { source: number % 100 === 7 ? 'rare' : 'common' } }),
  )
  expect((await brain.call('POST', '/batch', { operations })).status).toBe(200)
  await untilIndexed(app, brain)
  const { body } = await search({ source: 'rare' }, { limit: '6' })
  expect(body.data.results).toHaveLength(6)
  for (const { provenance } of body.data.results) expect(provenance.source).toBe('rare')
})

test.each<[Filters, number, string | undefined, RegExp]>([
  [{ metadata: { plain: 'x' } }, 400, 'index_not_ready', /plain.*no indexed field/],
  [{ metadata: { constructor: 'y' } }, 400, 'index_not_ready', /constructor/],
  [{ source: '' }, 400, undefined, /source/],
  [{ since: '2020-01-01' }, 400, undefined, /ISO 8601/],
  [{ metadata: { 'te\0am': 'x' } }, 400, undefined, /U\+0000/],
])('QRY-05 a filter that cannot be used is refused: %j', async (filters, status, code, message) => {
  for (const answer of [await search(filters), await context(filters)]) {
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
    expect(answer.body.error.message).toMatch(message)
    if (code !== undefined) expect(answer.body.error.code).toBe(code)
  }
})

test('QRY-05 a context takes types, or include, its former name', async () => {
  const ids = async (filters: Filters) =>
    (await context({ ...filters, minEvidence: 'weak' })).body.data.items.map(({ type }: { type: string }) => type)
  expect(await ids({ types: ['statement'] })).toEqual(['statement'])
  expect(await ids({ include: ['statement'] })).toEqual(['statement'])
  expect(await context({ types: ['record'], include: ['record'] })).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('types') } },
  })
})

test('QRY-05 a query filters records by source and time, page by page', async () => {
  const query = (body: object) => brain.call('POST', '/query', { kind: 'harbor', ...body })
  const ids = async (body: object) => (await query(body)).body.data.records.map(({ id }: { id: string }) => id)
  expect(await ids({})).toEqual(['r-feed', 'r-plain'])
  expect(await ids({ source: 'feed' })).toEqual(['r-feed'])
  expect(await ids({ until: '2020-01-01T00:00:00Z' })).toEqual([])
  expect(await ids({ since: '2020-01-01T00:00:00Z', order: 'desc' })).toEqual(['r-plain', 'r-feed'])
  const first = (await query({ since: '2020-01-01T00:00:00Z', limit: 1 })).body.data
  expect(first).toMatchObject({ records: [{ id: 'r-feed' }], hasMore: true })
  const next = { since: '2020-01-01T00:00:00Z', limit: 1, after: first.cursor }
  expect((await query(next)).body.data).toMatchObject({ records: [{ id: 'r-plain' }], hasMore: false })
  expect(await query({ source: 'feed', after: first.cursor })).toMatchObject({ status: 400 })
  expect(await query({ source: 'feed', count: true })).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('source') } },
  })
})
