import { beforeEach, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'

const app = useOwnApp()
const member = useMember(app)
let brain: TestBrain
let made = 0
beforeEach(async () => {
  brain = await addBrain(app, member, `brain-${++made}`)
})

const remove = () => brain.call('DELETE', '')
const recreate = () => app.request('PUT', brain.path, { key: brain.key })

/** Two records, one of them deleted again, a statement, a document in two versions, and an answered Idempotency-Key. */
const fill = async () => {
  const kept = await brain.call('POST', '/records', { kind: 'person' }, { headers: { 'idempotency-key': 'k' } })
  const gone = await brain.call('POST', '/records', { kind: 'person' })
  await brain.call('DELETE', `/records/${gone.body.data.record.id}`)
  const subject = { id: kept.body.data.record.id, kind: 'person' }
  await brain.call('POST', '/statements', { subject, predicate: 'is', object: { value: 'here' } })
  await brain.call('POST', '/documents', { id: 'doc', text: 'one' })
  await brain.call('POST', '/documents', { id: 'doc', text: 'two' })
}

const selectRows = async (sql: string, id: string = brain.brain.id) =>
  (await app.database.pool.query(`select * from (${sql}) as expected`, [id])).rows
const brainNumber = '(select brain_id from brains where id = $1)'

const erase = () => app.app.workers.find(({ name }) => name === 'erase deleted Brains')?.run()

test('D-23 deleting answers how much that was current is erased, and a second call is 404', async () => {
  await fill()
  const deleted = await remove()
  expect(deleted).toMatchObject({ status: 200 })
  expect(deleted.body.data).toEqual({ deleted: true, erased: { records: 1, statements: 1, documents: 1 } })
  expect(await remove()).toMatchObject({ status: 404, body: { error: { kind: 'not_found' } } })
})

test('D-23 of ten deletions at once one succeeds', async () => {
  await fill()
  const answers = await Promise.all(Array.from({ length: 10 }, remove))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)])
})

test('D-23 a deletion that waits while its Brain is deleted and another one is made leaves that one', async () => {
  await fill()
  const { brainLocks } = app.app.deps
  const { run } = brainLocks
  let queued = 0
  brainLocks.run = (...call) => {
    const result = run(...call)
    queued++
    return result
  }
  const release = Promise.withResolvers<void>()
  const [{ brain_id: brainId }] = await selectRows('select brain_id from brains where id = $1')
  const holding = run(Number(brainId), () => release.promise)
  const sent: ReturnType<typeof remove>[] = []
  for (const send of [remove, recreate, remove]) {
    sent.push(send())
    await expect.poll(() => queued).toBe(sent.length)
  }
  release.resolve()
  await holding
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 201, 404])
  expect((await brain.call('GET', '')).status).toBe(200)
  brainLocks.run = run
})

test('BRN-05 a deleted Brain is gone for every read and write, its events too, and from the list', async () => {
  await fill()
  const key = await brain.mintKey(['read', 'write', 'admin'])
  await remove()
  for (const below of ['', '/events', '/records', '/statements', '/documents', '/documents/doc', '/keys'])
    expect((await brain.call('GET', below)).status).toBe(404)
  expect((await brain.call('POST', '/records', { kind: 'person' })).status).toBe(404)
  expect((await brain.call('PATCH', '', { name: 'Back' })).status).toBe(404)
  expect((await brain.call('GET', '/events', undefined, { key })).status).toBe(401)
  const { body } = await app.request('GET', '/v1/brains?limit=500', { key: brain.key })
  expect(body.data.brains.map(({ handle }: { handle: string }) => handle)).not.toContain(brain.brain.handle)
})

test('BRN-05 deleting a Brain that was written to emits availability.changed to deleted, as its last event', async () => {
  await fill()
  const { body } = await brain.call('GET', '/events')
  await remove()
  const rows = await selectRows(`select event, type from events where brain_id = ${brainNumber} order by position`)
  expect(rows).toHaveLength(body.data.events.length + 1)
  expect(rows.at(-1).event).toEqual({
    cursor: expect.any(String),
    type: 'availability.changed',
    occurredAt: expect.any(String),
    data: { from: 'active', to: 'deleted' },
  })
})

test('BRN-05 deleting a Brain that was never written to emits nothing', async () => {
  await brain.mintKey(['read'])
  await brain.call('PATCH', '', { name: 'Never used' })
  const { body } = await remove()
  expect(body.data.erased).toEqual({ records: 0, statements: 0, documents: 0 })
  expect(await selectRows(`select position from events where brain_id = ${brainNumber}`)).toEqual([])
})

test('BRN-06 a deleted handle is free at once: a new Brain with a new id and nothing of the old one', async () => {
  await fill()
  const oldKey = await brain.mintKey(['read', 'write'])
  await remove()
  const created = await recreate()
  expect(created.status).toBe(201)
  expect(created.body.data.brain).toMatchObject({ stateVersion: 0, name: null })
  expect(created.body.data.brain.id).not.toBe(brain.brain.id)
  for (const list of ['records', 'statements', 'documents', 'events', 'keys'])
    expect((await brain.call('GET', `/${list}`)).body.data[list]).toEqual([])
  expect((await brain.call('GET', '', undefined, { key: oldKey })).status).toBe(401)
})

test('BRN-06 IDM-02 an Idempotency-Key of the old Brain is new in the new one', async () => {
  await fill()
  await remove()
  await recreate()
  const written = await brain.call('POST', '/records', { kind: 'place' }, { headers: { 'idempotency-key': 'k' } })
  expect(written).toMatchObject({ status: 201, body: { data: { record: { kind: 'place' }, stateVersion: 1 } } })
})

test('EVT-08 BRN-06 cursors from before a deletion are 409 afterwards, before and after the erasure', async () => {
  await fill()
  const cursors = [
    ['events', (await brain.call('GET', '/events?limit=1')).body.data.cursor],
    ['events', (await brain.call('GET', '/events')).body.data.events[0].cursor],
    ['records', (await brain.call('GET', '/records')).body.data.cursor],
    ['documents', (await brain.call('GET', '/documents')).body.data.cursor],
    ['statements', (await brain.call('GET', '/statements')).body.data.cursor],
  ]
  await remove()
  await recreate()
  const statuses = () =>
    Promise.all(cursors.map(async ([list, cursor]) => (await brain.call('GET', `/${list}?after=${cursor}`)).status))
  expect(await statuses()).toEqual([409, 409, 409, 409, 409])
  await erase()
  expect(await statuses()).toEqual([409, 409, 409, 409, 409])
})

test('D-23 the erase worker empties every table of a deleted Brain and keeps its two rows, its last event and its neighbours', async () => {
  await fill()
  await brain.mintKey(['read'])
  const neighbour = brain
  brain = await addBrain(app, member, `brain-${++made}`)
  await fill()
  await brain.mintKey(['read'])
  await remove()
  const tables = await selectRows(
    `select table_name as name from information_schema.columns
     where column_name = 'brain_id' and table_schema = 'public' and table_name not in ('brains', 'brain_directory') and $1 <> ''`,
  )
  const counts = async (id: string) => {
    const counted = tables.map(async ({ name }) => {
      const rows = await selectRows(`select count(*) as count from ${name} where brain_id = ${brainNumber}`, id)
      return [name, rows[0].count]
    })
    return Object.fromEntries(await Promise.all(counted))
  }
  // The neighbor's unindexed passages would change its counts meanwhile.
  await app.app.workers.find(({ name }) => name === 'index passages')?.run()
  const before = await counts(neighbour.brain.id)
  await erase()
  const left = Object.entries(await counts(brain.brain.id)).filter(([, count]) => count !== 0)
  expect(left).toEqual([['events', 1]])
  expect(await selectRows(`select type from events where brain_id = ${brainNumber}`)).toEqual([
    { type: 'availability.changed' },
  ])
  expect(await selectRows('select purged_at is not null as purged from brains where id = $1')).toEqual([
    { purged: true },
  ])
  expect(await counts(neighbour.brain.id)).toEqual(before)
})

test('D-23 erasing again, or on two nodes at once, changes nothing more', async () => {
  await fill()
  await remove()
  const node = await app.startNode()
  await Promise.all([erase(), erase(), erase()])
  await node.close()
  expect(await selectRows(`select type from events where brain_id = ${brainNumber}`)).toHaveLength(1)
})

test('D-23 a write that meets the deletion is either applied before it or 404, and leaves nothing behind', async () => {
  const answers = await Promise.all([
    ...Array.from({ length: 20 }, () => brain.call('POST', '/records', { kind: 'race' })),
    remove(),
    ...Array.from({ length: 20 }, () => brain.call('POST', '/records', { kind: 'race' })),
  ])
  const deleted = answers.splice(20, 1)[0]
  expect(deleted?.status).toBe(200)
  expect(answers.every(({ status }) => status === 201 || status === 404)).toBe(true)
  const landed = answers.filter(({ status }) => status === 201).length
  expect(deleted?.body.data.erased.records).toBe(landed)
  const [last] = await selectRows(
    `select type from events where brain_id = ${brainNumber} order by position desc limit 1`,
  )
  expect(last?.type).toBe(landed > 0 ? 'availability.changed' : undefined)
})
