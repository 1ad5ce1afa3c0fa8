import { expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { runPass } from '../../../test/run-pass.ts'
import { evolve } from '../../knowledge/schema/schema-app.fixture.ts'
import { buildNextPiece, createIndexBuilding } from '../../writing/schema-changes/build-indexes.ts'
import { findBrainId } from '../receipts/receipt.fixture.ts'

// Nodes without the worker role build no index by themselves, so a test sees each state of one.

const app = useOwnApp({ NOEMA_ROLES: 'http' })

const build = () => runPass(app.app.deps, createIndexBuilding(app.app.deps))
const ask = (brain: TestBrain, where: object, rest: object = {}) =>
  brain.call('POST', '/query', { kind: 'thing', where, ...rest })
const listIds = async (brain: TestBrain, where: object, rest: object = {}): Promise<string[]> => {
  const { body } = await ask(brain, where, rest)
  return body.data?.records.map(({ id }: { id: string }) => id) ?? [body.error.message]
}
const notReady = (field: string, why: string) => ({
  status: 400,
  body: { error: { code: 'index_not_ready', message: expect.stringMatching(new RegExp(`${field}.*${why}`)) } },
})
const declare = (brain: TestBrain, ...fields: object[]) => evolve(brain, { op: 'addKind', kind: 'thing', fields })
const putAll = async (brain: TestBrain, records: Record<string, object>) => {
  const operations = Object.entries(records).map(([id, fields]) => ({ op: 'record.put', id, kind: 'thing', fields }))
  const answer = await brain.call('POST', '/batch', { operations })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

test('D-52 a field can be queried once its index is built, and the error says so until then', async () => {
  const brain = await createBrain(app, 'states')
  await putAll(brain, { a: { size: 1 }, b: { size: 2 } })
  expect(await ask(brain, { size: 1 })).toMatchObject(notReady('size', 'declares indexed'))
  await declare(brain, { name: 'size', type: 'integer', indexed: true }, { name: 'plain', type: 'integer' })
  expect(await ask(brain, { size: 1 })).toMatchObject(notReady('size', 'being built'))
  await putAll(brain, { c: { size: 1 } })
  expect(await ask(brain, { size: 1 })).toMatchObject(notReady('size', 'being built'))
  // A wrong query is refused at once, whatever the state of the index.
  for (const [where, why] of [
    [{ size: { near: 1 } }, /"near" is none of/],
    [{ size: 'large' }, /expected a whole number/],
    [{ size: 1, plain: 1 }, /plain.*declares indexed/],
  ] as const)
    expect(await ask(brain, where)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(why) } },
    })
  await build()
  expect(await listIds(brain, { size: 1 })).toEqual(['a', 'c'])
  expect(await ask(brain, { size: 1, plain: 1 })).toMatchObject(notReady('plain', 'declares indexed'))
  expect(await ask(brain, { size: 1 }, { asOf: 1 })).toMatchObject(notReady('size', 'asOf'))
  await evolve(brain, { op: 'retireField', kind: 'thing', name: 'size' })
  expect(await ask(brain, { size: 1 })).toMatchObject(notReady('size', 'declares indexed'))
  await build()
  const { rows } = await app.database.pool.query('select count(*) as left from field_index where brain_id = $1', [
    await findBrainId(app, brain),
  ])
  expect(rows[0].left).toBe(0)
})

test('D-52 a field may have the name of a property that every object has, and is queried like any other', async () => {
  const brain = await createBrain(app, 'named')
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf']
  const declared = names.map((name) => ({ name, type: 'string', indexed: true }))
  await declare(brain, ...declared, { name: 'isPrototypeOf', type: 'string', unique: true })
  await build()
  await putAll(brain, { none: {}, ...Object.fromEntries(names.map((name) => [name, { [name]: 'x' }])) })
  for (const name of names) {
    expect(await listIds(brain, { [name]: 'x' })).toEqual([name])
    expect(await listIds(brain, { [name]: { exists: false } })).toContain('none')
  }
})

test('D-52 entries from before a field was retired do not return when it is declared again, with another type', async () => {
  const brain = await createBrain(app, 'again')
  await declare(brain, { name: 'size', type: 'string', indexed: true })
  await build()
  await putAll(brain, { a: { size: '10' }, b: { size: '9' } })
  await evolve(brain, { op: 'retireField', kind: 'thing', name: 'size' })
  await putAll(brain, { a: { size: 10 } })
  await evolve(brain, { op: 'addField', kind: 'thing', field: { name: 'size', type: 'integer', indexed: true } })
  await putAll(brain, { c: { size: 11 } })
  expect(await ask(brain, { size: 10 })).toMatchObject(notReady('size', 'being built'))
  await build()
  expect(await listIds(brain, { size: { gte: 10 } })).toEqual(['a', 'c'])
  await evolve(brain, { op: 'setField', kind: 'thing', field: { name: 'size', type: 'number', indexed: true } })
  expect(await ask(brain, { size: 10 })).toMatchObject(notReady('size', 'being built'))
  await build()
  expect(await listIds(brain, { size: { lt: 10.5 } })).toEqual(['a'])
  // A value from before the declaration that does not fit it is a value, and in no range.
  expect(await listIds(brain, { size: { exists: true } })).toEqual(['b', 'a', 'c'])
})

test('D-36 D-52 a unique field that is also indexed can be queried at once, and stays unique', async () => {
  const brain = await createBrain(app, 'unique')
  await putAll(brain, { a: { code: 'x' }, b: {} })
  await declare(
    brain,
    { name: 'code', type: 'string', unique: true, indexed: true },
    { name: 'only', type: 'string', unique: true },
  )
  expect(await listIds(brain, { code: 'x' })).toEqual(['a'])
  expect(await listIds(brain, { code: { exists: false } })).toEqual(['b'])
  expect((await brain.call('PUT', '/records/c', { kind: 'thing', fields: { code: 'x' } })).status).toBe(409)
  expect((await brain.call('PUT', '/records/c', { kind: 'thing', fields: {} })).status).toBe(201)
  expect(await ask(brain, { only: 'x' })).toMatchObject(notReady('only', 'declares indexed'))
})

test('D-52 each type has its own equality and order', async () => {
  const brain = await createBrain(app, 'types')
  await declare(
    brain,
    { name: 'count', type: 'integer', indexed: true },
    { name: 'ratio', type: 'number', indexed: true },
    { name: 'name', type: 'string', indexed: true },
    { name: 'day', type: 'date', indexed: true },
    { name: 'at', type: 'datetime', indexed: true },
    { name: 'done', type: 'boolean', indexed: true },
    { name: 'level', type: 'enum', values: ['low', 'high', 'extreme'], indexed: true },
    { name: 'tags', type: 'string', many: true, indexed: true },
  )
  await build()
  await putAll(brain, {
    a: {
      count: 2,
      ratio: -0.5,
      name: 'Zoë',
      day: '2024-02-29',
      at: '2024-01-01T00:00:00+02:00',
      done: false,
      level: 'low',
      tags: ['x', 'y'],
    },
    b: {
      count: 10,
      ratio: 12_345.75,
      name: 'adam',
      day: '2023-12-31',
      at: '2023-12-31T22:00:00Z',
      done: true,
      level: 'extreme',
      tags: ['z', 'x'],
    },
    c: {
      count: -3,
      ratio: 0.1,
      name: '🧮',
      day: '0099-01-01',
      at: '2023-12-31T22:00:00.001Z',
      level: 'high',
      tags: [],
    },
    d: { name: '' },
  })
  const cases: [object, string[]][] = [
    [{ count: { gt: -3 } }, ['a', 'b']],
    [{ count: { gte: -3, lt: 10 } }, ['c', 'a']],
    [{ count: { in: [10, 2, 7] } }, ['a', 'b']],
    [{ count: { exists: false } }, ['d']],
    [{ ratio: { lte: 0.1 } }, ['a', 'c']],
    [{ ratio: { gt: 0.1 } }, ['b']],
    [{ name: { gte: 'Z' } }, ['a', 'b', 'c']],
    [{ name: { lt: 'a' } }, ['d', 'a']],
    [{ name: '' }, ['d']],
    [{ name: { gt: '\uffff' } }, ['c']],
    [{ day: { lt: '2024-01-01' } }, ['c', 'b']],
    [{ day: { gte: '2024-02-29' } }, ['a']],
    [{ at: '2024-01-01T01:00:00+03:00' }, ['a', 'b']],
    [{ at: { gt: '2023-12-31T22:00:00Z' } }, ['c']],
    [{ done: true }, ['b']],
    [{ done: { lt: true } }, ['a']],
    [{ level: { gte: 'high' } }, ['b', 'c']],
    [{ level: { lt: 'low' } }, []],
    [{ tags: 'x' }, ['a', 'b']],
    [{ tags: { gt: 'x' } }, ['a', 'b']],
    [{ tags: { exists: true } }, ['a', 'b']],
    [{ tags: { exists: false } }, ['c', 'd']],
    [{ count: { gt: 0 }, tags: 'y' }, ['a']],
    [{ count: { gt: 0 }, done: { exists: true }, name: { lt: 'b' } }, ['a', 'b']],
  ]
  for (const [where, expected] of cases) expect(await listIds(brain, where), JSON.stringify(where)).toEqual(expected)
})

test('D-52 long texts are distinguished and ordered beyond the length of an index entry', async () => {
  const brain = await createBrain(app, 'long')
  await declare(brain, { name: 'name', type: 'text', indexed: true })
  await build()
  const long = 'x'.repeat(199)
  await putAll(brain, {
    a: { name: `${long}🧮a` },
    b: { name: `${long}🧮b` },
    c: { name: `${long}\uffff` },
    d: { name: `${long}` },
  })
  expect(await listIds(brain, { name: `${long}🧮a` })).toEqual(['a'])
  expect(await listIds(brain, { name: { gt: `${long}🧮a` } })).toEqual(['b'])
  expect(await listIds(brain, { name: { lte: `${long}🧮a` } })).toEqual(['a', 'd', 'c'])
  expect(await listIds(brain, { name: { gte: `${long}\uffff` } })).toEqual(['a', 'b', 'c'])
})

test.each([
  [{ size: 'ten' }],
  [{ size: null }],
  [{ size: 1.5 }],
  [{ size: { gt: '1' } }],
  [{ size: { like: 1 } }],
  [{ size: {} }],
  [{ size: [1] }],
  [{ size: { in: 1 } }],
  [{ size: { in: Array.from({ length: 101 }, (_, index) => index) } }],
  [{ size: { exists: 1 } }],
  [{ size: { eq: { a: 1 } } }],
])('D-52 what does not fit the field is refused with its name: %j', async (where) => {
  const brain = await createBrain(app, 'refused')
  await declare(brain, { name: 'size', type: 'integer', indexed: true })
  await build()
  expect(await ask(brain, where)).toMatchObject({
    status: 400,
    body: { error: { kind: 'validation', details: [{ path: 'body.where.size' }] } },
  })
})

test('D-52 a range comes in its order page by page, each record once though it has many values there', async () => {
  const brain = await createBrain(app, 'pages')
  await declare(
    brain,
    { name: 'sizes', type: 'integer', many: true, indexed: true },
    { name: 'odd', type: 'boolean', indexed: true },
  )
  await build()
  const records = Array.from(
    { length: 40 },
    (_, index) =>
      [
        `r${String(index).padStart(2, '0')}`,
        { sizes: [index % 5, index % 7, 40 - index], odd: index % 2 === 1 },
      ] as const,
  )
  await putAll(brain, Object.fromEntries(records))
  const read = async (where: object, limit: number) => {
    const ids: string[] = []
    let after: string | undefined
    for (let hasMore = true; hasMore; ) {
      const { data } = (await ask(brain, where, { limit, ...(after ? { after } : {}) })).body
      expect(data.records.length).toBeLessThanOrEqual(limit)
      ids.push(...data.records.map(({ id }: { id: string }) => id))
      after = data.cursor
      hasMore = data.hasMore
    }
    return ids
  }
  const min = ([, { sizes }]: (typeof records)[number]) => Math.min(...sizes.filter((size) => size >= 3))
  const inOrder = records
    .filter((record) => Number.isFinite(min(record)))
    .sort((a, b) => min(a) - min(b) || (a[0] < b[0] ? -1 : 1))
  for (const limit of [1, 7, 500]) {
    expect(await read({ sizes: { gte: 3 } }, limit)).toEqual(inOrder.map(([id]) => id))
    expect(await read({ sizes: { gte: 3 }, odd: true }, limit)).toHaveLength(20)
    expect(await read({ sizes: { exists: true } }, limit)).toHaveLength(40)
  }
  const cursor = (await ask(brain, { sizes: { gte: 3 } }, { limit: 1 })).body.data.cursor
  expect((await ask(brain, { sizes: { gte: 4 } }, { after: cursor })).status).toBe(400)
})

test('D-52 a build takes a large kind in pieces, and its writers are held up by one piece alone', async () => {
  const brain = await createBrain(app, 'large')
  const ids = Array.from({ length: 1_400 }, (_, index) => `r${index}`)
  for (const half of [ids.slice(0, 700), ids.slice(700)])
    await putAll(brain, Object.fromEntries(half.map((id) => [id, { size: 1 }])))
  await declare(brain, { name: 'size', type: 'integer', indexed: true })
  const brainId = await findBrainId(app, brain)
  const pieces: boolean[] = []
  for (let more = true; more; pieces.push(more)) {
    more = await buildNextPiece(app.app.deps, brainId)
    await putAll(brain, { [`r${pieces.length}`]: { size: 2 }, [`new${pieces.length}`]: { size: 1 } })
  }
  // One to drop nothing, three of up to 500, one that finds no more records, and one that finds nothing left.
  expect(pieces).toEqual([true, true, true, true, true, false])
  expect(await listIds(brain, { size: 2 })).toHaveLength(6)
  expect((await ask(brain, { size: 1 }, { limit: 500 })).body.data.hasMore).toBe(true)
})
