import { beforeAll, expect, test } from 'vitest'
import { createBrain, type TestApp, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { approve, evolve } from '../schema/schema-app.fixture.ts'
import { declareTask, emitDueDates, inDays, inMinutes, listReached } from './dates-app.fixture.ts'

const app = useOwnApp()
beforeAll(async () => {
  app.clock.hold()
})

const brainWithTasks = async (handle: string): Promise<TestBrain> => {
  const brain = await createBrain(app, handle)
  await declareTask(brain)
  return brain
}
const write = async (brain: TestBrain, id: string, fields: object, kind = 'Task') => {
  const { status, body } = await brain.call('PUT', `/records/${id}`, { kind, fields })
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return body.data
}
const later = async (by: Parameters<TestApp['clock']['advance']>[0]) => {
  app.clock.advance(by)
  await emitDueDates(app.app.workers)
}
/** The stream's reminders, as `id offset`. */
const listSent = async (brain: TestBrain) =>
  (await listReached(brain)).map(({ data: { record, offset } }) => `${record.id} ${offset}`)

test('EVT-11 DAT-01 DAT-02 date.reached has the record, the field, the offset and when it was due: a date at the start of its day in UTC', async () => {
  const brain = await brainWithTasks('shape')
  const [day, before] = [inDays(app, 2), inDays(app, 1)]
  await write(brain, 'r', { due: day })
  await later({ days: 3 })
  const events = await listReached(brain)
  const record = { id: 'r', kind: 'Task' }
  expect(events.map(({ data }) => data)).toEqual([
    { record, field: 'due', offset: 'P1D', dueAt: `${before}T00:00:00.000Z` },
    { record, field: 'due', offset: 'P0D', dueAt: `${day}T00:00:00.000Z` },
  ])
  expect(new Set(events.map(({ occurredAt }) => occurredAt))).toEqual(new Set([inMinutes(app, 0)]))
})

test('DAT-01 a datetime is reached at its instant, in any spelling, and each of many values separately', async () => {
  const brain = await brainWithTasks('instants')
  const at = inMinutes(app, 61)
  const local = `${new Date(Date.parse(at) + 7_200_000).toISOString().slice(0, -1)}+02:00`
  await write(brain, 'r', { at: [local, at, inMinutes(app, 63)] })
  app.clock.advance({ seconds: 59 })
  await emitDueDates(app.app.workers)
  expect(await listSent(brain)).toEqual([])
  await later({ seconds: 1 })
  const [first] = await listReached(brain)
  expect(first?.data).toMatchObject({ field: 'at', offset: 'PT1H', dueAt: inMinutes(app, 0) })
  await later({ minutes: 2 })
  expect(await listSent(brain)).toEqual(['r PT1H', 'r PT1H'])
})

test('DAT-03 DAT-07 a reminder is sent once, by the minute, and after a time without any node', async () => {
  const worker = app.app.workers.find(({ name }) => name === 'emit reached dates')
  expect(worker?.everySeconds).toBe(60)
  const brain = await brainWithTasks('once')
  await write(brain, 'r', { at: [inMinutes(app, 90)] })
  await later({ days: 30 })
  await later({ minutes: 1 })
  await write(brain, 'r', { at: [inMinutes(app, 90)], other: true })
  await later({ days: 1 })
  expect(await listSent(brain)).toEqual(['r PT1H', 'r PT1H'])
})

test('DAT-04 another value cancels the pending reminders of the former one; changing back repeats nothing', async () => {
  const brain = await brainWithTasks('changes')
  const [first, second] = [inMinutes(app, 90), inMinutes(app, 150)]
  await write(brain, 'r', { at: [first] })
  await write(brain, 'r', { at: [second] })
  await later({ minutes: 60 })
  expect(await listSent(brain)).toEqual([])
  await later({ minutes: 60 })
  expect((await listReached(brain)).map(({ data }) => data.dueAt)).toEqual([inMinutes(app, -30)])
  await write(brain, 'r', { at: [inMinutes(app, 90)] })
  await write(brain, 'r', { at: [second] })
  await later({ days: 1 })
  expect(await listSent(brain)).toHaveLength(1)
})

test('DAT-03 a node with a slower clock does not send a reminder again', async () => {
  const brain = await brainWithTasks('clocks')
  const at = [inMinutes(app, 70)]
  await write(brain, 'r', { at })
  await later({ minutes: 20 })
  app.clock.advance({ minutes: -15 })
  await write(brain, 'r', { at: [] })
  await write(brain, 'r', { at })
  await later({ minutes: 60 })
  expect(await listSent(brain)).toEqual(['r PT1H'])
})

test('DAT-04 a write that keeps the date keeps its pending reminders, due or not', async () => {
  const brain = await brainWithTasks('untouched')
  await write(brain, 'r', { at: [inMinutes(app, 70)] })
  await brain.call('PATCH', '/records/r', { fields: { note: 'one' } })
  app.clock.advance({ minutes: 20 })
  await brain.call('PATCH', '/records/r', { fields: { note: 'two' } })
  await later({ minutes: 1 })
  expect(await listSent(brain)).toEqual(['r PT1H'])
})

test('DAT-05 deleting a record cancels its reminders, and creating it again schedules them again', async () => {
  const brain = await brainWithTasks('deleted')
  const [soon, late] = [inMinutes(app, 70), inMinutes(app, 200)]
  await write(brain, 'r', { at: [soon, late] })
  await write(brain, 's', { at: [soon] })
  await brain.call('DELETE', '/records/r')
  await later({ minutes: 20 })
  expect(await listSent(brain)).toEqual(['s PT1H'])
  await brain.call('DELETE', '/records/s')
  await write(brain, 's', { at: [soon] })
  await write(brain, 'r', { at: [soon, late] })
  await later({ days: 1 })
  expect(await listSent(brain)).toEqual(['s PT1H', 'r PT1H'])
})

test('DAT-06 a duration that reaches back before all calendars is always past', async () => {
  const brain = await createBrain(app, 'ages')
  const at = { name: 'at', type: 'datetime', notifyBefore: ['P99999Y', 'P2026Y'] }
  await evolve(brain, { op: 'addKind', kind: 'Task', fields: [at] })
  await write(brain, 'r', { at: inMinutes(app, 10) })
  await write(brain, 'r', { at: '0001-01-01T00:00:00Z' })
  await brain.call('DELETE', '/records/r')
  await later({ minutes: 20 })
  expect(await listSent(brain)).toEqual([])
})

test('DAT-06 a moment that is past when it is written gets no reminder, to the millisecond', async () => {
  const brain = await brainWithTasks('past')
  const at = (milliseconds: number) => new Date(Date.parse(inMinutes(app, 60)) + milliseconds).toISOString()
  await write(brain, 'r', { at: [at(-1), at(0), at(1)], due: inDays(app, 0) })
  await later({ minutes: 1 })
  expect((await listReached(brain)).map(({ data }) => Date.parse(data.dueAt))).toEqual([
    app.clock.now().getTime() - 60_000 + 1,
  ])
})

test('DAT-04 another kind has its own dates; a reminder of both kinds is sent once, with the record’s current kind', async () => {
  const brain = await brainWithTasks('retyped')
  const at = { name: 'at', type: 'datetime', many: true, notifyBefore: ['PT1H', 'P0D'] }
  await evolve(brain, { op: 'addKind', kind: 'Job', fields: [at] })
  await write(brain, 'r', { at: [inMinutes(app, 90)], due: inDays(app, 5) })
  await write(brain, 's', { at: [inMinutes(app, 91)] })
  await brain.call('PATCH', '/records/r', { kind: 'Job' })
  await brain.call('PATCH', '/records/s', { kind: 'Free' })
  await later({ days: 9 })
  expect((await listReached(brain)).map(({ data }) => [data.record, data.offset])).toEqual([
    [{ id: 'r', kind: 'Job' }, 'PT1H'],
    [{ id: 'r', kind: 'Job' }, 'P0D'],
  ])
})

test('DAT-01 publishing a schema schedules reminders for existing values, and cancels those that it no longer declares', async () => {
  const brain = await createBrain(app, 'evolving')
  const field = (...notifyBefore: string[]) => ({ name: 'when', type: 'datetime', notifyBefore })
  await write(brain, 'past', { when: inMinutes(app, -1) })
  await write(brain, 'soon', { when: inMinutes(app, 10) })
  await write(brain, 'late', { when: inMinutes(app, 100) })
  await write(brain, 'text', { when: 'some day' })
  await write(brain, 'other', { when: inMinutes(app, 10) }, 'Other')
  await evolve(brain, { op: 'addKind', kind: 'Task', fields: [field('P0D', 'PT1H')] })
  await later({ minutes: 20 })
  expect(await listSent(brain)).toEqual(['soon P0D'])
  await evolve(brain, { op: 'setField', kind: 'Task', field: field('P0D', 'PT30M') })
  await later({ minutes: 55 })
  expect(await listSent(brain)).toEqual(['soon P0D', 'late PT30M'])
  await evolve(brain, { op: 'retireField', kind: 'Task', name: 'when' })
  await evolve(brain, { op: 'addField', kind: 'Task', field: field('PT30M', 'P0D') })
  await evolve(brain, { op: 'retireKind', kind: 'Task' })
  await later({ days: 1 })
  expect(await listSent(brain)).toEqual(['soon P0D', 'late PT30M'])
})

test('DAT-06 a pending change has no reminders; they count from its publication', async () => {
  const brain = await brainWithTasks('reviewed')
  await brain.call('PATCH', '', { mode: 'review' })
  const fields = { at: [inMinutes(app, 70), inMinutes(app, 130)] }
  const staged = (await brain.call('PUT', '/records/r', { kind: 'Task', fields })).body.data.change.id
  await later({ minutes: 20 })
  expect(await listSent(brain)).toEqual([])
  await approve(brain, staged)
  await later({ minutes: 60 })
  expect((await listReached(brain)).map(({ data }) => data.dueAt)).toEqual([inMinutes(app, -10)])
})

test('DAT-04 a batch with opposite writes and a reverted change leave the reminders of their result', async () => {
  const brain = await brainWithTasks('reverted')
  const [first, second] = [inMinutes(app, 70), inMinutes(app, 80)]
  const put = (at: string) => ({ op: 'record.put', id: 'r', kind: 'Task', fields: { at: [at] } })
  await brain.call('POST', '/batch', { operations: [put(first), put(second), put(first)] })
  const { change } = await write(brain, 'r', { at: [second] })
  await brain.call('POST', `/changes/${change.id}/revert`, {})
  const refused = [put(second), { op: 'document.retire', id: 'never' }]
  expect((await brain.call('POST', '/batch', { operations: refused })).status).toBe(404)
  await later({ days: 1 })
  expect(await listReached(brain)).toMatchObject([
    { data: { dueAt: new Date(Date.parse(first) - 3_600_000).toISOString() } },
  ])
})

test('D-24 DAT-07 the stream of a held Brain continues to have reminders; that of a deleted one does not', async () => {
  const [held, deleted] = [await brainWithTasks('held'), await brainWithTasks('gone')]
  for (const brain of [held, deleted]) await write(brain, 'r', { at: [inMinutes(app, 70)] })
  await held.call('PUT', '/hold', { reason: 'audit' })
  await deleted.call('DELETE', '')
  await later({ minutes: 20 })
  expect(await listSent(held)).toEqual(['r PT1H'])
  const { rows } = await app.database.pool.query(
    `select count(*) as count from events join brains using (brain_id) where id = $1 and type = 'date.reached'`,
    [deleted.brain.id],
  )
  expect(rows).toEqual([{ count: 0 }])
})
