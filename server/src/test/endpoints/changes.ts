import type { TestApp, TestBrain } from '../app.ts'
import { newRecord } from './records.ts'
import { asIs, at, type EndpointRows, inStream, plain } from './row.ts'

// Changes and their review.

/** A change that waits for a decision. From then on, deletions of this Brain's records are staged. */
const newStagedChange = async (brain: TestBrain): Promise<string> => {
  await brain.call('PATCH', '', { reviewRules: { always: ['record.delete'] } })
  return (await brain.call('DELETE', `/records/${await newRecord(brain)}`)).body.data.change.id
}

const newApprovedChange = async (brain: TestBrain): Promise<string> => {
  const id = await newStagedChange(brain)
  await brain.call('POST', `/changes/${id}/decide`, { decision: 'approved', publish: false })
  return id
}

const onStagedChange = async (_test: TestApp, brain: TestBrain) => ({ params: { id: await newStagedChange(brain) } })

const onApprovedChange = async (_test: TestApp, brain: TestBrain) => ({
  params: { id: await newApprovedChange(brain) },
})

/** A change of two items, of which one is approved: the other one waits on in a change of its own. */
const onPartOfChange = async (_test: TestApp, brain: TestBrain) => {
  const operations = ['pioneer-10', 'pioneer-11'].map((id) => ({ op: 'record.put', id, kind: 'spacecraft' }))
  const { change } = (await brain.call('POST', '/batch', { operations, review: true })).body.data
  const { items } = (await brain.call('GET', `/changes/${change.id}`)).body.data.change
  return { params: { id: change.id }, body: { decision: 'approved', items: [items[0].item], reason: 'Confirmed.' } }
}

export const changesRows = {
  'changes.list': { needs: 'management', call: plain, aimed: () => [{}, { query: { decision: 'pending' } }] },
  'brain.changes.list': { needs: ['review'], call: plain, aimed: asIs },
  'brain.changes.get': {
    needs: ['review'],
    call: onStagedChange,
    aimed: ({ landed, pending, approved, decided }) =>
      [landed, pending, approved, decided].map((id) => ({ params: { id } })),
  },
  'brain.changes.preview': {
    needs: ['read', 'review'],
    call: async (test, brain) => ({
      ...(await onStagedChange(test, brain)),
      body: { questions: ['Which spacecraft left the solar system?'] },
    }),
    aimed: ({ landed, pending }) => [landed, pending].map((id) => ({ params: { id }, body: { questions: ['What?'] } })),
    unaudited: 'it reads, and its receipts say what it served',
  },
  'brain.changes.comment': {
    needs: ['review'],
    call: async (test, brain) => ({
      ...(await onStagedChange(test, brain)),
      body: { text: 'The source confirms the name.' },
    }),
    aimed: ({ landed, pending }) => [landed, pending].map((id) => ({ params: { id }, body: { text: 'Seen.' } })),
    unaudited: 'It is shown with its writer on the change.',
  },
  'brain.changes.rebase': { needs: ['review'], call: onStagedChange, aimed: at('pending'), unaudited: inStream },
  'brain.changes.decide': {
    needs: ['review'],
    call: async (test, brain) => ({
      ...(await onStagedChange(test, brain)),
      body: { decision: 'rejected' },
    }),
    example: onPartOfChange,
    aimed: ({ pending, landed }) => [pending, landed].map((id) => ({ params: { id }, body: { decision: 'rejected' } })),
    unaudited: inStream,
  },
  'brain.changes.publish': { needs: ['review'], call: onApprovedChange, aimed: at('approved'), unaudited: inStream },
  'brain.changes.cancel': {
    needs: ['review'],
    call: async (test, brain) => ({ ...(await onApprovedChange(test, brain)), body: { reason: 'It came too early.' } }),
    aimed: at('cancellable', {}),
    unaudited: inStream,
  },
  'brain.changes.revert': {
    needs: ['write', 'review'],
    call: async (_test, brain) => ({
      params: { id: (await brain.call('POST', '/records', { kind: 'sample' })).body.data.change.id },
      body: { reason: 'It was entered twice.' },
    }),
    aimed: ({ landed, revertible }) => [landed, revertible].map((id) => ({ params: { id }, body: {} })),
    unaudited: inStream,
  },
} satisfies EndpointRows
