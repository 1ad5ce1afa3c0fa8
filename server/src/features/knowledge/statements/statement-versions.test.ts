import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  addBrain,
  createMember,
  startTestApp,
  type TestApp,
  type TestBrain,
  type TestMember,
} from '../../../test/app.ts'
import { exportText, importedBrain } from '../../../test/transfer.ts'
import { untilIndexed } from '../../retrieval/lexical-index/indexed.fixture.ts'

let app: TestApp
let other: Awaited<ReturnType<TestApp['startNode']>>
let member: TestMember
let brain: TestBrain
let made = 0
beforeAll(async () => {
  app = await startTestApp()
  other = await app.startNode()
  member = await createMember(app)
})
afterAll(async () => {
  await other.close()
  await app.close()
})
beforeEach(async () => {
  brain = await addBrain(app, member, `brain-${++made}`)
  await brain.call('PUT', '/records/ann', { kind: 'person' })
})

const said = { subject: { id: 'ann', kind: 'person' }, predicate: 'works-at', object: { value: 'Acme' } }
const assert = (given: object = {}) => brain.call('POST', '/statements', { ...said, ...given })
const read = async (query = '') => (await brain.call('GET', `/statements/s${query}`)).body.data?.statement
const listEvents = async (types = 'statement.asserted,statement.retracted') =>
  (await brain.call('GET', `/events?types=${types}&limit=500`)).body.data.events

const end = '2025-06-30T00:00:00.000Z'
const sources = [{ document: 'letter', version: 2, quote: 'she left' }]

test.each([
  ['confidence', { confidence: 0.25 }],
  ['validTo', { validTo: end }],
  ['sources', { sources }],
])('D-32 a repeat with another %s makes the next version, with one event', async (_name, differing) => {
  const first = (await assert({ id: 's', confidence: 0.9 })).body.data
  expect(first.statement.version).toBe(1)
  const again = await assert({ ...differing, provenance: { source: 'crm' } })
  expect(again).toMatchObject({ status: 200, body: { data: { outcome: 'landed', stateVersion: 3 } } })
  const { statement, change, stateVersion } = again.body.data
  expect(statement).toEqual({
    ...{ ...first.statement, ...differing, version: 2, stateVersion },
    provenance: { source: 'crm', change: change.id, key: brain.keyId },
    assertedAt: statement.assertedAt,
  })
  expect(await read()).toEqual(statement)
  expect((await listEvents()).map(({ type, data }: { type: string; data: object }) => ({ type, data }))).toEqual(
    [first, again.body.data].map((one) => ({
      type: 'statement.asserted',
      data: {
        statement: { id: 's' },
        ...{ predicate: said.predicate, subject: said.subject, change: one.change.id, stateVersion: one.stateVersion },
      },
    })),
  )
  expect((await brain.call('GET', '')).body.data.brain.counts.statements).toBe(1)
})

test('D-32 fields that a repeat leaves out stay, null removes them, and a repeat without differences emits nothing', async () => {
  await assert({ id: 's', confidence: 0.9, validTo: end, sources })
  const { statement } = (await assert({ confidence: 0.5 })).body.data
  expect(statement).toMatchObject({ version: 2, confidence: 0.5, validTo: end, sources })
  for (const same of [{}, { confidence: 0.5 }, { validTo: '2025-06-30T02:00:00+02:00', sources }])
    expect(await assert(same)).toMatchObject({ status: 200, body: { data: { statement, stateVersion: 3 } } })
  expect(await listEvents()).toHaveLength(2)
  const bare = (await assert({ validTo: null, confidence: null, sources: [] })).body.data.statement
  expect(bare).toMatchObject({ version: 3, validTo: null, confidence: null, sources: [] })
  expect((await assert({ confidence: 2 })).status).toBe(400)
  const from = { object: { value: 'Ajax' }, validFrom: '2025-01-01T00:00:00Z' }
  await assert(from)
  expect((await assert({ ...from, validTo: '2024-01-01T00:00:00Z' })).status).toBe(400)
})

test('D-32 validTo ends a live statement in the world, and the Brain keeps its earlier version', async () => {
  const first = (await assert({ id: 's', validFrom: '2020-01-01T00:00:00Z' })).body.data
  const second = (await assert({ validFrom: '2020-01-01T00:00:00Z', validTo: end })).body.data
  const at = async (query: string) =>
    (await brain.call('GET', `/statements?${query}`)).body.data.statements.map(
      (one: { version: number }) => one.version,
    )
  expect(await at('validAt=2026-01-01T00:00:00Z')).toEqual([])
  expect(await at('validAt=2024-01-01T00:00:00Z')).toEqual([2])
  expect(await at(`validAt=2026-01-01T00:00:00Z&asOf=${first.stateVersion}`)).toEqual([1])
  expect(await read(`?asOf=${first.stateVersion}`)).toEqual(first.statement)
  expect(await read(`?asOf=${second.stateVersion}`)).toEqual(second.statement)
  expect(await at('subject=ann&predicate=works-at')).toEqual([2])
  expect(await at('retracted=true')).toEqual([])
})

test('D-32 KNO-03 a statement of several versions is retracted once, by its newest', async () => {
  await assert({ id: 's' })
  const second = (await assert({ confidence: 0.5 })).body.data
  const retracted = (await brain.call('DELETE', '/statements/s', { reason: 'a mistake' })).body.data
  expect((await brain.call('GET', '/statements')).body.data.statements).toEqual([])
  const gone = (await brain.call('GET', '/statements?retracted=true')).body.data.statements
  expect(gone).toMatchObject([
    { ...second.statement, retractedAt: expect.any(String), retraction: { change: retracted.change.id } },
  ])
  expect(await read('?retracted=true')).toEqual(gone[0])
  expect(await read(`?asOf=${second.stateVersion}`)).toEqual(second.statement)
  expect(
    (await brain.call('GET', `/statements?retracted=true&asOf=${second.stateVersion}`)).body.data.statements,
  ).toEqual([])
  expect((await listEvents()).map(({ type }: { type: string }) => type)).toEqual([
    'statement.asserted',
    'statement.asserted',
    'statement.retracted',
  ])
  expect((await brain.call('GET', '')).body.data.brain.counts.statements).toBe(0)
})

test('D-32 D-34 one batch may repeat a statement twice: the last is live, in one state', async () => {
  const batch = await brain.call('POST', '/batch', {
    operations: [
      { op: 'statement.assert', id: 's', ref: 's', ...said },
      { op: 'statement.assert', ...said, confidence: 0.25 },
      { op: 'statement.assert', ...said, validTo: end },
      { op: 'statement.assert', ...said, validTo: end },
    ],
  })
  const { results, stateVersion } = batch.body.data
  expect(results.map(({ id, version, changed }: Record<string, unknown>) => [id, version, changed])).toEqual([
    ['s', 1, true],
    ['s', 2, true],
    ['s', 3, true],
    ['s', 3, false],
  ])
  expect(await read()).toMatchObject({ version: 3, confidence: 0.25, validTo: end, stateVersion })
  expect((await brain.call('GET', `/statements?asOf=${stateVersion}`)).body.data.statements).toHaveLength(1)
  expect((await brain.call('GET', `/statements?asOf=${stateVersion - 1}`)).body.data.statements).toEqual([])
  expect(await listEvents()).toHaveLength(3)
})

test('D-53 D-50 a search finds only the newest version, as of before the old one, and its receipt names the next', async () => {
  const first = (await assert({ id: 's' })).body.data
  const search = async (query = '') => {
    const { data } = (await brain.call('GET', `/search?q=works+at+acme&types=statement&mode=lexical${query}`)).body
    return { receipt: data.receipt, versions: data.results.map(({ version }: { version: number }) => version) }
  }
  const served = await search()
  expect(served.versions).toEqual([1])
  for (const indexesFirst of [false, true]) {
    if (indexesFirst) await untilIndexed(app, brain)
    const next = (await assert({ confidence: indexesFirst ? 0.25 : 0.5 })).body.data
    const { version } = next.statement
    expect((await search()).versions).toEqual([version])
    await untilIndexed(app, brain)
    const now = await search()
    expect(now.versions).toEqual([version])
    expect((await search(`&asOf=${first.stateVersion}`)).versions).toEqual([1])
    const moved = { ref: { type: 'statement', id: 's' }, from: 1, to: version, change: next.change.id }
    const receipt = async (id: string) => (await brain.call('GET', `/receipts/${id}`)).body.data.receipt
    expect(await receipt(served.receipt)).toMatchObject({
      ...{ current: false, moved: [moved] },
      served: { statements: [{ id: 's', version: 1 }] },
    })
    expect(await receipt(now.receipt)).toMatchObject({ current: true, served: { statements: [{ id: 's', version }] } })
  }
})

test.each([true, false])('D-25 versions of statements go through an export and back, history=%s', async (history) => {
  await assert({ id: 's', confidence: 0.9 })
  await assert({ confidence: 0.5 })
  await brain.call('POST', '/batch', {
    operations: [
      { op: 'statement.assert', ...said, validTo: end },
      { op: 'statement.assert', ...said, sources },
    ],
  })
  await assert({ id: 'gone', predicate: 'knows' })
  await assert({ predicate: 'knows', confidence: 0.5 })
  await brain.call('DELETE', '/statements/gone', { reason: 'a mistake' })
  const text = await exportText(app, brain, { history })
  const { brain: copy, answer } = await importedBrain(app, brain, `copy-${history}`, text)
  expect(answer).toMatchObject({ status: 200, body: { data: { imported: { statements: history ? 6 : 1 } } } })
  expect(await exportText(app, copy, { history })).toBe(text)
  const live = async (one: TestBrain) => (await one.call('GET', '/statements')).body.data.statements
  expect(await live(copy)).toEqual(await live(brain))
  const gone = async (one: TestBrain) => (await one.call('GET', '/statements?retracted=true')).body.data.statements
  expect(await gone(copy)).toEqual(history ? await gone(brain) : [])
  expect((await copy.call('GET', '')).body.data.brain.counts.statements).toBe(1)
  const next = await copy.call('POST', '/statements', { ...said, confidence: 0.1 })
  expect(next.body.data.statement).toMatchObject({ id: 's', version: 5, validTo: end, sources })
})

test('D-32 two nodes that repeat a statement at once make one version each, and lose none', async () => {
  await assert({ id: 's' })
  const repeats = Array.from({ length: 20 }, (_, index) => ({ ...said, confidence: (index + 1) / 100 }))
  const answers = await Promise.all(
    repeats.map((body, index) =>
      [app, other][index % 2]?.request('POST', `${brain.path}/statements`, { key: brain.key, body }),
    ),
  )
  expect(answers.map((answer) => answer?.status)).toEqual(repeats.map(() => 200))
  const versions = answers.map((answer) => answer?.body.data.statement.version)
  expect([...versions].sort((a, b) => a - b)).toEqual(repeats.map((_, index) => index + 2))
  const last = answers.find((answer) => answer?.body.data.statement.version === 21)
  expect(await read()).toEqual(last?.body.data.statement)
  expect(await listEvents()).toHaveLength(21)
})

test('AUT-04 a repeat by a key without read answers the address of the statement alone', async () => {
  await assert({ id: 's', confidence: 0.9, sources })
  const key = await brain.mintKey(['write'])
  const answer = await app.request('POST', `${brain.path}/statements`, { key, body: { ...said, confidence: 0.5 } })
  expect(answer.body.data.statement).toEqual({ id: 's', version: 2 })
})

test('D-32 statements that nodes of the previous version write and index are repeated, found and retracted', async () => {
  await assert({ id: 's' })
  const { pool } = app.database
  const columns = 'brain_id, id, identity, subject_id, predicate, from_state, statement'
  const ofBrain = 'brain_id = (select brain_id from brains where id = $1)'
  await pool.query(
    `with gone as (delete from statements where ${ofBrain} returning *)
      insert into statements (${columns}) select ${columns} from gone`,
    [brain.brain.id],
  )
  expect((await assert({ confidence: 0.5 })).body.data.statement).toMatchObject({ id: 's', version: 2 })
  await untilIndexed(app, brain)
  // They take every version of a statement for the first.
  await pool.query(`update passages set version = 1 where type = 'statement' and ${ofBrain}`, [brain.brain.id])
  const { results } = (await brain.call('GET', '/search?q=works+at+acme&types=statement&mode=lexical')).body.data
  expect(results).toMatchObject([{ id: 's', version: 2 }])
  expect((await brain.call('DELETE', '/statements/s')).status).toBe(200)
  expect(await read('?retracted=true')).toMatchObject({ version: 2 })
})
