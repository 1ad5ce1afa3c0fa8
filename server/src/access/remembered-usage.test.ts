import { beforeAll, expect, test } from 'vitest'
import { createBrain } from '../test/app.ts'
import { useOwnApp } from '../test/harness.ts'

// Far from a cap, a node remembers the sum of an account's writes of the day for a second.

const app = useOwnApp()
const settings = { NOEMA_TIERS: '{"free":{"dailyWrites":600000}}' }

// The clock is stopped, so that no day ends between two calls.
beforeAll(() => app.clock.hold())

test('AUT-12 a cap that is far from unverified ones is exact right after a decision, which counts for no one', async () => {
  const node = await app.startNode(settings)
  const brain = await createBrain(app, 'decided')
  const call = (method: string, below: string, body?: unknown) =>
    node.request(method, brain.path + below, { key: brain.key, ...(body === undefined ? {} : { body }) })
  await call('PATCH', '', { reviewRules: { always: ['record.delete'] } })
  const { record } = (await call('POST', '/records', { kind: 'note' })).body.data
  const { change } = (await call('DELETE', `/records/${record.id}`)).body.data
  await app.database.pool.query('update brains set writes_today = 600000 where id = $1', [brain.brain.id])
  // A node remembers the sum of an account's writes for a second.
  app.clock.advance({ seconds: 1.001 })
  expect((await call('POST', `/changes/${change.id}/decide`, { decision: 'approved' })).status).toBe(200)
  const refused = await call('POST', '/records', { kind: 'note' })
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'write_cap' } } })
  await node.close()
})

test('AUT-12 writes to other Brains of the account count after a second, however often a Brain is written', async () => {
  const node = await app.startNode(settings)
  const brain = await createBrain(app, 'written-often')
  const { brain: other } = (await app.request('PUT', '/v1/brains/written-elsewhere', { key: brain.key })).body.data
  const write = () => node.request('POST', `${brain.path}/records`, { key: brain.key, body: { kind: 'note' } })
  expect((await write()).status).toBe(201)
  await app.database.pool.query(`update brains set writes_today = 600000, writes_day = $2 where id = $1`, [
    other.id,
    app.clock.now().toISOString().slice(0, 10),
  ])
  const statuses: number[] = []
  for (let n = 0; n < 4; n++) {
    app.clock.advance({ seconds: 0.5 })
    statuses.push((await write()).status)
  }
  expect(statuses.slice(-2)).toEqual([429, 429])
  await node.close()
})
