import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp, useBrain } from '../../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)

const put = (id: string, fields: object, kind = 'thing') => brain.call('PUT', `/records/${id}`, { kind, fields })
const readFields = async (id: string) => (await brain.call('GET', `/records/${id}`)).body.data?.record.fields
const revert = (change: string, extra = {}) =>
  brain.call('POST', `/changes/${change}/revert`, { reason: 'wrong' }, extra)

test('D-44 reverting a creation deletes, and reverting that makes the record again', async () => {
  const made = await put('born', { a: 1 })
  const undone = await revert(made.body.data.change.id)
  expect(undone).toMatchObject({
    status: 200,
    body: { data: { outcome: 'landed', corrects: made.body.data.change.id } },
  })
  expect(await readFields('born')).toBeUndefined()
  await revert(undone.body.data.change.id)
  expect(await readFields('born')).toEqual({ a: 1 })
})

test('D-44 reverting an update puts back what it wrote and leaves what others wrote since', async () => {
  await put('shared', { mine: 1, theirs: 1 })
  const change = await brain.call('PATCH', '/records/shared', { fields: { mine: 2, added: true } })
  await brain.call('PATCH', '/records/shared', { fields: { theirs: 2 } })
  const undone = await revert(change.body.data.change.id)
  expect(undone.status).toBe(200)
  expect(await readFields('shared')).toEqual({ mine: 1, theirs: 2 })
  expect((await brain.call('GET', `/changes/${undone.body.data.change.id}`)).body.data.change).toMatchObject({
    corrects: change.body.data.change.id,
    reason: 'wrong',
  })
})

test('D-44 a revert that would overwrite a later write is refused and changes nothing', async () => {
  await put('fought', { a: 1 })
  const change = await put('fought', { a: 2 })
  await put('fought', { a: 3 })
  const refused = await revert(change.body.data.change.id)
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'changed_since' } } })
  expect(await readFields('fought')).toEqual({ a: 3 })
})

test('D-44 reverting a deletion brings back the record and what was said of it', async () => {
  await put('subject', { a: 1 }, 'person')
  const said = { subject: { id: 'subject', kind: 'person' }, predicate: 'likes', object: { value: 'tea' } }
  await brain.call('POST', '/statements', said)
  const deleted = await brain.call('DELETE', '/records/subject')
  expect((await brain.call('GET', '/statements?subject=subject')).body.data.statements).toEqual([])
  await revert(deleted.body.data.change.id)
  expect(await readFields('subject')).toEqual({ a: 1 })
  expect((await brain.call('GET', '/statements?subject=subject')).body.data.statements).toMatchObject([said])
})

test('D-44 a batch is reverted as one change, documents and statements too', async () => {
  await brain.call('POST', '/documents', { id: 'doc', text: 'old', title: 'Old' })
  const before = (await brain.call('GET', '/documents/doc')).body.data.document
  const batch = await brain.call('POST', '/batch', {
    operations: [
      { op: 'record.create', kind: 'person', ref: 'p' },
      { op: 'statement.assert', subject: { id: '$ref:p', kind: 'person' }, predicate: 'is', object: { value: 1 } },
      { op: 'document.put', id: 'doc', text: 'new' },
      { op: 'document.put', id: 'extra', text: 'extra' },
    ],
  })
  const [person, statement] = batch.body.data.results
  const undone = await revert(batch.body.data.change.id)
  expect(undone.body.data).toMatchObject({ outcome: 'landed', stateVersion: batch.body.data.stateVersion + 1 })
  expect((await brain.call('GET', `/records/${person.id}`)).status).toBe(404)
  expect((await brain.call('GET', `/statements/${statement.id}`)).status).toBe(404)
  expect((await brain.call('GET', '/documents/extra')).status).toBe(404)
  const after = (await brain.call('GET', '/documents/doc')).body.data.document
  expect(after).toMatchObject({ text: 'old', title: 'Old', hash: before.hash, version: 3 })
})

test('D-44 a revert stages where the Brain wants review, and its repeat under one key is one revert', async () => {
  const reviewed = await createBrain(app, 'reviewed')
  const made = await reviewed.call('PUT', '/records/x', { kind: 'thing' })
  await reviewed.call('PATCH', '', { mode: 'review' })
  const ask = () =>
    reviewed.call('POST', `/changes/${made.body.data.change.id}/revert`, {}, { headers: { 'idempotency-key': 'one' } })
  const staged = await ask()
  expect(staged).toMatchObject({ status: 202, body: { data: { outcome: 'staged', stateVersion: null } } })
  await reviewed.call('POST', `/changes/${staged.body.data.change.id}/decide`, { decision: 'approved' })
  expect((await reviewed.call('GET', '/records/x')).status).toBe(404)
  expect((await ask()).body).toEqual(staged.body)
  const again = await reviewed.call('POST', `/changes/${made.body.data.change.id}/revert`, {})
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'nothing_to_revert' } } })
})

test('D-44 a change that was not applied cannot be reverted', async () => {
  const reviewed = await createBrain(app, 'unapplied')
  await reviewed.call('PATCH', '', { mode: 'review' })
  const staged = await reviewed.call('POST', '/records', { kind: 'thing' })
  const { id } = staged.body.data.change
  expect(await reviewed.call('POST', `/changes/${id}/revert`, {})).toMatchObject({
    status: 409,
    body: { error: { code: 'not_applied' } },
  })
  expect((await reviewed.call('POST', '/changes/chg_none/revert', {})).status).toBe(404)
})

test('D-44 changes of one record are reverted one after the other, the last first, back to its creation', async () => {
  const changes: string[] = []
  const write = async (body: object) => {
    const { status, body: answer } = await brain.call('PUT', '/records/undone', body)
    expect(status).toBeLessThan(300)
    changes.push(answer.data.change.id)
  }
  await write({ kind: 'task', links: [] })
  await write({ kind: 'task', slug: 'one', links: [{ predicate: 'in', to: 'x' }] })
  await write({ kind: 'note', slug: 'two', fields: { a: 1 }, links: [{ predicate: 'in', to: 'y' }] })
  const [made = '', second = '', third = ''] = changes
  expect((await revert(third)).status).toBe(200)
  expect((await revert(second)).status).toBe(200)
  expect((await brain.call('GET', '/records/undone')).body.data.record).toMatchObject({
    ...{ kind: 'task', slug: null, links: [], fields: {} },
  })
  expect((await revert(made)).status).toBe(200)
  expect((await brain.call('GET', '/records/undone')).status).toBe(404)
})

test('D-44 changes of one document are reverted one after the other, and never over what others wrote', async () => {
  const write = async (text: string) =>
    (await brain.call('POST', '/documents', { id: 'letter', text })).body.data.change.id as string
  const made = await write('one')
  const second = await write('two')
  expect(await revert(made)).toMatchObject({ status: 409, body: { error: { code: 'changed_since' } } })
  expect((await revert(second)).status).toBe(200)
  expect((await brain.call('GET', '/documents/letter')).body.data.document.text).toBe('one')
  expect((await revert(made)).status).toBe(200)
  expect((await brain.call('GET', '/documents/letter')).status).toBe(404)
})
