import { beforeAll, expect, test } from 'vitest'
import { addBrain, createBrain, type TestBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import { listEvents, makeItems, useSource } from './test-source.fixture.ts'

const app = useApp()
let owner: TestBrain
let made = 0
beforeAll(async () => {
  owner = await createBrain(app)
})

const newBrain = () => addBrain(app, owner, `brain-${++made}`)
const code = (status: number, name: string) => ({ status, body: { error: { code: name } } })

test('EVT-11 D-60 a plan and its apply tell of themselves, the documents between them in one change', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  const planned = await wiki.plan([
    { id: 'a', text: 'A', title: 'The A', uri: 'https://wiki.example/a', externalId: '1', metadata: { n: 1 } },
    { id: 'b', text: 'B' },
  ])
  expect(planned).toMatchObject({ status: 201, body: { data: { stateVersion: 0 } } })
  const { snapshot } = planned.body.data
  expect(snapshot).toEqual({
    snapshot: expect.stringMatching(/^snp_/),
    source: 'wiki',
    planRevision: 1,
    status: 'planned',
    complete: true,
    counts: { add: 2, update: 0, retire: 0, unchanged: 0 },
    conflicts: 0,
    guard: { served: 0, mostRetired: 50, needsAllowRetire: false },
    createdAt: expect.stringMatching(/\.\d{3}Z$/),
    plannedAt: snapshot.createdAt,
    appliedAt: null,
  })
  const applied = await wiki.apply(snapshot.snapshot, { planRevision: 1 })
  expect(applied).toMatchObject({
    status: 200,
    body: {
      data: {
        outcome: 'landed',
        stateVersion: 1,
        change: { decision: 'approved', application: 'applied' },
        snapshot: { status: 'applied', appliedAt: expect.any(String) },
      },
    },
  })
  const change = applied.body.data.change.id
  const data = { source: 'wiki', snapshot: snapshot.snapshot, planRevision: 1 }
  expect(await listEvents(brain)).toEqual([
    ['snapshot.planned', data],
    ['document.served', { document: { id: 'a', source: 'wiki' }, version: 1, change }],
    ['document.served', { document: { id: 'b', source: 'wiki' }, version: 1, change }],
    ['snapshot.applied', data],
  ])
  expect((await brain.call('GET', '/documents/a')).body.data.document).toMatchObject({
    title: 'The A',
    text: 'A',
    metadata: { n: 1 },
    source: { name: 'wiki', uri: 'https://wiki.example/a', externalId: '1' },
    provenance: { change },
  })
})

test('D-60 a snapshot adds, updates and retires what differs, and leaves alone what does not', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  await brain.call('POST', '/documents', { id: 'other', text: 'Of no source.' })
  await useSource(brain, 'blog').sync([{ id: 'post', text: 'Of another source.' }])
  await wiki.sync(['a', 'b', 'c'].map((id) => ({ id, text: id, title: id })))
  const before = (await listEvents(brain)).length
  const planned = (
    await wiki.plan([
      { id: 'b', text: 'b', title: 'b' },
      { id: 'c', text: 'C', title: 'c' },
      { id: 'd', text: 'd' },
    ])
  ).body.data.snapshot
  expect(planned.counts).toEqual({ add: 1, update: 1, retire: 1, unchanged: 1 })
  expect((await wiki.read(planned.snapshot)).body.data.items).toEqual([
    { id: 'a', op: 'retire', title: 'a', baseVersion: 1, otherSource: null },
    { id: 'b', op: 'unchanged', title: 'b', baseVersion: 1, otherSource: null },
    { id: 'c', op: 'update', title: 'c', baseVersion: 1, otherSource: null },
    { id: 'd', op: 'add', title: null, baseVersion: null, otherSource: null },
  ])
  const { change } = (await wiki.apply(planned.snapshot, { planRevision: 1 })).body.data
  expect((await listEvents(brain)).slice(before + 1, -1).map(([type, data]) => [type, data])).toEqual([
    ['document.retired', { document: { id: 'a', source: 'wiki' }, change: change.id }],
    ['document.served', { document: { id: 'c', source: 'wiki' }, version: 2, change: change.id }],
    ['document.served', { document: { id: 'd', source: 'wiki' }, version: 1, change: change.id }],
  ])
  const { documents } = (await brain.call('GET', '/documents')).body.data
  expect(documents.map(({ id }: { id: string }) => id)).toEqual(['b', 'c', 'd', 'other', 'post'])
})

test('D-60 a snapshot in which nothing differs writes nothing and emits nothing', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  await wiki.sync(makeItems(3))
  const before = await listEvents(brain)
  const { snapshot } = (await wiki.plan(makeItems(3))).body.data
  expect(snapshot).toMatchObject({ status: 'unchanged', counts: { add: 0, update: 0, retire: 0, unchanged: 3 } })
  expect(await wiki.apply(snapshot.snapshot, { planRevision: 1 })).toMatchObject({
    status: 200,
    body: { data: { outcome: 'landed', change: null, stateVersion: null, snapshot: { status: 'unchanged' } } },
  })
  expect(await listEvents(brain)).toEqual(before)
  expect((await brain.call('GET', '')).body.data.brain.stateVersion).toBe(1)
  expect(await wiki.plan([], { snapshot: snapshot.snapshot })).toMatchObject(code(409, 'snapshot_finished'))
})

test('D-60 parts gather in one snapshot, and only a complete one retires', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  await wiki.sync([...makeItems(2), { id: 'gone', text: 'x' }])
  const first = (await wiki.plan([{ id: 'd/0', text: 'New.' }], { complete: false })).body.data.snapshot
  expect(first).toMatchObject({
    status: 'open',
    planRevision: 1,
    counts: { add: 0, update: 1, retire: 0, unchanged: 0 },
  })
  const part = { snapshot: first.snapshot, complete: false }
  const second = await wiki.plan([{ id: 'd/1', text: 'Text of d 1.' }], part)
  expect(second.status).toBe(200)
  expect(second.body.data.snapshot).toMatchObject({ planRevision: 2, counts: { update: 1, unchanged: 1 } })
  const replaced = await wiki.plan([{ id: 'd/0', text: 'Newer.' }], part)
  expect(replaced.body.data.snapshot).toMatchObject({ planRevision: 3, counts: { update: 1, unchanged: 1 } })
  const last = (await wiki.plan([{ id: 'e', text: 'e' }], { snapshot: first.snapshot })).body.data.snapshot
  expect(last).toMatchObject({
    planRevision: 4,
    status: 'planned',
    counts: { add: 1, update: 1, retire: 1, unchanged: 1 },
  })
  expect(await wiki.plan([{ id: 'f', text: 'f' }], { snapshot: first.snapshot })).toMatchObject(
    code(409, 'snapshot_complete'),
  )
  expect((await wiki.apply(first.snapshot, { planRevision: 4 })).status).toBe(200)
  expect((await brain.call('GET', '/documents/d%2F0')).body.data.document.text).toBe('Newer.')
  expect((await brain.call('GET', '/documents/gone')).status).toBe(404)
  // A part in which nothing differs is no news.
  const revisions = (await listEvents(brain)).filter(([type]) => type === 'snapshot.planned').slice(1)
  expect(revisions.map(([, data]) => data.planRevision)).toEqual([1, 3, 4])
})

test('D-60 an incomplete snapshot can be applied and retires nothing', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  await wiki.sync(makeItems(3))
  const { snapshot } = (await wiki.plan([{ id: 'd/1', text: 'New.' }], { complete: false })).body.data
  expect((await wiki.apply(snapshot.snapshot, { planRevision: 1 })).body.data.outcome).toBe('landed')
  expect((await brain.call('GET', '/documents')).body.data.documents).toHaveLength(3)
})

test('D-60 the plan is paged by id, whole or by what becomes of documents', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  await wiki.sync(makeItems(5))
  const { snapshot } = (await wiki.plan([...makeItems(3), ...makeItems(2, 'n')])).body.data
  const seen: string[] = []
  let after = ''
  for (;;) {
    const { data } = (await wiki.read(snapshot.snapshot, `?limit=2${after}`)).body
    seen.push(...data.items.map(({ id, op }: { id: string; op: string }) => `${op} ${id}`))
    if (!data.hasMore) break
    after = `&after=${data.cursor}`
  }
  expect(seen).toEqual([
    ...['unchanged d/0', 'unchanged d/1', 'unchanged d/2', 'retire d/3', 'retire d/4'],
    ...['add n/0', 'add n/1'],
  ])
  const retired = (await wiki.read(snapshot.snapshot, '?op=retire&limit=1')).body.data
  expect(retired).toMatchObject({ items: [{ id: 'd/3' }], hasMore: true })
  const rest = await wiki.read(snapshot.snapshot, `?op=retire&after=${retired.cursor}`)
  expect(rest.body.data).toMatchObject({ items: [{ id: 'd/4' }], hasMore: false, snapshot: { planRevision: 1 } })
  expect((await wiki.read(snapshot.snapshot, '?op=grow')).status).toBe(400)
  expect((await wiki.read('snp_none')).status).toBe(404)
  expect((await useSource(brain, 'blog').read(snapshot.snapshot)).status).toBe(404)
  const listed = await brain.call('GET', `${wiki.path}?limit=1`)
  expect(listed.body.data).toMatchObject({ snapshots: [{ status: 'applied' }], hasMore: true })
  const next = await brain.call('GET', `${wiki.path}?after=${listed.body.data.cursor}`)
  expect(next.body.data).toMatchObject({ snapshots: [snapshot], hasMore: false })
})

test("D-60 an id that is not the source's own is a conflict, reported and never overwritten", async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  await useSource(brain, 'blog').sync([{ id: 'shared', text: "The blog's." }])
  await brain.call('POST', '/documents', { id: 'loose', text: 'Of no source.' })
  const { snapshot } = (
    await wiki.plan([
      { id: 'shared', text: 'Mine.' },
      { id: 'loose', text: 'Mine.' },
    ])
  ).body.data
  expect(snapshot).toMatchObject({ status: 'planned', conflicts: 2, counts: { add: 0, update: 0 } })
  expect((await wiki.read(snapshot.snapshot, '?op=conflict')).body.data.items).toMatchObject([
    { id: 'loose', otherSource: null, baseVersion: 1 },
    { id: 'shared', otherSource: 'blog', baseVersion: 1 },
  ])
  const refused = await wiki.apply(snapshot.snapshot, { planRevision: 1 })
  expect(refused).toMatchObject(code(409, 'source_conflict'))
  expect(refused.body.error.details).toMatchObject([{ id: 'loose' }, { id: 'shared', otherSource: 'blog' }])
  expect((await brain.call('GET', '/documents/shared')).body.data.document.text).toBe("The blog's.")
  await brain.call('DELETE', '/documents/shared')
  await brain.call('DELETE', '/documents/loose')
  const stale = await wiki.apply(snapshot.snapshot, { planRevision: 1 })
  expect(stale).toMatchObject(code(409, 'stale_plan'))
  expect((await wiki.apply(snapshot.snapshot, { planRevision: 2 })).status).toBe(200)
})

test('D-60 a malformed request is refused with the path of what is wrong', async () => {
  const wiki = useSource(await newBrain())
  for (const [items, more, path] of [
    [[{ text: 'x' }], {}, 'body.items.0.id'],
    [[{ id: 'a' }], {}, 'body.items.0.text'],
    [
      [
        { id: 'a', text: 'x' },
        { id: 'a', text: 'y' },
      ],
      {},
      'body.items.1.id',
    ],
    [[], { complete: 'yes' }, 'body.complete'],
  ] as const) {
    const refused = await wiki.plan(items as never, more)
    expect(refused, path).toMatchObject({ status: 400, body: { error: { details: [{ path }] } } })
  }
  expect((await wiki.plan([], { snapshot: 'snp_none' })).status).toBe(404)
  expect((await wiki.apply('snp_none', { planRevision: 1 })).status).toBe(404)
  expect((await wiki.apply('snp_none', {})).status).toBe(400)
  expect((await useSource(owner, 'x'.repeat(201)).plan([])).status).toBe(400)
})

test('D-60 planning and applying need write, reading the plan needs read', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  const [reader, writer] = [await brain.mintKey(['read']), await brain.mintKey(['write'])]
  const body = { items: makeItems(1), complete: true }
  const planned = await brain.call('POST', wiki.path, body, { key: writer })
  const { snapshot } = planned.body.data.snapshot
  expect((await brain.call('POST', wiki.path, body, { key: reader })).status).toBe(403)
  expect((await brain.call('POST', wiki.path, body, { key: 'nbk_none' })).status).toBe(401)
  for (const [key, status] of [
    [reader, 200],
    [writer, 403],
  ] as const) {
    expect((await brain.call('GET', wiki.path, undefined, { key })).status).toBe(status)
    expect((await brain.call('GET', `${wiki.path}/${snapshot}`, undefined, { key })).status).toBe(status)
  }
  const apply = (key: string) => brain.call('POST', `${wiki.path}/${snapshot}/apply`, { planRevision: 1 }, { key })
  expect((await apply(reader)).status).toBe(403)
  expect((await apply(writer)).status).toBe(200)
})

test('D-60 retirements that a rule sends to review in a direct Brain are not staged again while they wait', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  await wiki.sync(makeItems(3))
  await brain.call('PATCH', '', { reviewRules: { always: ['document.retire'] } })
  const staged = await wiki.sync(makeItems(2))
  expect(staged.status).toBe(202)
  const before = await listEvents(brain)
  const again = await wiki.sync(makeItems(2))
  expect(again).toMatchObject({ status: 202, body: { data: { change: staged.body.data.change } } })
  expect(await listEvents(brain)).toEqual(before)
  await brain.call('PATCH', '', { reviewRules: { always: ['record.delete'] } })
  expect((await wiki.sync(makeItems(2))).status).toBe(200)
})

test('D-25 D-41 a change whose base has moved in thousands of items names some, and is restored from an export', async () => {
  const brain = await newBrain()
  const wiki = useSource(brain)
  await brain.call('PATCH', '', { mode: 'review' })
  const stage = async (count: number) => (await wiki.sync(makeItems(count))).body.data.change.id
  const [first, second] = [await stage(2_600), await stage(2_601)]
  const decide = (id: string) => brain.call('POST', `/changes/${id}/decide`, { decision: 'approved' })
  expect((await decide(first)).body.data.change.application).toBe('applied')
  const { application, blockedBy } = (await decide(second)).body.data.change
  expect([application, blockedBy]).toEqual([
    'blocked',
    expect.stringMatching(/^The base of items 1, .* and 2580 more /),
  ])
  const headers = { authorization: `Bearer ${brain.key}`, 'content-type': 'application/x-ndjson' }
  const body = await (await fetch(`${app.base}${brain.path}/export?history=true`, { headers })).text()
  const copy = await newBrain()
  const imported = await fetch(`${app.base}${copy.path}/import`, { method: 'POST', headers, body })
  expect(imported.status).toBe(200)
})
