import { maxNamed } from '@noema/contracts/names.ts'
import { expect, test } from 'vitest'
import { addBrain } from '../../../test/app.ts'
import { useApp, useBrainPerTest, useMember } from '../../../test/harness.ts'

const app = useApp()
const member = useMember(app)
const brain = useBrainPerTest(app, member)

const read = async (body: object) => {
  const answer = await brain.call('POST', '/names', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.data
}

const put = (id: string, fields: object, more: object = {}) => ({
  op: 'record.put',
  id,
  kind: 'thing',
  fields,
  ...more,
})

const say = (id: string, subject: string, object: object) => ({
  ...{ op: 'statement.assert', id, predicate: 'knows', object },
  subject: { id: subject, kind: 'thing' },
})

const write = async (...operations: object[]) => {
  const { status, body } = await brain.call('POST', '/batch', { operations })
  expect(status, JSON.stringify(body)).toBe(200)
}

test('D-52c one call names records by their naming fields, statements by their records, and documents by their titles', async () => {
  await write(
    put('a', { title: 'Director', name: 'Ada' }),
    put('b', { name: ' ', summary: 'A boat' }),
    put('c', { name: 3 }, { slug: 'cee' }),
    put('d', {}),
    say('s1', 'a', { record: { id: 'b', kind: 'thing' } }),
    say('s2', 'd', { value: { tall: true } }),
    { op: 'document.put', id: 'x', title: 'Harbor', text: 'A harbor.' },
    { op: 'document.put', id: 'y', text: 'A quay.' },
  )
  const found = await read({
    records: ['d', 'c', 'b', 'a', 'a', 'no'],
    statements: ['s2', 's1'],
    documents: ['x', 'y', 'z'],
  })
  expect(found).toEqual({
    records: [
      { id: 'a', kind: 'thing', name: 'Ada' },
      { id: 'b', kind: 'thing', name: 'A boat' },
      { id: 'c', kind: 'thing', name: 'cee' },
      { id: 'd', kind: 'thing', name: 'd' },
    ],
    statements: [
      { id: 's1', name: 'Ada knows A boat' },
      { id: 's2', name: 'd knows {"tall":true}' },
    ],
    documents: [
      { id: 'x', name: 'Harbor' },
      { id: 'y', name: 'y' },
    ],
    stateVersion: 1,
  })
  expect(await read({})).toEqual({ records: [], statements: [], documents: [], stateVersion: 1 })
})

test('D-52c an item that is gone has the name of its last version, and another Brain knows none of them', async () => {
  await write(put('a', { name: 'Ada' }), say('s', 'a', { value: 'Bo' }), {
    op: 'document.put',
    id: 'x',
    title: 'X',
    text: 'x',
  })
  await brain.call('PATCH', '/records/a', { fields: { name: 'Ada Okafor' } })
  await brain.call('DELETE', '/records/a')
  await brain.call('DELETE', '/documents/x')
  const ids = { records: ['a'], statements: ['s'], documents: ['x'] }
  expect(await read(ids)).toMatchObject({
    records: [{ name: 'Ada Okafor' }],
    statements: [{ name: 'Ada Okafor knows Bo' }],
    documents: [{ name: 'X' }],
  })
  const other = await addBrain(app, member, 'other-names')
  expect((await other.call('POST', '/names', ids)).body.data).toMatchObject({
    records: [],
    statements: [],
    documents: [],
  })
})

test('D-52c names are short, however long the items are, and a call takes a bounded number of ids', async () => {
  const long = 'é'.repeat(150_000)
  const ids = Array.from({ length: 20 }, (_, index) => `r${String(index).padStart(2, '0')}`)
  for (const id of ids) await write(put(id, { name: long, other: long }))
  await write({ op: 'document.put', id: 'x', title: 'é'.repeat(900), text: 'x' }, say('s', 'r00', { value: long }))
  const found = await read({ records: ids, statements: ['s'], documents: ['x'] })
  expect(JSON.stringify(found).length).toBeLessThan(10_000)
  expect(found.records[0].name).toBe('é'.repeat(200))
  // What is beyond the bytes that a call reads is named by its id.
  expect(found.records.at(-1).name).toBe('r19')
  const many = Array.from({ length: maxNamed + 1 }, (_, index) => `id-${index}`)
  expect((await brain.call('POST', '/names', { records: many })).status).toBe(400)
})
