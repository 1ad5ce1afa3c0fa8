import { expect, test } from 'vitest'
import { createBrain, startTestApp, type TestBrain } from '../../../test/app.ts'
import { useBrainPerTest, useMember, useOwnApp } from '../../../test/harness.ts'

const app = useOwnApp()
const member = useMember(app)
const brain = useBrainPerTest(app, member)

const inReview = async (): Promise<TestBrain> => {
  await brain.call('PUT', '/records/ada', { kind: 'person' })
  await brain.call('POST', '/documents', { id: 'served', text: 'x' })
  await brain.call('PATCH', '', { mode: 'review' })
  return brain
}
const pending = async (): Promise<number> =>
  (await brain.call('GET', '/changes?decision=pending')).body.data.changes.length
const staged = async () => (await brain.call('GET', '/events?types=change.staged&limit=500')).body.data.events.length

const statement = { subject: { id: 'ada', kind: 'person' }, predicate: 'is', object: { value: 1 } }
const writes: [name: string, method: string, below: string, body?: object][] = [
  ['a PUT of a record', 'PUT', '/records/bob', { kind: 'person', fields: { a: 1 } }],
  ['a PATCH of a record', 'PATCH', '/records/ada', { fields: { a: 1 } }],
  ['a deletion', 'DELETE', '/records/ada'],
  ['a statement', 'POST', '/statements', statement],
  ['a statement under an id', 'POST', '/statements', { ...statement, id: 'said' }],
  ['a document', 'POST', '/documents', { text: 'equal texts' }],
  ['a document under an id', 'POST', '/documents', { id: 'doc', text: 'equal texts' }],
  ['a retirement', 'DELETE', '/documents/served'],
  [
    'a batch',
    'POST',
    '/batch',
    {
      operations: [
        { op: 'record.put', id: 'bob', kind: 'person' },
        { op: 'statement.assert', ...statement, ref: 's' },
      ],
    },
  ],
]

test.each(writes)(
  'D-05 %s that equals a pending one of the same key is answered with its change',
  async (_name, ...write) => {
    const { call } = await inReview()
    const first = await call(...write)
    expect(first.status).toBe(202)
    for (const idempotencyKey of [undefined, 'one', 'one', 'two']) {
      const headers: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}
      const [method, below, body] = write
      const again = await call(method, below, body, { headers })
      expect([again.status, again.body]).toEqual([202, first.body])
    }
    expect([await pending(), await staged()]).toEqual([1, 1])
  },
)

test('D-05 equal writes at the same moment stage one change', async () => {
  const { call } = await inReview()
  const answers = await Promise.all(Array.from({ length: 8 }, () => call('PUT', '/records/bob', { kind: 'person' })))
  expect(new Set(answers.map(({ body }) => body.data.change.id)).size).toBe(1)
  expect([await pending(), await staged()]).toEqual([1, 1])
})

test('D-05 a write of another key, another content, another reason, or a new record is a change of its own', async () => {
  const { call, mintKey } = await inReview()
  const key = await mintKey(['write'])
  const put = { kind: 'person', fields: { a: 1 } }
  const { change } = (await call('PUT', '/records/ada', put)).body.data
  await call('PUT', '/records/ada', put, { key })
  await call('PUT', '/records/ada', { kind: 'person', fields: { a: 2 } })
  await call('PUT', '/records/ada', { ...put, corrects: change.id })
  for (const _each of [1, 2]) await call('POST', '/records', { kind: 'person' })
  expect(await pending()).toBe(6)
})

test('D-05 once the change is decided, an equal write is staged again or changes nothing', async () => {
  const { call } = await inReview()
  const put = () => call('PUT', '/records/ada', { kind: 'person', fields: { a: 1 } })
  const decide = (id: string, decision: string) => call('POST', `/changes/${id}/decide`, { decision })
  const rejected = (await put()).body.data.change.id
  await decide(rejected, 'rejected')
  const second = (await put()).body.data.change.id
  expect(second).not.toBe(rejected)
  await decide(second, 'approved')
  expect((await put()).body.data).toMatchObject({ outcome: 'landed', change: { id: second }, record: { version: 2 } })
})

test('D-05 a rule that stages in direct mode stages an equal write once', async () => {
  await brain.call('PUT', '/records/ada', { kind: 'person' })
  await brain.call('PATCH', '', { reviewRules: { always: ['record.delete'] } })
  const ids = [await brain.call('DELETE', '/records/ada'), await brain.call('DELETE', '/records/ada')]
  expect(new Set(ids.map(({ body }) => body.data.change.id)).size).toBe(1)
  expect(await pending()).toBe(1)
})

test('D-05 a pending write that was imported or staged by an earlier version is not looked for, and none is lost', async () => {
  const { call } = await inReview()
  const put = () => call('PUT', '/records/bob', { kind: 'person' })
  const first = (await put()).body.data.change.id
  await app.database.pool.query('update changes set write_hash = null where id = $1', [first])
  expect((await put()).body.data.change.id).not.toBe(first)
})

test('AUT-12 at a spent cap a write that changes nothing is answered, and is not counted', async () => {
  const capped = await startTestApp({ NOEMA_TIERS: '{"unverified":{"dailyWrites":2}}' })
  capped.clock.hold()
  const { call } = await createBrain(capped, 'capped', { verified: false })
  const put = (id: string) => call('PUT', `/records/${id}`, { kind: 'person' })
  await put('a')
  for (const _each of [1, 2, 3]) expect((await put('a')).status).toBe(200)
  expect((await put('b')).status).toBe(201)
  expect([(await put('c')).status, (await put('a')).status, (await put('b')).status]).toEqual([429, 200, 200])
  await capped.close()
})

test('D-05 a write that equals one whose contents a reviewer has edited is a change of its own', async () => {
  const { call } = await inReview()
  const put = () => call('PUT', '/records/bob', { kind: 'person', fields: { a: 1 } })
  const first = (await put()).body.data.change.id
  const [{ item }] = (await call('GET', `/changes/${first}`)).body.data.change.items
  const edits = { [item]: { fields: { a: 2 } } }
  await call('POST', `/changes/${first}/decide`, { decision: 'approved', publish: false, edits })
  expect((await call('POST', `/changes/${first}/rebase`, {})).body.data.change.decision).toBe('pending')
  const second = (await put()).body.data.change.id
  expect(second).not.toBe(first)
  expect((await call('GET', `/changes/${second}`)).body.data.change.items[0].after.fields).toEqual({ a: 1 })
  // One that was only put on top of the Brain as it is now still waits for the write that it is.
  await call('POST', `/changes/${second}/rebase`, {})
  expect((await put()).body.data.change.id).toBe(second)
})
