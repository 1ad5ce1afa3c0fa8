import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { addBrain, createBrain, type TestBrain } from '../../../test/app.ts'
import { isCluster } from '../../../test/cluster.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { forgetSnapshots } from './forget-snapshots.ts'
import { forgetSnapshot, selectForgettable } from './queries.ts'
import { listEvents, makeItems, useSource } from './test-source.fixture.ts'

const app = useOwnApp()
let owner: TestBrain
let made = 0
beforeAll(async () => {
  owner = await createBrain(app)
})

const newBrain = () => addBrain(app, owner, `brain-${++made}`)
const code = (status: number, name: string) => ({ status, body: { error: { code: name } } })
const planned = async (wiki: ReturnType<typeof useSource>, items: Parameters<typeof wiki.plan>[0]) =>
  (await wiki.plan(items)).body.data.snapshot

test('D-60 a plan that the Brain has moved away from is planned again and refused, and the new one applies', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  await wiki.sync(makeItems(3))
  const { snapshot } = await planned(wiki, [{ id: 'd/0', text: 'New.' }, ...makeItems(2).slice(1)])
  await brain.call('POST', '/documents', { id: 'd/0', text: 'By hand.', source: { name: 'wiki' } })
  await brain.call('DELETE', '/documents/d%2F2')
  const refused = await wiki.apply(snapshot, { planRevision: 1 })
  expect(refused).toMatchObject(code(409, 'stale_plan'))
  expect(refused.body.error.details).toMatchObject([
    { path: 'body.planRevision', planRevision: 2, counts: { add: 0, update: 1, retire: 0, unchanged: 1 } },
  ])
  expect((await wiki.read(snapshot)).body.data).toMatchObject({
    snapshot: { planRevision: 2, status: 'planned' },
    items: [{ id: 'd/0', op: 'update', baseVersion: 2 }, { id: 'd/1' }],
  })
  expect(await wiki.apply(snapshot, { planRevision: 1 })).toMatchObject(code(409, 'stale_plan'))
  expect((await wiki.apply(snapshot, { planRevision: 2 })).status).toBe(200)
  expect((await listEvents(brain)).slice(-5).map(([type, data]) => [type, data.planRevision])).toEqual([
    ...[
      ['document.served', undefined],
      ['document.retired', undefined],
    ],
    ...[
      ['snapshot.planned', 2],
      ['document.served', undefined],
      ['snapshot.applied', 2],
    ],
  ])
})

test('D-60 an open snapshot raises the revision with each part, and an old one is refused', async () => {
  const wiki = useSource(await newBrain())
  const { snapshot } = (await wiki.plan(makeItems(1), { complete: false })).body.data.snapshot
  await wiki.plan(makeItems(1, 'e'), { snapshot, complete: false })
  expect(await wiki.apply(snapshot, { planRevision: 1 })).toMatchObject(code(409, 'stale_plan'))
  expect(await wiki.apply(snapshot, { planRevision: 3 })).toMatchObject(code(409, 'stale_plan'))
  expect((await wiki.apply(snapshot, { planRevision: 2 })).status).toBe(200)
})

test('D-60 of two simultaneous applications one is applied and the other returns the new plan', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  await wiki.sync(makeItems(2))
  const sets = [[{ id: 'd/0', text: 'One.' }], [{ id: 'd/0', text: 'Two.' }]]
  const plans = await Promise.all(sets.map((items) => planned(wiki, items)))
  const answers = await Promise.all(plans.map(({ snapshot }) => wiki.apply(snapshot, { planRevision: 1 })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  const loser = answers.findIndex(({ status }) => status === 409)
  expect(answers[loser]?.body.error).toMatchObject({
    code: 'stale_plan',
    details: [{ planRevision: 2, counts: { add: 0, update: 1, retire: 0, unchanged: 0 } }],
  })
  expect((await wiki.apply(plans[loser].snapshot, { planRevision: 2 })).status).toBe(200)
  expect((await brain.call('GET', '/documents/d%2F0')).body.data.document).toMatchObject({ version: 3 })
})

test('D-60 parts that are sent at once all count', async () => {
  const wiki = useSource(await newBrain())
  const { snapshot } = (await wiki.plan([], { complete: false })).body.data.snapshot
  const parts = ['a', 'b', 'c', 'd'].map((name) => wiki.plan(makeItems(5, name), { snapshot, complete: false }))
  const revisions = (await Promise.all(parts)).map(({ body }) => body.data.snapshot.planRevision)
  expect(revisions.sort()).toEqual([2, 3, 4, 5])
  const whole = (await wiki.plan([], { snapshot })).body.data.snapshot
  expect(whole).toMatchObject({ planRevision: 6, counts: { add: 20 } })
})

test('D-60 applying twice answers the same and writes nothing again', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  const { snapshot } = await planned(wiki, makeItems(2))
  const answers = await Promise.all([1, 2, 3].map(() => wiki.apply(snapshot, { planRevision: 1 })))
  const key = { 'idempotency-key': 'apply-it' }
  const keyed = [
    await wiki.apply(snapshot, { planRevision: 1 }, key),
    await wiki.apply(snapshot, { planRevision: 1 }, key),
  ]
  const [first] = answers
  for (const answer of [...answers, ...keyed]) expect([answer.status, answer.body]).toEqual([200, first?.body])
  expect(keyed[1]?.headers.get('idempotent-replayed')).toBe('true')
  expect(await wiki.apply(snapshot, { planRevision: 1, allowRetire: true }, key)).toMatchObject(
    code(409, 'idempotency_key_reused'),
  )
  expect((await listEvents(brain)).map(([type]) => type)).toEqual([
    'snapshot.planned',
    'document.served',
    'document.served',
    'snapshot.applied',
  ])
})

test('D-60 a plan that is repeated under one key opens one snapshot', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  const key = { 'idempotency-key': 'plan-it' }
  const [first, second] = [await wiki.plan(makeItems(1), {}, key), await wiki.plan(makeItems(1), {}, key)]
  expect(second.body).toEqual(first?.body)
  expect(await wiki.plan(makeItems(2), {}, key)).toMatchObject(code(409, 'idempotency_key_reused'))
  expect((await brain.call('GET', wiki.path)).body.data.snapshots).toHaveLength(1)
})

test('D-60 retiring more than the larger of 50 and a fifth of the documents needs allowRetire', async () => {
  const brain = await newBrain()
  for (const [served, passes] of [
    [51, 50],
    [304, 60],
  ] as const) {
    const wiki = useSource(brain, `source-${served}`)
    const items = makeItems(served, `s${served}`)
    await wiki.sync(items)
    const over = await planned(wiki, items.slice(passes + 1))
    expect(over.guard).toEqual({ served, mostRetired: passes, needsAllowRetire: true })
    const refused = await wiki.apply(over.snapshot, { planRevision: 1 })
    expect(refused).toMatchObject(code(409, 'retire_guard'))
    expect(refused.body.error.message).toContain(`${passes + 1} of the ${served}`)
    const within = await planned(wiki, items.slice(passes))
    expect(within.guard.needsAllowRetire).toBe(false)
    expect((await wiki.apply(within.snapshot, { planRevision: 1 })).status).toBe(200)
  }
  const last = useSource(brain, 'source-304')
  const { snapshot } = await planned(last, [])
  expect(await last.apply(snapshot, { planRevision: 1 })).toMatchObject(code(409, 'retire_guard'))
  expect((await last.apply(snapshot, { planRevision: 1, allowRetire: true })).status).toBe(200)
  expect((await brain.call('GET', '/documents?source=source-304')).body.data.documents).toEqual([])
})

test('EVT-11 D-60 in review mode an apply stages one change, which snapshot.applied names', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  await wiki.sync([
    { id: 'a', text: 'a' },
    { id: 'b', text: 'b' },
  ])
  await brain.call('PATCH', '', { mode: 'review' })
  const { snapshot } = await planned(wiki, [
    { id: 'a', text: 'A' },
    { id: 'c', text: 'c' },
  ])
  const staged = await wiki.apply(snapshot, { planRevision: 1 })
  expect(staged).toMatchObject({ status: 202, body: { data: { outcome: 'staged', stateVersion: null } } })
  const reviewChange = staged.body.data.change.id
  const data = { source: 'wiki', snapshot, planRevision: 1 }
  expect((await listEvents(brain)).slice(-3)).toEqual([
    ['snapshot.planned', data],
    ['change.staged', { change: reviewChange }],
    ['snapshot.applied', { ...data, reviewChange }],
  ])
  expect(await wiki.apply(snapshot, { planRevision: 1 })).toMatchObject({ status: 202, body: staged.body })
  await brain.call('POST', `/changes/${reviewChange}/decide`, { decision: 'approved' })
  expect((await listEvents(brain)).slice(-5).map(([type]) => type)).toEqual([
    ...['change.decided', 'document.served', 'document.retired', 'document.served', 'change.published'],
  ])
  const { documents } = (await brain.call('GET', '/documents')).body.data
  expect(documents.map(({ id, version }: { id: string; version: number }) => [id, version])).toEqual([
    ['a', 2],
    ['c', 1],
  ])
})

test('D-60 content that waits for review already is neither announced nor staged again', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await wiki.sync(makeItems(2))
  expect(staged.status).toBe(202)
  const before = await listEvents(brain)
  const again = await wiki.sync(makeItems(2))
  expect(again).toMatchObject({ status: 202, body: { data: { change: staged.body.data.change } } })
  expect(await listEvents(brain)).toEqual(before)
  const other = await wiki.sync(makeItems(3))
  expect(other.body.data.change.id).not.toBe(staged.body.data.change.id)
  await brain.call('POST', `/changes/${other.body.data.change.id}/decide`, { decision: 'rejected' })
  expect((await wiki.sync(makeItems(3))).body.data.change.id).not.toBe(other.body.data.change.id)
})

test('D-60 a held Brain takes no plan and no apply, and still answers what was applied', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  const done = await planned(wiki, makeItems(1))
  const first = await wiki.apply(done.snapshot, { planRevision: 1 })
  const open = await planned(wiki, makeItems(2))
  await sql`update brains set availability = 'held' where id = ${brain.brain.id}`.execute(app.database.db)
  expect(await wiki.plan(makeItems(3))).toMatchObject(code(409, 'brain_held'))
  expect(await wiki.apply(open.snapshot, { planRevision: 1 })).toMatchObject(code(409, 'brain_held'))
  expect((await wiki.apply(done.snapshot, { planRevision: 1 })).body).toEqual(first.body)
})

// Distributed tables have no triggers.
test.skipIf(isCluster)('D-60 an apply that fails midway leaves the Brain and the plan as they were', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  await wiki.sync(makeItems(20))
  const before = await listEvents(brain)
  const { snapshot } = await planned(wiki, [...makeItems(10), ...makeItems(10, 'n')])
  const { db } = app.database
  // The database itself refuses one row of the statement that lands the apply.
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`.execute(
    db,
  )
  await sql`create trigger refuse before insert on document_versions for each row when (new.id = 'n/9') execute function refuse()`.execute(
    db,
  )
  expect((await wiki.apply(snapshot, { planRevision: 1 })).status).toBe(500)
  await sql`drop trigger refuse on document_versions`.execute(db)
  expect((await listEvents(brain)).slice(0, -1)).toEqual(before)
  expect((await brain.call('GET', '/documents')).body.data.documents).toHaveLength(20)
  expect((await wiki.read(snapshot)).body.data.snapshot).toMatchObject({ status: 'planned', planRevision: 1 })
  expect((await wiki.apply(snapshot, { planRevision: 1 })).status).toBe(200)
  expect((await brain.call('GET', '/documents')).body.data.documents).toHaveLength(20)
})

test('D-60 unapplied snapshots are purged after some days, and texts as soon as they are applied', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  const done = await planned(wiki, makeItems(2))
  const texts = async (snapshot: string) =>
    (
      await sql<{
        count: number
      }>`select count(text) as count from snapshot_items where snapshot = ${snapshot}`.execute(app.database.db)
    ).rows[0]?.count
  expect(await texts(done.snapshot)).toBe(2)
  const applied = await wiki.apply(done.snapshot, { planRevision: 1 })
  expect(await texts(done.snapshot)).toBe(0)
  const unchanged = await planned(wiki, makeItems(2))
  expect(await texts(unchanged.snapshot)).toBe(0)
  const open = (await wiki.plan(makeItems(3), { complete: false })).body.data.snapshot
  const forget = (days: number) =>
    forgetSnapshots({ db: app.database.db }, new Date(app.clock.now().getTime() + days * 86_400_000))
  await forget(2)
  expect((await brain.call('GET', wiki.path)).body.data.snapshots).toHaveLength(3)
  await forget(4)
  const left = (await brain.call('GET', wiki.path)).body.data.snapshots
  expect(left.map(({ snapshot }: { snapshot: string }) => snapshot)).toEqual([done.snapshot])
  expect((await wiki.read(done.snapshot)).body.data.items).toEqual([])
  expect((await wiki.apply(done.snapshot, { planRevision: 1 })).body).toEqual(applied.body)
  expect((await wiki.apply(open.snapshot, { planRevision: 1 })).status).toBe(404)
})

test('D-60 a source keeps only its newest unapplied snapshots', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  for (let count = 1; count <= 23; count++) await wiki.plan(makeItems(1))
  await forgetSnapshots({ db: app.database.db }, app.clock.now())
  expect((await brain.call('GET', wiki.path)).body.data.snapshots).toHaveLength(20)
})

test('D-60 3,000 documents are applied as one change', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  const { snapshot } = (await wiki.plan(makeItems(1_500, 'one'), { complete: false })).body.data.snapshot
  const whole = (await wiki.plan(makeItems(1_500, 'two'), { snapshot })).body.data.snapshot
  expect(whole.counts).toMatchObject({ add: 3_000 })
  const applied = await wiki.apply(snapshot, { planRevision: 2 })
  expect(applied).toMatchObject({ status: 200, body: { data: { stateVersion: 1 } } })
  const events = (await listEvents(brain)).filter(([type]) => type === 'document.served')
  expect(events).toHaveLength(3_000)
  expect(new Set(events.map(([, { change }]) => change))).toEqual(new Set([applied.body.data.change.id]))
})

test('D-60 a snapshot that was planned again since it was found old is kept', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  const { snapshot } = (await wiki.plan(makeItems(1), { complete: false })).body.data.snapshot
  const before = new Date(app.clock.now().getTime() + 1)
  const found = await selectForgettable(app.database.db, { before, newest: 20, limit: 100 })
  app.clock.advance({ minutes: 1 })
  expect((await wiki.plan(makeItems(2), { snapshot })).status).toBe(200)
  for (const one of found) await forgetSnapshot(app.database.db, one)
  expect((await wiki.apply(snapshot, { planRevision: 2 })).status).toBe(200)
})
