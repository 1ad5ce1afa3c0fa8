import { expect, test } from 'vitest'
import { createBrain, createMember, type TestApp, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'

const app = useOwnApp()

type Event = { type: string; data: Record<string, unknown> }
const listEvents = async (brain: TestBrain): Promise<Event[]> =>
  (await brain.call('GET', '/events?limit=500')).body.data.events
const listTypes = async (brain: TestBrain) => (await listEvents(brain)).map(({ type }) => type)

const hold = (brain: TestBrain, reason = 'audit') => brain.call('PUT', '/hold', { reason })
const release = (brain: TestBrain) => brain.call('DELETE', '/hold')
const heldError = { status: 409, body: { error: { kind: 'conflict', code: 'brain_held' } } }

test('D-24 a hold refuses writes and deletion until it is released, and reads continue', async () => {
  const brain = await createBrain(app, 'held')
  await brain.call('PUT', '/records/a', { kind: 'x' })
  const held = await hold(brain)
  expect(held).toMatchObject({
    status: 200,
    body: { data: { brain: { availability: 'held' }, hold: { reason: 'audit', by: brain.keyId } } },
  })
  expect(await brain.call('PUT', '/records/b', { kind: 'x' })).toMatchObject(heldError)
  expect(await brain.call('POST', '/batch', { operations: [{ op: 'record.delete', id: 'a' }] })).toMatchObject(
    heldError,
  )
  expect(await brain.call('DELETE', '')).toMatchObject(heldError)
  expect((await brain.call('GET', '/records/a')).status).toBe(200)
  expect(await release(brain)).toMatchObject({
    status: 200,
    body: { data: { brain: { availability: 'active' }, hold: null } },
  })
  expect((await brain.call('PUT', '/records/b', { kind: 'x' })).status).toBe(201)
})

test('BRN-05 EVT-11 a hold and its release have one event each, also in a Brain never written to', async () => {
  const brain = await createBrain(app, 'published')
  const first = await hold(brain, 'one')
  const second = await hold(brain, 'two')
  expect(second.body.data.hold).toEqual({ ...first.body.data.hold, reason: 'two' })
  await release(brain)
  await release(brain)
  const events = await listEvents(brain)
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    ['availability.changed', { from: 'active', to: 'held' }],
    ['availability.changed', { from: 'held', to: 'active' }],
  ])
})

test('D-24 a write that was answered before the hold is answered the same to a repeat of its key', async () => {
  const brain = await createBrain(app, 'replayed')
  const write = () => brain.call('POST', '/records', { kind: 'x' }, { headers: { 'idempotency-key': 'once' } })
  const first = await write()
  await hold(brain)
  expect((await write()).body).toEqual(first.body)
})

test('D-24 no write is applied after a hold, on any node', async () => {
  const brain = await createBrain(app, 'raced')
  const node = await app.startNode()
  let isHeld = false
  const writeOn = async (request: TestApp['request'], writer: number) => {
    const outcomes: { status: number; startedHeld: boolean; id: string }[] = []
    for (let turn = 0; turn < 40; turn++) {
      const startedHeld = isHeld
      const id = `${writer}-${turn}`
      const { status } = await request('PUT', `${brain.path}/records/${id}`, { key: brain.key, body: { kind: 'x' } })
      outcomes.push({ status, startedHeld, id })
    }
    return outcomes
  }
  const writers = [0, 1, 2, 3, 4, 5].map((writer) => writeOn(writer % 2 ? node.request : app.request, writer))
  const readStream = () => listEvents(brain)
  while ((await readStream()).length < 10);
  const held = await hold(brain)
  isHeld = true
  expect(held.status).toBe(200)
  const outcomes = (await Promise.all(writers)).flat()
  await node.close()
  expect(outcomes.filter(({ startedHeld }) => startedHeld).every(({ status }) => status === 409)).toBe(true)
  expect(outcomes.some(({ status }) => status === 409)).toBe(true)
  const events = await listEvents(brain)
  expect(events.findIndex(({ type }) => type === 'availability.changed')).toBe(events.length - 1)
  const landed = outcomes.filter(({ status }) => status === 201).map(({ id }) => id)
  const published = events.slice(0, -1).map(({ data }) => (data.record as { id: string }).id)
  expect(published.sort()).toEqual(landed.sort())
})

const stageRecord = async (brain: TestBrain, id: string): Promise<string> =>
  (await brain.call('PUT', `/records/${id}`, { kind: 'x' })).body.data.change.id

test('D-24 changes approved under a hold are blocked, cannot be published, and are published by the release', async () => {
  const brain = await createBrain(app, 'approving')
  await brain.call('PATCH', '', { mode: 'review' })
  const change = await stageRecord(brain, 'a')
  await hold(brain)
  const decided = await brain.call('POST', `/changes/${change}/decide`, { decision: 'approved' })
  expect(decided).toMatchObject({
    status: 200,
    body: { data: { change: { decision: 'approved', application: 'blocked', blockedBy: 'held' } } },
  })
  expect(await brain.call('POST', `/changes/${change}/publish`)).toMatchObject(heldError)
  expect((await brain.call('GET', '/records/a')).status).toBe(404)
  await release(brain)
  expect((await brain.call('GET', '/records/a')).status).toBe(200)
  expect(await listTypes(brain)).toEqual([
    'change.staged',
    'availability.changed',
    'change.decided',
    'availability.changed',
    'record.accepted',
    'change.published',
  ])
})

test('D-24 a scheduled change that falls due while held waits for the release', async () => {
  const brain = await createBrain(app, 'scheduled')
  await brain.call('PATCH', '', { mode: 'review' })
  const change = await stageRecord(brain, 'a')
  const publish = new Date(app.clock.now().getTime() + 60_000).toISOString()
  await brain.call('POST', `/changes/${change}/decide`, { decision: 'approved', publish })
  await hold(brain)
  app.clock.advance({ minutes: 2 })
  await app.app.workers.find(({ name }) => name === 'publish scheduled changes')?.run()
  expect((await brain.call('GET', `/changes/${change}`)).body.data.change).toMatchObject({
    application: 'blocked',
    blockedBy: 'held',
  })
  await release(brain)
  expect((await brain.call('GET', '/records/a')).status).toBe(200)
})

test('D-24 a worker publishes changes after a release whose node stopped', async () => {
  const brain = await createBrain(app, 'left')
  await brain.call('PATCH', '', { mode: 'review' })
  const change = await stageRecord(brain, 'a')
  await hold(brain)
  await brain.call('POST', `/changes/${change}/decide`, { decision: 'approved' })
  const worker = app.app.workers.find(({ name }) => name === 'publish what holds had blocked')
  await worker?.run()
  expect((await brain.call('GET', '/records/a')).status).toBe(404)
  // The release's own transaction without what follows it, as a crash leaves things.
  await app.database.pool.query(`update brains set availability = 'active' where id = $1`, [brain.brain.id])
  await Promise.all([worker?.run(), worker?.run()])
  expect((await brain.call('GET', '/records/a')).status).toBe(200)
  expect((await listTypes(brain)).filter((type) => type === 'change.published')).toHaveLength(1)
})

test('D-24 only a management key of the organization holds and releases, and a hold needs a reason', async () => {
  const brain = await createBrain(app, 'guarded')
  const key = await brain.mintKey(['read', 'write', 'review', 'admin'])
  expect((await brain.call('PUT', '/hold', { reason: 'x' }, { key })).status).toBe(401)
  expect((await brain.call('DELETE', '/hold', undefined, { key })).status).toBe(401)
  expect((await app.request('PUT', `${brain.path}/hold`, { body: { reason: 'x' } })).status).toBe(401)
  const stranger = await createMember(app)
  expect((await brain.call('PUT', '/hold', { reason: 'x' }, { key: stranger.key })).status).toBe(404)
  expect((await brain.call('DELETE', '/hold', undefined, { key: stranger.key })).status).toBe(404)
  expect((await brain.call('PUT', '/hold', { reason: '' })).status).toBe(400)
  expect((await brain.call('PUT', '/hold')).status).toBe(400)
})
