import { expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { evolve } from '../schema/schema-app.fixture.ts'
import { inMinutes } from './dates-app.fixture.ts'

const app = useOwnApp({ NOEMA_TIERS: '{"unverified":{"dailyWrites":400}}' })

const durations = (count: number) => Array.from({ length: count }, (_, n) => `PT${n}M`)
const moments = (count: number) => Array.from({ length: count }, (_, n) => inMinutes(app, 1_000 + n))

const declare = (brain: TestBrain, notifyBefore: string[]) =>
  evolve(brain, {
    op: 'addKind',
    kind: 'Meeting',
    fields: [{ name: 'at', type: 'datetime', many: true, notifyBefore }],
  })

const meet = (brain: TestBrain, id: string, count: number) =>
  brain.call('PUT', `/records/${id}`, { kind: 'Meeting', fields: { at: moments(count) } })

const countReminders = async ({ brain }: TestBrain): Promise<number> => {
  const { rows } = await app.database.pool.query(
    `select count(*)::integer as count from date_crossings join brains using (brain_id) where brains.id = $1`,
    [brain.id],
  )
  return rows[0].count
}

test('DAT-01 a record is notified of at most 1,000 times: one more is 400 in direct and in review mode, and stores nothing', async () => {
  const brain = await createBrain(app, 'bounded')
  await declare(brain, durations(20))
  expect((await meet(brain, 'most', 50)).status).toBe(201)
  const refused = await meet(brain, 'more', 51)
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'too_many_reminders' } } })
  expect(refused.body.error.message).toContain('1020 times')
  expect(await countReminders(brain)).toBe(1_000)
  await brain.call('PATCH', '', { mode: 'review' })
  expect((await meet(brain, 'more', 51)).status).toBe(400)
})

test('DAT-01 one batch begins at most 20,000 reminders', async () => {
  const brain = await createBrain(app, 'batched')
  await declare(brain, durations(20))
  const batch = (size: number) => ({
    operations: Array.from({ length: size }, () => ({
      ...{ op: 'record.create', kind: 'Meeting' },
      fields: { at: moments(50) },
    })),
  })
  expect((await brain.call('POST', '/batch', batch(21))).body.error.code).toBe('too_many_reminders')
  expect(await countReminders(brain)).toBe(0)
  expect((await brain.call('POST', '/batch', batch(2))).status).toBe(200)
})

test('DAT-01 a change that was staged before the schema declared more reminders is blocked if they are too many', async () => {
  const brain = await createBrain(app, 'approved')
  await declare(brain, durations(1))
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await meet(brain, 'many', 500)
  expect(staged.status).toBe(202)
  await brain.call('PATCH', '', { mode: 'direct' })
  const field = { name: 'at', type: 'datetime', many: true, notifyBefore: durations(4) }
  await evolve(brain, { op: 'setField', kind: 'Meeting', field })
  const { id } = staged.body.data.change
  const { body } = await brain.call('POST', `/changes/${id}/decide`, { decision: 'approved' })
  expect(body.data.change.application).toBe('blocked')
  const { change } = (await brain.call('GET', `/changes/${id}`)).body.data
  expect(change.blockedBy).toContain('2000 times')
  expect(await countReminders(brain)).toBe(0)
})

test('DAT-01 a schema that would have records notified of too often is 400, and nothing changes', async () => {
  const brain = await createBrain(app, 'declared')
  await declare(brain, durations(1))
  await meet(brain, 'many', 500)
  const field = { name: 'at', type: 'datetime', many: true, notifyBefore: durations(4) }
  const retold = await evolve(brain, { op: 'setField', kind: 'Meeting', field })
  expect(retold).toMatchObject({ status: 400, body: { error: { code: 'too_many_reminders' } } })
  expect(await countReminders(brain)).toBe(500)
})

test('AUT-12 D-18 reminders beyond 20 of a record count as writes of the day, and a write that changes nothing counts nothing', async () => {
  const brain = await createBrain(app, 'counted', { verified: false })
  await declare(brain, durations(20))
  // 1 for the schema, 1 for the record and 280 for those beyond 20.
  expect((await meet(brain, 'first', 15)).status).toBe(201)
  expect(await meet(brain, 'second', 15)).toMatchObject({ status: 429, body: { error: { code: 'write_cap' } } })
  expect((await meet(brain, 'second', 1)).status).toBe(201)
  // The other 117 writes of the day, and one more.
  for (let n = 0; n < 117; n++) expect((await brain.call('PUT', `/records/n${n}`, { kind: 'note' })).status).toBe(201)
  expect((await brain.call('PUT', '/records/more', { kind: 'note' })).status).toBe(429)
  expect((await brain.call('PUT', '/records/n7', { kind: 'note' })).status).toBe(200)
  expect((await brain.call('PATCH', '/records/n7', {})).status).toBe(200)
})
