import { maxNamed } from '@noema/contracts/names.ts'
import { expect, test } from 'vitest'
import { addBrain } from '../../../test/app.ts'
import { useApp, useBrainPerTest, useMember } from '../../../test/harness.ts'

const app = useApp()
const member = useMember(app)
const brain = useBrainPerTest(app, member)

type Ids = { record?: string[]; statement?: string[]; document?: string[] }

const toBody = (ids: Ids) => ({
  items: Object.entries(ids).flatMap(([type, some]) => some.map((id) => ({ type, id }))),
})

const read = async (ids: Ids) => {
  const answer = await brain.call('POST', '/names', toBody(ids))
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.data.names as { type: string; id: string; name: string; kind?: string }[]
}

const put = (id: string, fields: object, more: object = {}) => ({
  ...{ op: 'record.put', kind: 'thing', id, fields },
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
  const ids = { record: ['d', 'c', 'b', 'a', 'a', 'no'], statement: ['s2', 's1'], document: ['x', 'y', 'z'] }
  expect(await read(ids)).toEqual([
    { type: 'record', id: 'a', kind: 'thing', name: 'Ada' },
    { type: 'record', id: 'b', kind: 'thing', name: 'A boat' },
    { type: 'record', id: 'c', kind: 'thing', name: 'cee' },
    { type: 'record', id: 'd', kind: 'thing', name: 'd' },
    { type: 'statement', id: 's1', name: 'Ada knows A boat' },
    { type: 'statement', id: 's2', name: 'd knows {"tall":true}' },
    { type: 'document', id: 'x', name: 'Harbor' },
    { type: 'document', id: 'y', name: 'y' },
  ])
  expect(await read({})).toEqual([])
})

test('D-52c an item that is gone has the name of its last version, and another Brain knows none of them', async () => {
  await write(put('a', { name: 'Ada' }), say('s', 'a', { value: 'Bo' }))
  await write({ op: 'document.put', id: 'x', title: 'X', text: 'x' })
  await brain.call('PATCH', '/records/a', { fields: { name: 'Ada Okafor' } })
  await brain.call('DELETE', '/records/a')
  await brain.call('DELETE', '/documents/x')
  const ids = { record: ['a'], statement: ['s'], document: ['x'] }
  expect((await read(ids)).map(({ name }) => name)).toEqual(['Ada Okafor', 'Ada Okafor knows Bo', 'X'])
  const other = await addBrain(app, member, 'other-names')
  expect((await other.call('POST', '/names', toBody(ids))).body.data.names).toEqual([])
})

test('D-52c names are short, however long the items are, and a call takes a bounded number of ids', async () => {
  const long = 'é'.repeat(150_000)
  const ids = Array.from({ length: 10 }, (_, index) => `r${String(index).padStart(2, '0')}`)
  for (const id of ids) await write(put(id, { name: long, other: long }))
  await write({ op: 'document.put', id: 'x', title: 'é'.repeat(900), text: 'x' }, say('s', 'r00', { value: long }))
  const found = await read({ record: ids, statement: ['s'], document: ['x'] })
  expect(JSON.stringify(found).length).toBeLessThan(10_000)
  expect(found[0]?.name).toBe('é'.repeat(200))
  // Records beyond the bytes that a call reads are named by their ids.
  expect(found.find(({ id }) => id === 'r09')?.name).toBe('r09')
  const many = Array.from({ length: maxNamed + 1 }, (_, index) => `id-${index}`)
  expect((await brain.call('POST', '/names', toBody({ record: many }))).status).toBe(400)
})
