import { expect, test } from 'vitest'
import { createBrain, createMember, startTestApp } from '../../../test/app.ts'
import { useBrain, useOwnApp } from '../../../test/harness.ts'
import { leaveFor } from './receipt.fixture.ts'

const app = useOwnApp()
const brain = useBrain(app)

const put = async (id: string, fields: object = {}, kind = 'person') =>
  (await brain.call('PUT', `/records/${id}`, { kind, slug: id, fields })).body.data
const query = (slug: string, rest: object = {}) =>
  brain.call('POST', '/query', { kind: 'person', where: { slug }, ...rest })
const readReceipt = async (id: string) => (await brain.call('GET', `/receipts/${id}`)).body.data.receipt
const listIds = async (search: string): Promise<string[]> =>
  (await brain.call('GET', `/receipts?${search}`)).body.data.receipts.map(({ id }: { id: string }) => id)

test('QRY-04 D-53 a read leaves a receipt with the versions that it served, and neither text nor query', async () => {
  await put('ada', { secret: 'never shown' })
  await put('ada', { secret: 'never shown again' })
  const { body } = await query('ada', { consumerId: 'agent-1' })
  const answer = await brain.call('GET', `/receipts/${body.data.receipt}`)
  expect(answer.status).toBe(200)
  const { receipt, stateVersion } = answer.body.data
  expect(receipt).toEqual({
    id: body.data.receipt,
    consumerId: 'agent-1',
    operation: 'query',
    at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    stateVersion: body.data.stateVersion,
    served: { records: [{ id: 'ada', version: 2 }], statements: [], documents: [] },
    current: true,
    moved: [],
  })
  expect(receipt.id).toMatch(/^rcp_[0-9a-z]{26}$/)
  expect(stateVersion).toBe(body.data.stateVersion)
  expect(JSON.stringify(answer.body)).not.toContain('never')
  expect(await readReceipt((await query('nobody')).body.data.receipt)).toMatchObject({
    consumerId: null,
    served: { records: [], statements: [], documents: [] },
    current: true,
  })
})

test('D-53 a receipt shows later changes and their ids: a newer version, a deletion, and a version after it', async () => {
  await put('moving', { a: 1 })
  const { receipt } = (await query('moving')).body.data
  const ref = { type: 'record', id: 'moving' }
  const patched = await brain.call('PATCH', '/records/moving', { fields: { a: 2 } })
  const changes = [patched.body.data.change.id]
  expect(await readReceipt(receipt)).toMatchObject({
    current: false,
    moved: [{ ref, from: 1, to: 2, change: changes[0] }],
  })
  const deleted = await brain.call('DELETE', '/records/moving')
  expect((await readReceipt(receipt)).moved).toEqual([{ ref, from: 1, to: null, change: deleted.body.data.change.id }])
  const reverted = await brain.call('POST', `/changes/${deleted.body.data.change.id}/revert`, {})
  expect((await readReceipt(receipt)).moved).toEqual([{ ref, from: 1, to: 3, change: reverted.body.data.change.id }])
  expect(await readReceipt((await query('moving')).body.data.receipt)).toMatchObject({ current: true, moved: [] })
})

test('KNO-05 D-53 receipts name versions of documents, and report retired documents and retracted statements', async () => {
  await put('subject')
  const say = (value: unknown) =>
    brain.call('POST', '/statements', {
      subject: { id: 'subject', kind: 'person' },
      predicate: 'is',
      object: { value },
    })
  const statement = (await say('kind')).body.data.statement.id
  const first = (await brain.call('POST', '/documents', { id: 'doc', text: 'one' })).body.data.document
  const served = await brain.call('GET', '/events?types=document.served&limit=500')
  expect(served.body.data.events.at(-1).data).toMatchObject({ document: { id: 'doc' }, version: first.version })
  const read = { documents: [{ id: 'doc', version: first.version }], statements: [{ id: statement, version: 1 }] }
  const receipt = await leaveFor(app, brain, read)
  expect(await readReceipt(receipt)).toMatchObject({ served: read, current: true })
  const second = (await brain.call('POST', '/documents', { id: 'doc', text: 'two' })).body.data
  const retracted = (await brain.call('DELETE', `/statements/${statement}`, {})).body.data
  const { moved, current } = await readReceipt(receipt)
  expect(current).toBe(false)
  expect(moved).toEqual([
    { ref: { type: 'statement', id: statement }, from: 1, to: null, change: retracted.change.id },
    { ref: { type: 'document', id: 'doc' }, from: 1, to: 2, change: second.change.id },
  ])
  const retired = (await brain.call('DELETE', '/documents/doc')).body.data
  expect((await readReceipt(receipt)).moved[1]).toMatchObject({ from: 1, to: null, change: retired.change.id })
  // The versions in a receipt can still be read.
  expect((await brain.call('GET', '/documents/doc?version=1')).body.data.document.text).toBe('one')
})

test('D-53 a staged or rejected change moves nothing', async () => {
  await put('reviewed', { a: 1 })
  const { receipt } = (await query('reviewed')).body.data
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await brain.call('PATCH', '/records/reviewed', { fields: { a: 2 } })
  expect(staged.status).toBe(202)
  expect((await readReceipt(receipt)).current).toBe(true)
  await brain.call('POST', `/changes/${staged.body.data.change.id}/decide`, { decision: 'rejected' })
  await brain.call('PATCH', '', { mode: 'direct' })
  expect((await readReceipt(receipt)).current).toBe(true)
})

test('D-53 D-03 receipts are found by consumer, record, statement and document, page by page in order', async () => {
  const other = await createBrain(app, 'lists')
  const read = (consumerId: string, served: Parameters<typeof leaveFor>[2] = {}) =>
    leaveFor(app, other, { consumerId, ...served })
  const record = { records: [{ id: 'r', version: 1 }] }
  const document = { documents: [{ id: 'd', version: 3 }] }
  const one = await read('a', record)
  const two = await read('b', { ...record, ...document, statements: [{ id: 's', version: 1 }] })
  const three = await read('a', document)
  const four = await read('a', { ...record, ...document })
  const found = async (search: string) =>
    (await other.call('GET', `/receipts?${search}`)).body.data.receipts.map(({ id }: { id: string }) => id)
  expect(await found('')).toEqual([one, two, three, four])
  expect(await found('consumerId=a')).toEqual([one, three, four])
  expect(await found('record=r')).toEqual([one, two, four])
  expect(await found('document=d')).toEqual([two, three, four])
  expect(await found('statement=s')).toEqual([two])
  expect(await found('record=r&document=d')).toEqual([two, four])
  expect(await found('record=r&document=d&consumerId=b')).toEqual([two])
  expect(await found('record=d')).toEqual([])
  const pages: string[][] = []
  let after = ''
  for (let hasMore = true; hasMore; ) {
    const { data } = (await other.call('GET', `/receipts?record=r&limit=1${after}`)).body
    pages.push(data.receipts.map(({ id }: { id: string }) => id))
    after = `&after=${data.cursor}`
    hasMore = data.hasMore
  }
  expect(pages.flat()).toEqual([one, two, four])
  const five = await read('a', record)
  expect(await found(`record=r${after}`)).toEqual([five])
})

test('D-53 filters that leave receipts out move the cursor past everything examined', async () => {
  const other = await createBrain(app, 'narrowed')
  const shared = { records: [{ id: 'shared', version: 1 }] }
  for (let hundred = 0; hundred < 51; hundred++)
    await Promise.all(Array.from({ length: 100 }, () => leaveFor(app, other, { consumerId: 'crowd', ...shared })))
  const rare = await leaveFor(app, other, { consumerId: 'rare', ...shared })
  const first = (await other.call('GET', '/receipts?record=shared&consumerId=rare')).body.data
  expect(first).toMatchObject({ receipts: [], hasMore: true })
  const second = (await other.call('GET', `/receipts?record=shared&consumerId=rare&after=${first.cursor}`)).body.data
  expect(second).toMatchObject({ receipts: [{ id: rare }], hasMore: false })
})

test('KNO-07 SUR-11 reading receipts takes read, and a receipt of another Brain is 404', async () => {
  const { receipt } = (await query('ada')).body.data
  const [writer, reader] = [await brain.mintKey(['write', 'review', 'admin']), await brain.mintKey(['read'])]
  const get = (path: string, key: string) => brain.call('GET', path, undefined, { key })
  expect((await get(`/receipts/${receipt}`, writer)).status).toBe(403)
  expect((await get('/receipts', writer)).status).toBe(403)
  expect((await get(`/receipts/${receipt}`, reader)).status).toBe(200)
  const stranger = await createMember(app)
  expect((await get(`/receipts/${receipt}`, stranger.key)).status).toBe(404)
  const other = await createBrain(app, 'other')
  expect((await other.call('GET', `/receipts/${receipt}`)).status).toBe(404)
  expect(
    (await other.call('GET', `/receipts?after=${(await brain.call('GET', '/receipts')).body.data.cursor}`)).status,
  ).toBe(400)
  for (const id of [
    'rcp_',
    'rcp_zzzzzzzzzzzzzzzzzzzzzzzzzz',
    `${receipt}0`,
    receipt.toUpperCase(),
    "'; drop table receipts",
    '%F0%9F%A7%AE',
  ])
    expect((await brain.call('GET', `/receipts/${encodeURIComponent(id)}`)).status, id).toBe(404)
})

test('D-53 a consumer may have any name, and only its own receipts are found by it', async () => {
  const names = [
    "'; drop table receipts; --",
    '%',
    '_',
    'a',
    'A',
    '🧮'.repeat(100),
    '\u202eevil',
    ' ',
    '"quoted"\\',
    '{a,b}',
    'null',
  ]
  const own = new Map<string, string>()
  for (const name of names) own.set(name, (await query('ada', { consumerId: name })).body.data.receipt)
  const later = (await brain.call('GET', '/receipts?limit=500')).body.data
  expect(later.hasMore).toBe(false)
  for (const [name, receipt] of own) {
    const found = await listIds(`consumerId=${encodeURIComponent(name)}`)
    expect(found, name).toEqual([receipt])
    expect((await readReceipt(receipt)).consumerId).toBe(name)
  }
  for (const bad of ['', 'x'.repeat(201), 'a\0b', '\ud800', 5, null, {}])
    expect((await query('ada', { consumerId: bad })).status, JSON.stringify(bad)).toBe(400)
  expect((await brain.call('GET', `/receipts?consumerId=${'x'.repeat(201)}`)).status).toBe(400)
  expect((await brain.call('GET', '/receipts?consumerid=a')).status).toBe(400)
})

test('D-53 a read of a Brain that is deleted meanwhile leaves nothing behind', async () => {
  const doomed = await createBrain(app, 'doomed')
  await leaveFor(app, doomed, { records: [{ id: 'r', version: 1 }] })
  await app.request('DELETE', doomed.path, { key: doomed.key })
  await expect(leaveFor(app, doomed)).rejects.toMatchObject({ kind: 'not_found' })
  for (const worker of app.app.workers) if (worker.name === 'erase deleted Brains') await worker.run()
  const { rows } = await app.database.pool.query(
    `select (select count(*) from receipts where brain_id in (select brain_id from brains where id = $1))
       + (select count(*) from receipt_items where brain_id in (select brain_id from brains where id = $1)) as left`,
    [doomed.brain.id],
  )
  expect(rows[0].left).toBe(0)
})

test('D-53 with NOEMA_RECEIPT_DAYS older receipts are purged; otherwise they are kept', async () => {
  const forgetful = await startTestApp({ NOEMA_RECEIPT_DAYS: '30' })
  const place = await createBrain(forgetful)
  const served = { records: [{ id: 'r', version: 1 }] }
  const old = await leaveFor(forgetful, place, served)
  forgetful.clock.advance({ days: 31 })
  const young = await leaveFor(forgetful, place, served)
  for (const worker of forgetful.app.workers) if (worker.name === 'forget old receipts') await worker.run()
  expect((await place.call('GET', `/receipts/${old}`)).status).toBe(404)
  expect((await place.call('GET', '/receipts?record=r')).body.data.receipts).toMatchObject([{ id: young }])
  const { rows } = await forgetful.database.pool.query('select count(*) as left from receipt_items')
  expect(rows[0].left).toBe(1)
  await forgetful.close()
  for (const worker of app.app.workers) if (worker.name === 'forget old receipts') await worker.run()
  app.clock.advance({ days: 4_000 })
  const kept = (await listIds('limit=1')).length
  expect(kept).toBe(1)
})

test('D-53 beyond NOEMA_MAX_RECEIPTS of a Brain the oldest receipts are purged, and those of others stay', async () => {
  const bounded = await startTestApp({ NOEMA_MAX_RECEIPTS: '3' })
  const served = { records: [{ id: 'r', version: 1 }] }
  const [busy, calm] = [await createBrain(bounded, 'busy'), await createBrain(bounded, 'calm')]
  const left: string[] = []
  for (let n = 0; n < 5; n++) left.push(await leaveFor(bounded, busy, served))
  const other = await leaveFor(bounded, calm, served)
  for (const worker of bounded.app.workers) if (worker.name === 'bound receipts') await worker.run()
  const statuses = await Promise.all(left.map(async (id) => (await busy.call('GET', `/receipts/${id}`)).status))
  expect(statuses).toEqual([404, 404, 200, 200, 200])
  expect((await busy.call('GET', '/receipts?record=r')).body.data.receipts).toHaveLength(3)
  expect((await calm.call('GET', `/receipts/${other}`)).status).toBe(200)
  const { rows } = await bounded.database.pool.query('select count(*) as left from receipt_items')
  expect(rows[0].left).toBe(4)
  await bounded.close()
})

test('D-53 the tier of the organization bounds the receipts of its Brains', async () => {
  const bounded = await startTestApp({ NOEMA_TIERS: '{"unverified":{"receipts":2},"business":{"receipts":4}}' })
  const served = { records: [{ id: 'r', version: 1 }] }
  const places = {
    unverified: await createBrain(bounded, 'unverified', { verified: false }),
    free: await createBrain(bounded, 'free'),
    business: await createBrain(bounded, 'business'),
  }
  await bounded.database.pool.query(`update organization set tier = 'business' where id = $1`, [
    places.business.organizationId,
  ])
  for (const place of Object.values(places)) for (let n = 0; n < 5; n++) await leaveFor(bounded, place, served)
  const bound = bounded.app.workers.find(({ name }) => name === 'bound receipts')
  const count = async () => {
    await bound?.run()
    const listed = Object.entries(places).map(async ([name, place]) => [
      name,
      (await place.call('GET', '/receipts?record=r')).body.data.receipts.length,
    ])
    return Object.fromEntries(await Promise.all(listed))
  }
  expect(await count()).toEqual({ unverified: 2, free: 5, business: 4 })
  // With an estimate of the database, too, that leaves out Brains that cannot have as many.
  await bounded.database.pool.query('analyze receipts')
  for (let n = 0; n < 3; n++) await leaveFor(bounded, places.unverified, served)
  expect(await count()).toEqual({ unverified: 2, free: 5, business: 4 })
  await bounded.close()
})
