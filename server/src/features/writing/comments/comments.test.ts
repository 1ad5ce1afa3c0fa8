import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import { exportText, importedBrain } from '../../../test/transfer.ts'

const app = useApp()

test('PRV-11 comments on a change are kept with their writers, also when several arrive at once, and come along with an export', async () => {
  const brain = await createBrain(app, 'commented')
  const operations = [{ op: 'record.put', id: 'a', kind: 'x' }]
  const { id } = (await brain.call('POST', '/batch', { operations, review: true })).body.data.change
  const comment = (text: string, key = brain.key) => brain.call('POST', `/changes/${id}/comments`, { text }, { key })
  expect((await comment('First.')).status).toBe(201)
  const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => comment(`Comment ${index}.`)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  const again = await comment('First.')
  const read = async () => (await brain.call('GET', `/changes/${id}`)).body.data.change.comments
  const comments = await read()
  expect(comments).toHaveLength(9)
  expect(comments[0]).toEqual(again.body.data.comment)
  expect(comments[0]).toMatchObject({ text: 'First.', by: { type: 'key', id: brain.keyId } })
  await brain.call('POST', `/changes/${id}/decide`, { decision: 'approved' })
  expect(await read()).toEqual(comments)
  const readers = await brain.mintKey(['read', 'write'])
  expect((await comment('May I?', readers)).status).toBe(403)
  for (const wrong of ['', '  ', 'a'.repeat(4_001)]) expect((await comment(wrong)).status).toBe(400)
  const other = await createBrain(app, 'other')
  const foreign = await other.call('POST', `/changes/${id}/comments`, { text: 'Hello.' })
  const unknown = await other.call('POST', '/changes/chg_unknown/comments', { text: 'Hello.' })
  const shape = ({ status, body }: typeof foreign, name: string) => [status, body.error.message.replace(name, 'id')]
  expect(shape(foreign, id)).toEqual(shape(unknown, 'chg_unknown'))
  const { brain: copy, answer } = await importedBrain(app, brain, 'copy', await exportText(app, brain))
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  expect((await copy.call('GET', `/changes/${id}`)).body.data.change.comments).toEqual(comments)
})

test('PRV-11 a change has at most 100 comments', async () => {
  const brain = await createBrain(app, 'busy')
  const operations = [{ op: 'record.put', id: 'a', kind: 'x' }]
  const { id } = (await brain.call('POST', '/batch', { operations, review: true })).body.data.change
  const all = JSON.stringify(Array.from({ length: 99 }, (_, n) => ({ id: `cmt_${n}`, text: `${n}`, by: {}, at: '' })))
  await app.database.pool.query('update changes set comments = $1 where id = $2', [all, id])
  const comment = async (text: string) => (await brain.call('POST', `/changes/${id}/comments`, { text })).body
  expect((await comment('The hundredth.')).data.comment.text).toBe('The hundredth.')
  expect((await comment('One more.')).error).toMatchObject({ kind: 'conflict', code: 'too_many_comments' })
})
