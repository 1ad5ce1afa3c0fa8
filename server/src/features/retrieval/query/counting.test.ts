import { beforeAll, expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { runPass } from '../../../test/run-pass.ts'
import { evolve } from '../../knowledge/schema/schema-app.fixture.ts'
import { buildNextPiece, createIndexBuilding } from '../../writing/schema-changes/build-indexes.ts'
import { findBrainId } from '../receipts/receipt.fixture.ts'
import { countAtState, countMatching, selectGroups } from './count-queries.ts'

const app = useOwnApp({ NOEMA_ROLES: 'http' })
let brain: TestBrain

const build = () => runPass(app.app.deps, createIndexBuilding(app.app.deps))

const orders = [
  { status: 'paid', amount: 0.1, ordered: '2026-01-31', at: '2026-01-31T23:30:00+00:00', tags: ['a', 'b'] },
  { status: 'paid', amount: 0.2, ordered: '2026-02-01', at: '2026-02-01T00:30:00+01:00', tags: ['a'] },
  { status: 'late', amount: 7, ordered: '2026-02-01', at: '2026-02-01T12:00:00Z', tags: ['b'] },
  { status: 'late', ordered: '2026-02-02', tags: [] },
  { status: 'new', amount: -2 },
]
const fields = [
  { name: 'status', type: 'enum', values: ['paid', 'late', 'new'], indexed: true },
  { name: 'amount', type: 'number', indexed: true },
  { name: 'ordered', type: 'date', indexed: true },
  { name: 'at', type: 'datetime', indexed: true },
  { name: 'tags', type: 'string', many: true, indexed: true },
  { name: 'note', type: 'string', indexed: true },
  { name: 'plain', type: 'integer' },
]

beforeAll(async () => {
  brain = await createBrain(app, 'counted')
  await evolve(brain, { op: 'addKind', kind: 'order', fields })
  await build()
  const operations = orders.map((one, index) => ({
    ...{ op: 'record.put', id: `o${index}`, slug: `order-${index}`, kind: 'order', fields: one },
  }))
  expect((await brain.call('POST', '/batch', { operations })).status).toBe(200)
})

const ask = (body: object) => brain.call('POST', '/query', { kind: 'order', ...body })
const count = async (where: object, rest: object = {}) => (await ask({ where, count: true, ...rest })).body.data.count
const aggregate = async (expected: object, rest: object = {}) =>
  (await ask({ aggregate: expected, ...rest })).body.data.aggregate
const countByKey = async (expected: object, rest: object = {}) =>
  (await aggregate(expected, rest)).groups.map(({ key, count: found }: { key: unknown; count: number }) => [key, found])

test.each([
  [{}, 5],
  [{ slug: 'order-1' }, 1],
  [{ slug: 'nobody' }, 0],
  [{ slug: 'order-1', status: 'late' }, 0],
  [{ status: 'late' }, 2],
  [{ status: { in: ['paid', 'late'] } }, 4],
  [{ amount: { exists: false } }, 1],
  [{ amount: { exists: true } }, 4],
  [{ amount: { gt: 0.1 } }, 2],
  [{ amount: { gte: 0.1, lte: 0.2 } }, 2],
  [{ ordered: { gte: '2026-02-01', lt: '2026-02-02' } }, 2],
  [{ at: '2026-01-31T23:30:00Z' }, 2],
  [{ tags: { in: ['a', 'b'] } }, 3],
  [{ tags: { gt: 'a', lt: 'b' } }, 1],
  [{ status: 'paid', tags: 'b', amount: { lt: 1 } }, 1],
  [{ note: { lt: 'a' } }, 0],
])('D-52b a count is of all records that match %j: %i', async (where, expected) => {
  const { data } = (await ask({ where, count: true, limit: 1 })).body
  expect(data.count).toEqual({ value: expected, exact: true })
  expect(data.records).toHaveLength(Math.min(expected, 1))
})

test('D-52b a count is of the state that the page is read at, also of an earlier one', async () => {
  const other = await createBrain(app, 'earlier')
  const read = async (body: object) =>
    (await other.call('POST', '/query', { kind: 'k', count: true, ...body })).body.data
  await other.call('PUT', '/records/a', { kind: 'k', slug: 'a' })
  await other.call('PUT', '/records/b', { kind: 'k' })
  await other.call('PUT', '/records/c', { kind: 'other' })
  await other.call('DELETE', '/records/a')
  await other.call('PATCH', '/records/b', { fields: { x: 1 } })
  const counts = []
  for (const asOf of [0, 1, 2, 3, 4, 5]) counts.push((await read({ asOf })).count.value)
  expect(counts).toEqual([0, 1, 2, 2, 1, 1])
  expect(await read({ asOf: 3, where: { slug: 'a' } })).toMatchObject({ count: { value: 1 }, records: [{ id: 'a' }] })
  expect(await read({ asOf: 4, where: { slug: 'a' } })).toMatchObject({ count: { value: 0 }, records: [] })
  expect(await read({})).toMatchObject({ count: { value: 1, exact: true }, stateVersion: 5 })
})

test('D-52b groups are the values of a field, the most frequent first, among the records that match', async () => {
  expect(await countByKey({ by: 'status' })).toEqual([
    ['late', 2],
    ['paid', 2],
    ['new', 1],
  ])
  expect(await countByKey({ by: 'status' }, { where: { amount: { gt: 0 } } })).toEqual([
    ['paid', 2],
    ['late', 1],
  ])
  expect(await countByKey({ by: 'status' }, { where: { status: { in: ['new', 'late'] }, slug: 'order-4' } })).toEqual([
    ['new', 1],
  ])
  expect(await countByKey({ by: 'tags' })).toEqual([
    ['a', 2],
    ['b', 2],
    [null, 2],
  ])
  expect(await countByKey({ by: 'tags' }, { where: { tags: 'a' } })).toEqual([
    ['a', 2],
    ['b', 1],
  ])
  expect(await countByKey({ by: 'ordered' })).toEqual([
    ['2026-02-01', 2],
    ['2026-01-31', 1],
    ['2026-02-02', 1],
    [null, 1],
  ])
  expect(await countByKey({ by: 'amount' }, { where: { amount: { lt: 1 } } })).toEqual([
    [-2, 1],
    [0.1, 1],
    [0.2, 1],
  ])
})

test.each([
  ['hour', 'at', ['2026-01-31T23:00:00.000Z', 2], ['2026-02-01T12:00:00.000Z', 1], [null, 2]],
  ['day', 'ordered', ['2026-01-31', 1], ['2026-02-01', 2], ['2026-02-02', 1], [null, 1]],
  ['week', 'ordered', ['2026-01-26', 3], ['2026-02-02', 1], [null, 1]],
  ['month', 'at', ['2026-01', 2], ['2026-02', 1], [null, 2]],
  ['year', 'ordered', ['2026', 4], [null, 1]],
])('D-52b dates are grouped by the %s, in UTC and in the order of time', async (interval, by, ...expected) => {
  expect(await countByKey({ by, interval })).toEqual(expected)
  const descending = [...expected.slice(0, -1).toReversed(), expected.at(-1)]
  expect(await countByKey({ by, interval }, { order: 'desc' })).toEqual(descending)
})

test('D-52b a group has the sum, mean, smallest and largest value of a number, exact in decimals', async () => {
  expect(await aggregate({ by: 'status', of: 'amount' })).toEqual({
    groups: [
      { key: 'late', count: 2, sum: 7, avg: 7, min: 7, max: 7 },
      { key: 'paid', count: 2, sum: 0.3, avg: 0.15, min: 0.1, max: 0.2 },
      { key: 'new', count: 1, sum: -2, avg: -2, min: -2, max: -2 },
    ],
    hasMore: false,
    exact: true,
  })
  expect((await aggregate({ of: 'amount' })).groups).toEqual([{ count: 5, sum: 5.3, avg: 1.325, min: -2, max: 7 }])
  expect((await aggregate({ of: 'amount' }, { where: { ordered: '2026-02-02' } })).groups).toEqual([
    { count: 1, sum: null, avg: null, min: null, max: null },
  ])
  expect((await aggregate({ of: 'amount' }, { where: { amount: { gt: 0, lt: 1 }, tags: { in: ['a', 'b'] } } })).groups)
    // One record has both tags, and counts once.
    .toEqual([{ count: 2, sum: 0.3, avg: 0.15, min: 0.1, max: 0.2 }])
})

test('D-52b QRY-04 groups come without records, with a receipt that pins none', async () => {
  const { data } = (await ask({ aggregate: { by: 'status' }, count: true })).body
  expect(data).toMatchObject({ records: [], hasMore: false, count: { value: 5 }, stateVersion: expect.any(Number) })
  const { served } = (await brain.call('GET', `/receipts/${data.receipt}`)).body.data.receipt
  expect(served).toEqual({ records: [], statements: [], documents: [] })
})

test('D-52b numbers of any size, and texts longer than an index entry, are grouped and summed up', async () => {
  const other = await createBrain(app, 'extremes')
  await evolve(other, {
    ...{ op: 'addKind', kind: 'order' },
    fields: [
      { name: 'n', type: 'number', indexed: true },
      { name: 't', type: 'text', indexed: true },
    ],
  })
  await build()
  const long = `${'x'.repeat(199)}🧮`
  const largest = Number.MAX_SAFE_INTEGER
  const put = (n: number, t: string) => ({ op: 'record.create', kind: 'order', fields: { n, t } })
  const operations = [put(largest, `${long}a`), put(largest, `${long}a`), put(5e-324, `${long}b`), put(3, 'é')]
  const written = await other.call('POST', '/batch', { operations })
  expect(written.status, JSON.stringify(written.body)).toBe(200)
  const { body } = await other.call('POST', '/query', { kind: 'order', aggregate: { by: 't', of: 'n' } })
  const shown = 'x'.repeat(199)
  expect(body.data.aggregate.groups).toEqual([
    { key: shown, count: 2, sum: 2 * largest, avg: largest, min: largest, max: largest },
    { key: 'é', count: 1, sum: 3, avg: 3, min: 3, max: 3 },
    { key: shown, count: 1, sum: 5e-324, avg: 5e-324, min: 5e-324, max: 5e-324 },
  ])
  const where = { t: { gt: 'x'.repeat(199) } }
  const counted = await other.call('POST', '/query', { kind: 'order', where, count: true })
  expect(counted).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('198') } } })
})

test.each([
  [{ aggregate: { by: 'plain' } }, 'index_not_ready', 'plain'],
  [{ aggregate: { of: 'plain' } }, 'index_not_ready', 'plain'],
  [{ aggregate: { by: 'slug' } }, 'index_not_ready', 'slug'],
  [{ aggregate: { by: 'status' }, asOf: 1 }, 'index_not_ready', 'asOf'],
  [{ kind: 'nothing', aggregate: { by: 'status' } }, 'index_not_ready', 'nothing'],
  [{ count: true, where: { plain: 1 } }, 'index_not_ready', 'plain'],
  [{ count: true, asOf: 1_000 }, undefined, 'asOf'],
  [{ aggregate: {} }, undefined, 'by, of or both'],
  [{ aggregate: { by: 'status', interval: 'day' } }, undefined, 'aggregate.interval'],
  [{ aggregate: { interval: 'day', of: 'amount' } }, undefined, 'aggregate.interval'],
  [{ aggregate: { by: 'at', interval: 'minute' } }, undefined, 'interval'],
  [{ aggregate: { by: 'status', of: 'tags' } }, undefined, 'type string'],
  [{ aggregate: { by: 'status' }, links: {} }, undefined, 'links'],
  [{ aggregate: { by: 'status' }, select: ['at'] }, undefined, 'select'],
  [{ aggregate: { by: 'status', also: 1 } }, undefined, 'also'],
  [{ count: 'yes' }, undefined, 'count'],
  [
    { count: true, where: { status: 'paid', amount: 1, ordered: '2026-01-01', tags: 'a', slug: 'x' } },
    undefined,
    'at most 4',
  ],
])('D-52b %j is refused', async (body, code, part) => {
  const { status, body: answer } = await ask(body)
  expect({ status, code: answer.error.code }).toEqual({ status: 400, code })
  expect(answer.error.message).toContain(part)
})

test('D-52b a field that is being indexed is not counted by', async () => {
  await evolve(brain, { op: 'addField', kind: 'order', field: { name: 'later', type: 'integer', indexed: true } })
  expect((await ask({ aggregate: { by: 'later' } })).body.error).toMatchObject({ code: 'index_not_ready' })
  while (await buildNextPiece(app.app.deps, await findBrainId(app, brain)));
  expect(await countByKey({ by: 'later' })).toEqual([[null, 5]])
})

test('D-52b a count examines a limited number of rows; beyond that it is a lower bound, and says so', async () => {
  const { db } = app.app.deps
  const of = { brainId: await findBrainId(app, brain), kind: 'order' }
  const counted = (max: number) => countMatching(db, of, { conditions: [], max })
  expect([await counted(4), await counted(5)]).toEqual([
    { value: 4, exact: false },
    { value: 5, exact: true },
  ])
  const grouping = { conditions: [], of: undefined, order: 'asc' } as const
  const by = { field: 'status', predicate: undefined, interval: undefined }
  const limits = { max: 3, maxGroups: 10 }
  const found = await selectGroups(db, of, { ...grouping, by }, limits)
  expect(found.exact).toBe(false)
  expect(found.groups.reduce((sum, group) => sum + Number(group.count), 0)).toBeLessThanOrEqual(4)
  const first = await selectGroups(db, of, { ...grouping, by }, { max: 100, maxGroups: 1 })
  expect(first.groups.map(({ key }) => key)).toEqual(['"late"', '"paid"'])
  expect(await countAtState(db, of, { slug: undefined, asOf: 100, max: 3 })).toMatchObject({ exact: false })
})

test('D-52b two counts of one organization run at once; others wait, and those of other organizations do not', async () => {
  const { countSlots } = app.app.deps
  const other = await createBrain(app, 'elsewhere')
  const { rows } = await app.database.pool.query('select organization_id as id from brains where brain_id = $1', [
    await findBrainId(app, brain),
  ])
  const subject = { organization: rows[0].id, key: rows[0].id }
  const held = [countSlots.take(subject), countSlots.take(subject)]
  expect(held.map((release) => release !== undefined)).toEqual([true, true])
  let isAnswered = false
  const waiting = count({}).finally(() => {
    isAnswered = true
  })
  const free = await other.call('POST', '/query', { kind: 'k', count: true })
  expect(free.body.data.count).toEqual({ value: 0, exact: true })
  expect(isAnswered).toBe(false)
  for (const release of held) release?.()
  expect(await waiting).toEqual({ value: 5, exact: true })
})
