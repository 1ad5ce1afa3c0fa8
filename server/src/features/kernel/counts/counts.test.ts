import { expect, test } from 'vitest'
import { addBrain } from '../../../test/app.ts'
import { useBrainPerTest, useMember, useOwnApp } from '../../../test/harness.ts'
import { exportText, importText } from '../../../test/transfer.ts'

const app = useOwnApp()
const member = useMember(app)
const brain = useBrainPerTest(app, member)

const read = async () => (await brain.call('GET', '')).body.data.brain
const none = { records: 0, statements: 0, documents: 0, pendingChanges: 0 }
const statement = { subject: { id: 'a', kind: 'x' }, predicate: 'is', object: { value: 1 } }

/** Checks that the numbers are those of the row, without a new count. */
const areKept = async (): Promise<boolean> => {
  const { rows } = await app.database.pool.query(
    'select counted_gap = position - counted_events as holds from brains where id = $1',
    [brain.brain.id],
  )
  return rows[0].holds === true
}

test('D-20 a Brain shows its readers the number of its items, exactly, without counting', async () => {
  expect(await read()).toMatchObject({ counts: none, lastWriteAt: null, hold: null, reviewRules: {} })
  const operations = ['a', 'b', 'c'].map((id) => ({ op: 'record.put', id, kind: 'x' }))
  await brain.call('POST', '/batch', { operations: [...operations, { op: 'statement.assert', ...statement }] })
  await brain.call('POST', '/documents', { id: 'd', text: 'one' })
  await brain.call('POST', '/documents', { id: 'd', text: 'two' })
  await brain.call('PATCH', '/records/b', { fields: { more: 1 } })
  expect(await areKept()).toBe(true)
  expect((await read()).counts).toEqual({ ...none, records: 3, statements: 1, documents: 1 })
  await brain.call('DELETE', '/records/a')
  await brain.call('DELETE', '/documents/d')
  await brain.call('PATCH', '/records/none', {})
  expect(await areKept()).toBe(true)
  expect((await read()).counts).toEqual({ ...none, records: 2 })
})

test('D-20 D-22 D-24 a Brain shows its readers its review rules, its hold, its pending changes and its last write', async () => {
  const reviewRules = { always: ['record.delete'], requireOtherReviewer: true }
  await brain.call('PUT', '/records/a', { kind: 'x' })
  const lastWriteAt = app.clock.now().toISOString()
  await read()
  app.clock.advance({ minutes: 1 })
  await brain.call('PATCH', '', { mode: 'review', reviewRules })
  const [kept, rejected] = [
    (await brain.call('PUT', '/records/b', { kind: 'x' })).body.data.change.id,
    (await brain.call('PUT', '/records/c', { kind: 'x' })).body.data.change.id,
  ]
  await brain.call('PATCH', '', { reviewRules: { requireOtherReviewer: false } })
  await brain.call('POST', `/changes/${rejected}/decide`, { decision: 'rejected' })
  await brain.call('PUT', '/hold', { reason: 'An audit.' })
  expect(await areKept()).toBe(true)
  const seen = await read()
  expect(seen).toMatchObject({
    reviewRules: { ...reviewRules, requireOtherReviewer: false },
    hold: { reason: 'An audit.', since: expect.any(String), by: brain.keyId },
    counts: { ...none, records: 1, pendingChanges: 1 },
    lastWriteAt: expect.any(String),
  })
  expect(seen.lastWriteAt <= lastWriteAt).toBe(true)
  await brain.call('DELETE', '/hold')
  await brain.call('POST', `/changes/${kept}/decide`, { decision: 'approved' })
  expect(await areKept()).toBe(true)
  const after = await read()
  expect(after).toMatchObject({ hold: null, counts: { ...none, records: 2 } })
  expect(after.lastWriteAt > lastWriteAt).toBe(true)
})

test('D-20 uncounted writes, as by an earlier version or an import, are counted at the next read', async () => {
  await brain.call('PUT', '/records/a', { kind: 'x' })
  await brain.call('POST', '/statements', statement)
  await read()
  const forget = 'update brains set records_count = 7, counted_events = counted_events - 1 where id = $1'
  await app.database.pool.query(forget, [brain.brain.id])
  expect(await areKept()).toBe(false)
  expect((await read()).counts).toEqual({ ...none, records: 1, statements: 1 })
  expect(await areKept()).toBe(true)
  const exported = await fetch(`${app.base}${brain.path}/export`, { headers: { authorization: `Bearer ${brain.key}` } })
  const copy = await addBrain(app, member, `${brain.brain.handle}-copy`)
  await copy.call('GET', '')
  const headers = { 'content-type': 'application/x-ndjson' }
  await app.request('POST', `${copy.path}/import`, { key: brain.key, headers, body: await exported.text() })
  const imported = (await copy.call('GET', '')).body.data.brain
  expect(imported.counts).toEqual({ ...none, records: 1, statements: 1 })
})

test('D-20 the numbers are exact after writers on two nodes', async () => {
  await read()
  const node = await app.startNode()
  const write = (index: number) =>
    (index % 2 ? node.request : app.request)('POST', `${brain.path}/records`, { key: brain.key, body: { kind: 'x' } })
  await Promise.all(Array.from({ length: 40 }, (_, index) => write(index)))
  expect(await areKept()).toBe(true)
  expect((await read()).counts.records).toBe(40)
  await node.close()
})

test('D-20 D-25 pending changes are counted, too, after an import into a Brain that was read before', async () => {
  await brain.call('PATCH', '', { mode: 'review' })
  for (const id of ['a', 'b']) await brain.call('PUT', `/records/${id}`, { kind: 'x' })
  const copy = await addBrain(app, member, `copy-of-${brain.brain.handle}`)
  const readCopy = async () => (await copy.call('GET', '')).body.data.brain.counts.pendingChanges
  expect(await readCopy()).toBe(0)
  expect((await importText(app, copy, await exportText(app, brain))).status).toBe(200)
  expect(await readCopy()).toBe(2)
  const [first] = (await copy.call('GET', '/changes?decision=pending')).body.data.changes
  await copy.call('POST', `/changes/${first.id}/decide`, { decision: 'rejected' })
  expect(await readCopy()).toBe(1)
})
