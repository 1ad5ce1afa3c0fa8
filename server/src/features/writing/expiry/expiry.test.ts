import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrain, startTestApp, type TestApp, type TestBrain } from '../../../test/app.ts'
import { runPass } from '../../../test/run-pass.ts'
import { exportText, importText } from '../../../test/transfer.ts'
import { inMinutes } from '../../knowledge/dates/dates-app.fixture.ts'
import { createDocumentExpiry, createRecordExpiry } from './expiry.ts'

let app: TestApp
let node: Awaited<ReturnType<TestApp['startNode']>>
beforeAll(async () => {
  // Only the tests end what expired.
  app = await startTestApp({ NOEMA_ROLES: 'http' })
  app.clock.hold()
  node = await app.startNode({ NOEMA_ROLES: 'http' })
})
afterAll(async () => {
  await node.close()
  await app.close()
})

/** Both nodes work on what expired, at once. */
const endExpired = () =>
  Promise.all(
    [app, node].flatMap(({ app: { deps } }) => [
      runPass(deps, createRecordExpiry(deps)),
      runPass(deps, createDocumentExpiry(deps)),
    ]),
  )

const later = async (minutes: number) => {
  app.clock.advance({ minutes })
  await endExpired()
}

type Event = { type: string; data: { record?: { id: string }; document?: { id: string }; change: string } }

/** The events of a Brain's deletions and retirements. */
const listEnded = async (brain: TestBrain): Promise<Event[]> =>
  (await brain.call('GET', '/events?types=record.deleted,document.retired&limit=500')).body.data.events

const readStatus = async (brain: TestBrain, path: string) => (await brain.call('GET', path)).status

/** A Brain with a record and a document that expire in an hour, and a statement about the record. */
const brainWithNote = async (handle: string): Promise<TestBrain> => {
  const brain = await createBrain(app, handle)
  const expiresAt = inMinutes(app, 60)
  const operations = [
    { op: 'record.put', id: 'note', kind: 'note', fields: { a: 1 }, expiresAt },
    { op: 'statement.assert', id: 's', subject: { id: 'note', kind: 'note' }, predicate: 'says', object: { value: 1 } },
    { op: 'document.put', id: 'page', text: 'words', expiresAt },
  ]
  expect((await brain.call('POST', '/batch', { operations })).status).toBe(200)
  return brain
}

test('KNO-08 a record and a document end once when they expire, by a change and an event each, whichever node is first', async () => {
  const brain = await brainWithNote('expiring')
  const expiresAt = inMinutes(app, 60)
  expect((await brain.call('GET', '/records/note')).body.data.record.expiresAt).toBe(expiresAt)
  expect((await brain.call('GET', '/documents/page')).body.data.document.expiresAt).toBe(expiresAt)
  const before = (await brain.call('GET', '')).body.data.brain.stateVersion
  await later(59)
  expect(await listEnded(brain)).toEqual([])
  await later(2)
  await later(1)
  const ended = await listEnded(brain)
  expect(ended.map(({ type, data }) => [type, data.record?.id ?? data.document?.id]).sort()).toEqual([
    ['document.retired', 'page'],
    ['record.deleted', 'note'],
  ])
  for (const path of ['/records/note', '/statements/s']) expect(await readStatus(brain, path)).toBe(404)
  expect(await readStatus(brain, '/documents/page')).toBe(404)
  expect(await readStatus(brain, `/records/note?asOf=${before}`)).toBe(200)
  const { change } = (await brain.call('GET', `/changes/${ended[0]?.data.change}`)).body.data
  expect(change).toMatchObject({ application: 'applied', reason: `Expired at ${expiresAt}.`, stagedBy: brain.keyId })
})

test('KNO-08 hundreds that expired while no node ran end once each', async () => {
  const brain = await createBrain(app, 'many')
  const expiresAt = inMinutes(app, 1)
  const operations = Array.from({ length: 230 }, (_, index) => ({
    op: 'record.put',
    id: `r${index}`,
    kind: 'k',
    expiresAt,
  }))
  await brain.call('POST', '/batch', { operations })
  app.clock.advance({ days: 30 })
  await endExpired()
  const ended = (await listEnded(brain)).map(({ data }) => data.record?.id)
  expect(ended).toHaveLength(230)
  expect(new Set(ended).size).toBe(230)
})

test('KNO-09 a later write decides: it clears the time, moves it, or keeps it', async () => {
  const brain = await brainWithNote('later-writes')
  await brain.call('PATCH', '/records/note', { fields: { a: 2 } })
  expect((await brain.call('GET', '/records/note')).body.data.record.expiresAt).toBe(inMinutes(app, 60))
  await brain.call('PATCH', '/records/note', { expiresAt: inMinutes(app, 120) })
  const cleared = await brain.call('POST', '/documents', { id: 'page', text: 'words', expiresAt: null })
  expect(cleared.body.data.document).not.toHaveProperty('expiresAt')
  await later(90)
  expect(await listEnded(brain)).toEqual([])
  expect((await brain.call('PATCH', '/records/note', { expiresAt: null })).body.data.record.version).toBe(4)
  expect((await brain.call('PATCH', '/records/note', { expiresAt: null })).body.data.record.version).toBe(4)
  await later(90)
  expect(await listEnded(brain)).toEqual([])
})

test('KNO-09 a revert brings back what expired, without the time that has passed', async () => {
  const brain = await brainWithNote('reverting')
  await later(61)
  for (const { data } of await listEnded(brain))
    expect((await brain.call('POST', `/changes/${data.change}/revert`)).status).toBe(200)
  await later(1_000)
  expect((await brain.call('GET', '/records/note')).body.data.record).toMatchObject({ fields: { a: 1 }, version: 2 })
  expect((await brain.call('GET', '/records/note')).body.data.record).not.toHaveProperty('expiresAt')
  expect((await brain.call('GET', '/documents/page')).body.data.document.text).toBe('words')
  expect((await brain.call('GET', '/statements?subject=note')).body.data.statements).toHaveLength(1)
})

test('KNO-09 a revert of a change of the time puts the former one back', async () => {
  const brain = await brainWithNote('times')
  const moved = await brain.call('PATCH', '/records/note', { expiresAt: inMinutes(app, 600) })
  await brain.call('PATCH', '/records/note', { fields: { a: 2 } })
  expect((await brain.call('POST', `/changes/${moved.body.data.change.id}/revert`)).status).toBe(200)
  expect((await brain.call('GET', '/records/note')).body.data.record).toMatchObject({
    fields: { a: 2 },
    expiresAt: inMinutes(app, 60),
  })
})

test('KNO-09 content that was reviewed with its time ends in review mode, also against the rules; a staged time does nothing yet', async () => {
  const brain = await brainWithNote('reviewed')
  await brain.call('PATCH', '', { mode: 'review', reviewRules: { always: ['record.delete', 'document.retire'] } })
  const staged = await brain.call('PUT', '/records/other', { kind: 'note', expiresAt: inMinutes(app, 30) })
  await later(61)
  expect(await listEnded(brain)).toHaveLength(2)
  expect((await brain.call('GET', '/changes?decision=pending')).body.data.changes).toHaveLength(1)
  // Approved too late, it ends with the next check.
  await brain.call('POST', `/changes/${staged.body.data.change.id}/decide`, { decision: 'approved' })
  expect(await readStatus(brain, '/records/other')).toBe(200)
  await later(1)
  expect(await readStatus(brain, '/records/other')).toBe(404)
})

test('KNO-09 a hold keeps what expires until it is released', async () => {
  const brain = await brainWithNote('held')
  await brain.call('PUT', '/hold', { reason: 'A dispute.' })
  await later(61)
  expect(await listEnded(brain)).toEqual([])
  await brain.call('DELETE', '/hold')
  await later(20)
  expect(await listEnded(brain)).toHaveLength(2)
})

test('KNO-09 an export and its import keep the time', async () => {
  const brain = await brainWithNote('exported')
  const copy = await createBrain(app, 'imported')
  expect((await importText(app, copy, await exportText(app, brain))).status).toBe(200)
  await later(61)
  expect(await listEnded(copy)).toHaveLength(2)
})
