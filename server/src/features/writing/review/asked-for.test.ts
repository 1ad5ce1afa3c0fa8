import { expect, test } from 'vitest'
import { useApp, useBrain } from '../../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)

const operations = [{ op: 'record.put', id: 'ada', kind: 'person', fields: { name: 'Ada' } }]

test('BRN-04 a batch that asks for review waits for a decision, also in a Brain whose mode is direct', async () => {
  const staged = await brain.call('POST', '/batch', { operations, review: true })
  expect(staged.status).toBe(202)
  expect(staged.body.data).toMatchObject({ outcome: 'staged', change: { decision: 'pending' }, stateVersion: null })
  expect((await brain.call('GET', '/records/ada')).status).toBe(404)

  const decided = await brain.call('POST', `/changes/${staged.body.data.change.id}/decide`, { decision: 'approved' })
  expect(decided.status, JSON.stringify(decided.body)).toBe(200)
  expect((await brain.call('GET', '/records/ada')).body.data.record.fields).toEqual({ name: 'Ada' })
})

test('asked again while it waits, it is the change that waits; without review the same write is applied', async () => {
  const body = { operations: [{ op: 'record.put', id: 'bob', kind: 'person', fields: { name: 'Bob' } }] }
  const first = await brain.call('POST', '/batch', { ...body, review: true })
  const again = await brain.call('POST', '/batch', { ...body, review: true })
  expect(again.body.data.change).toEqual(first.body.data.change)
  const landed = await brain.call('POST', '/batch', { ...body, review: false })
  expect([landed.status, landed.body.data.outcome]).toEqual([200, 'landed'])
})

test('one idempotency key does not stand for a write with review and for one without', async () => {
  const body = { operations: [{ op: 'record.put', id: 'eve', kind: 'person', fields: { name: 'Eve' } }] }
  const headers = { 'idempotency-key': 'one' }
  expect((await brain.call('POST', '/batch', { ...body, review: true }, { headers })).status).toBe(202)
  expect((await brain.call('POST', '/batch', body, { headers })).status).toBe(409)
})
