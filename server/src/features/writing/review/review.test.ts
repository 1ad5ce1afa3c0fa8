import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'

const app = useApp()

const listEvents = async (brain: Awaited<ReturnType<typeof createBrain>>) => {
  const page = await brain.call('GET', '/events?limit=500')
  return page.body.data.events.map((event: { type: string; data: object }) => [event.type, event.data])
}

test('REV-03 a reviewed change is staged, decided, applied and published, in this order', async () => {
  const brain = await createBrain(app, 'reviewed')
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await brain.call('POST', '/records', { kind: 'person', fields: { name: 'Ann' } })
  expect(staged).toMatchObject({
    status: 202,
    body: {
      data: { outcome: 'staged', stateVersion: null, change: { decision: 'pending', application: 'not_applied' } },
    },
  })
  const { change, record } = staged.body.data
  expect((await brain.call('GET', `/records/${record.id}`)).status).toBe(404)
  const detail = await brain.call('GET', `/changes/${change.id}`)
  expect(detail.body.data.change.items[0]).toMatchObject({ before: null, after: { fields: { name: 'Ann' } } })
  const decided = await brain.call('POST', `/changes/${change.id}/decide`, { decision: 'approved' })
  expect(decided).toMatchObject({
    status: 200,
    body: { data: { change: { application: 'applied' }, stateVersion: 1 } },
  })
  expect((await brain.call('GET', `/records/${record.id}`)).body.data.record.fields).toEqual({ name: 'Ann' })
  expect((await listEvents(brain)).map(([type]: [string]) => type)).toEqual([
    'change.staged',
    'change.decided',
    'record.accepted',
    'change.published',
  ])
})

test('D-04 D-41 a decision that names what the change does not have is refused with the place and what there is', async () => {
  const brain = await createBrain(app, 'named')
  await brain.call('PATCH', '', { mode: 'review' })
  const operations = [
    { op: 'record.put', id: 'a', kind: 'x' },
    { op: 'document.put', text: 'A text.' },
  ]
  const { id } = (await brain.call('POST', '/batch', { operations })).body.data.change
  const decide = async (body: object) =>
    (await brain.call('POST', `/changes/${id}/decide`, { decision: 'approved', ...body })).body.error
  for (const [body, path, words] of [
    [{ items: ['1', '3'] }, 'body.items.1', 'there are 1, 2'],
    [{ edits: { 3: { fields: {} } } }, 'body.edits.3', 'there are 1, 2'],
    [{ edits: { 2: { fields: { a: 1 } } } }, 'body.edits.2', 'Edit those of records'],
    [{ publish: '2020-01-01T00:00:00Z' }, 'body.publish', 'Send true'],
  ] as const) {
    const error = await decide(body)
    expect([error.kind, error.details]).toEqual(['validation', [{ path, message: expect.stringContaining(words) }]])
  }
  expect((await brain.call('GET', `/changes/${id}`)).body.data.change.decision).toBe('pending')
})

test('REV-04 deciding some items splits the change', async () => {
  const brain = await createBrain(app, 'split')
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await brain.call('POST', '/batch', {
    operations: [
      { op: 'record.put', id: 'a', kind: 'x' },
      { op: 'record.put', id: 'b', kind: 'x' },
    ],
  })
  const { id } = staged.body.data.change
  const decided = await brain.call('POST', `/changes/${id}/decide`, { decision: 'approved', items: ['2'] })
  expect(decided.status).toBe(200)
  const list = await brain.call('GET', '/changes')
  expect(list.body.data.changes).toMatchObject([
    { id, decision: 'superseded', application: 'not_applied', itemCount: 2 },
    { decision: 'approved', application: 'applied', supersedes: id, itemCount: 1 },
    { decision: 'pending', application: 'not_applied', supersedes: id, itemCount: 1 },
  ])
  const types = (await listEvents(brain)).map(([type, data]: [string, { supersedes?: string }]) => [
    type,
    data.supersedes,
  ])
  expect(types).toEqual([
    ['change.staged', undefined],
    ['change.decided', undefined],
    ['change.staged', id],
    ['change.staged', id],
    ['change.decided', undefined],
    ['record.accepted', undefined],
    ['change.published', undefined],
  ])
})

test('changes of different fields that are published at the same moment are all applied, as one after the other', async () => {
  const brain = await createBrain(app, 'at-once')
  const operations = Array.from({ length: 10 }, (_, n) => ({ op: 'record.put', id: `r${n}`, kind: 'person' }))
  await brain.call('POST', '/batch', { operations })
  await brain.call('PATCH', '', { mode: 'review' })
  const ids: string[] = []
  for (const { id } of operations)
    for (const field of ['a', 'b']) {
      const staged = await brain.call('PATCH', `/records/${id}`, { fields: { [field]: 1 } })
      ids.push(staged.body.data.change.id)
      await brain.call('POST', `/changes/${ids.at(-1)}/decide`, { decision: 'approved', publish: false })
    }
  const answers = await Promise.all(ids.map((id) => brain.call('POST', `/changes/${id}/publish`, {})))
  expect(answers.map(({ body }) => body.data.change.application)).toEqual(Array(20).fill('applied'))
  for (const { id } of operations)
    expect((await brain.call('GET', `/records/${id}`)).body.data.record.fields).toEqual({ a: 1, b: 1 })
})
