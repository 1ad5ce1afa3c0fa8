import { beforeAll, expect, test } from 'vitest'
import { useApp, useBrain } from '../../../test/harness.ts'
import { selectChanges } from '../../writing/commit/change-store.ts'
import { findConsumers, findCorrected } from './corrections.ts'
import { findBrainId, leaveFor } from './receipt.fixture.ts'

const app = useApp()
const brain = useBrain(app)
let brainId: number
beforeAll(async () => {
  brainId = await findBrainId(app, brain)
})

const query = async (slug: string, consumerId?: string): Promise<string> =>
  (await brain.call('POST', '/query', { kind: 'k', where: { slug }, ...(consumerId ? { consumerId } : {}) })).body.data
    .receipt

/** The consumers that read versions which a change corrects. */
const consumers = async (correcting: string, corrected: string) => {
  const changes = await selectChanges(app.app.db, brainId, [correcting, corrected])
  const [by, of] = [correcting, corrected].map((id) => changes.find((change) => change.id === id))
  if (!by || !of) throw new Error('no such changes')
  return findConsumers(app.app.db, { brainId }, findCorrected(by, of))
}

test('D-44 readers of the corrected versions are named with receipts, and no readers of other versions', async () => {
  const put = async (a: number) =>
    (await brain.call('PUT', '/records/r', { kind: 'k', slug: 'r', fields: { a } })).body.data.change.id as string
  await put(1)
  await query('r', 'before')
  const wrong = await put(2)
  const one = await query('r', 'reader')
  const two = await query('r', 'reader')
  const nameless = await query('r')
  await brain.call('PATCH', '/records/r', { fields: { b: 1 } })
  const later = await query('r', 'later')
  const reverted = await brain.call('POST', `/changes/${wrong}/revert`, { reason: 'wrong' })
  expect(reverted.status).toBe(200)
  await query('r', 'after')
  expect(await consumers(reverted.body.data.change.id, wrong)).toEqual([
    { consumerId: 'later', receipts: [later] },
    { consumerId: 'reader', receipts: [two, one] },
    { consumerId: null, receipts: [nameless] },
  ])
})

test('D-44 readers of documents and statements are named too, and of versions that a correction replaces', async () => {
  const made = await brain.call('POST', '/batch', {
    operations: [
      { op: 'record.create', ref: 'it', kind: 'k' },
      {
        op: 'statement.assert',
        id: 'said',
        subject: { id: '$ref:it', kind: 'k' },
        predicate: 'is',
        object: { value: 1 },
      },
      { op: 'document.put', id: 'page', text: 'wrong' },
    ],
  })
  const wrong = made.body.data.change.id
  await brain.call('POST', '/documents', { id: 'other', text: 'also wrong' })
  const ofStatement = await leaveFor(app, brain, { consumerId: 'statement', statements: [{ id: 'said', version: 1 }] })
  const ofDocument = await leaveFor(app, brain, { consumerId: 'page', documents: [{ id: 'page', version: 1 }] })
  const ofOther = await leaveFor(app, brain, { consumerId: 'other', documents: [{ id: 'other', version: 1 }] })
  await leaveFor(app, brain, { consumerId: 'none', documents: [{ id: 'said', version: 1 }] })
  const correcting = await brain.call('POST', '/documents', { id: 'other', text: 'right', corrects: wrong })
  expect(await consumers(correcting.body.data.change.id, wrong)).toEqual([
    { consumerId: 'other', receipts: [ofOther] },
    { consumerId: 'page', receipts: [ofDocument] },
    { consumerId: 'statement', receipts: [ofStatement] },
  ])
})
