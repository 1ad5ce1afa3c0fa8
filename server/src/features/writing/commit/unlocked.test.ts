import type { Operation } from '@noema/contracts/batch.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { conflict } from '../../../shared/errors.ts'
import { addBrain, createBrain, type TestBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import type { StoredAnswer } from '../../platform/idempotency/idempotency.ts'
import { submitChange } from './commit.ts'

// Writes run without the Brain's lock where no other node writes to it. They must be answered as under the lock.

const app = useApp()
afterEach(() => void vi.restoreAllMocks())

const findBrainId = async ({ brain: { handle } }: TestBrain): Promise<number> => {
  const { rows } = await app.database.pool.query<{ brainId: number }>(
    `select brain_id as "brainId" from brains where handle = $1`,
    [handle],
  )
  return rows[0]?.brainId ?? 0
}

type Step = { operations: Operation[]; idempotencyKey?: string }

const put = (id: string, more: object = {}): Operation => ({
  op: 'record.put',
  id,
  kind: 'person',
  fields: {},
  ...more,
})
const assert = (id: string, value: string, subject = 'ada'): Operation => ({
  ...{ op: 'statement.assert', id, subject: { id: subject, kind: 'person' }, predicate: 'says', object: { value } },
})

const steps: Step[] = [
  { operations: [put('ada', { slug: 'ada' })], idempotencyKey: 'first' },
  { operations: [put('ada', { slug: 'ada' })], idempotencyKey: 'first' },
  { operations: [put('bob')], idempotencyKey: 'first' },
  { operations: [put('bob', { slug: 'ada' })] },
  { operations: [put('bob', { slug: 'bob', fields: { name: 'Bob' } }), assert('s1', 'hello')] },
  { operations: [{ op: 'record.patch', id: 'bob', fields: { name: 'Robert' } }], idempotencyKey: 'patch' },
  { operations: [{ op: 'record.patch', id: 'bob', fields: { name: 'Robert' } }] },
  { operations: [{ op: 'record.patch', id: 'bob', fields: { name: 'Bob' } }], idempotencyKey: 'patch' },
  { operations: [{ op: 'record.patch', id: 'bob', fields: {}, ifMatch: 7 }], idempotencyKey: 'stale' },
  { operations: [{ op: 'record.patch', id: 'none', fields: {} }] },
  // The slug changes hands.
  { operations: [put('ada', { slug: null }), put('bob', { slug: 'ada' })] },
  { operations: [put('ada', { slug: 'ada' }), put('bob', { slug: null })] },
  { operations: [put('bob', { slug: null }), put('ada', { slug: 'ada' })] },
  // Both are refused; the slug comes first.
  { operations: [put('carl', { slug: 'ada' }), { op: 'record.patch', id: 'none', fields: {} }] },
  { operations: [assert('s2', 'hello')] },
  { operations: [{ op: 'record.delete', id: 'ada' }, put('ada', { slug: 'ada' }), assert('s3', 'hello')] },
  { operations: [{ op: 'statement.retract', id: 's3' }] },
  { operations: [{ op: 'document.put', id: 'doc', text: 'one' }] },
  { operations: [{ op: 'document.put', id: 'doc', text: 'two' }] },
  { operations: [{ op: 'document.retire', id: 'doc' }] },
  { operations: [put('ada', { links: [{ predicate: 'knows', to: 'carl' }] })] },
  {
    operations: [
      { op: 'record.delete', id: 'ada' },
      { op: 'record.delete', id: 'bob' },
    ],
  },
]

/** Writes all steps and tells how each was answered, and what the Brain's stream tells of them. */
const writeAll = async (brain: TestBrain, precondition: (() => Promise<void>) | undefined) => {
  const brainId = await findBrainId(brain)
  const submitter = { actor: { type: 'key', id: 'key_1', userId: 'user' } as const, mayRead: true, caps: undefined }
  const answers: unknown[] = []
  for (const { operations, idempotencyKey } of steps)
    answers.push(
      await submitChange(app.app.deps, submitter, brainId, {
        ...{ operations, idempotencyKey, precondition, isBatch: operations.length > 1 },
        answer: ({ outcome, stateVersion, applied, missing }) => ({
          outcome: 'done',
          data: JSON.stringify({ outcome, stateVersion, missing, results: applied.map(({ result }) => result) }),
        }),
      }).catch(({ code, message }) => ({ code, message })),
    )
  const { events } = (await brain.call('GET', '/events?limit=200')).body.data
  return {
    answers,
    events: events.map(({ type, data: { change, at, ...data } }: { type: string; data: Record<string, unknown> }) => ({
      type,
      data: JSON.stringify(data).replace(/"change":"[^"]*"|"at":"[^"]*"/g, ''),
    })),
  }
}

/** Counts the transactions of commits: workers have theirs meanwhile. */
const countCommits = (): { count: number } => {
  const { db } = app.app.deps
  const begin = db.transaction.bind(db)
  const counted = { count: 0 }
  vi.spyOn(db, 'transaction').mockImplementation(() => {
    if (new Error('a transaction').stack?.includes('group-commit.ts')) counted.count++
    return begin()
  })
  return counted
}

test('a write without the lock is answered as one under it, and leaves the same events', async () => {
  const brain = await createBrain(app, 'unlocked')
  const transactions = countCommits()
  const unlocked = await writeAll(brain, undefined)
  expect(transactions.count).toBe(0)
  const locked = await writeAll(await addBrain(app, brain, 'locked'), async () => {})
  expect(unlocked).toEqual(locked)
  expect(unlocked.events).toHaveLength(19)
  expect(transactions.count).toBe(steps.length)
})

test('a write without the lock is one statement, and finds the writes of another node', async () => {
  const brain = await createBrain(app, 'alternating')
  const other = await app.startNode()
  const transactions = countCommits()
  expect((await brain.call('PUT', '/records/r', { kind: 'k', fields: { n: 0 } })).status).toBe(201)
  for (let n = 1; n < 4; n++)
    expect((await brain.call('PATCH', '/records/r', { fields: { n } })).body.data.record.version).toBe(n + 1)
  expect(transactions.count).toBe(0)
  for (let n = 4; n < 10; n += 2) {
    await other.request('PATCH', `${brain.path}/records/r`, { key: brain.key, body: { fields: { n } } })
    const patched = await brain.call('PATCH', '/records/r', { fields: { m: n } })
    expect(patched.body.data.record).toMatchObject({ version: n + 2, fields: { n, m: n } })
  }
})

test('a write that is refused, or changes nothing, runs once, alone and among others', async () => {
  const brain = await createBrain(app, 'once')
  const brainId = await findBrainId(brain)
  const submit = (run: () => StoredAnswer) =>
    app.app.deps.commitEngine.submit(brainId, {
      ...{ operations: [], changeIds: [], claim: undefined, caps: undefined },
      run,
    })
  const refuse = vi.fn<() => StoredAnswer>(() => {
    throw conflict('Refused.')
  })
  const change = vi.fn<() => StoredAnswer>(() => ({ outcome: 'done', data: '{}' }))
  const transactions = countCommits()
  await expect(submit(refuse)).rejects.toThrow('Refused.')
  await submit(change)
  expect([refuse.mock.calls.length, change.mock.calls.length]).toEqual([1, 1])
  const together = [submit(refuse), brain.call('PUT', '/records/r', { kind: 'k' }), submit(change)]
  expect((await Promise.allSettled(together)).map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
  expect([refuse.mock.calls.length, change.mock.calls.length]).toEqual([2, 2])
  expect(transactions.count).toBe(0)
})

test('a write that meets a key which was taken meanwhile is refused, and its neighbors are written', async () => {
  const brain = await createBrain(app, 'taken')
  await brain.call('PUT', '/records/first', { kind: 'k', slug: 'same' })
  const statuses = await Promise.all(
    ['same', 'other', 'same', 'third'].map(
      async (slug) => (await brain.call('POST', '/records', { kind: 'k', slug })).status,
    ),
  )
  expect(statuses).toEqual([409, 201, 409, 201])
  expect((await brain.call('GET', '')).body.data.brain.stateVersion).toBe(3)
})
