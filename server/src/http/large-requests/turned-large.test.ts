import { expect, test, vi } from 'vitest'
import { useSource } from '../../features/writing/snapshots/test-source.fixture.ts'
import { MovesToWorker } from '../../shared/errors.ts'
import { addBrain } from '../../test/app.ts'
import { useBrain, useOwnApp } from '../../test/harness.ts'

// Small requests that need much stored content: the main thread gives them up before it reads it, and the worker for large
// requests answers them.

const app = useOwnApp()
const brain = useBrain(app)

// Each record is written by a small request.
const text = 'x'.repeat(100_000)
const ids = Array.from({ length: 12 }, (_, n) => `record-${n}`)

/** Calls, and says whether the main thread gave the call up. */
const watch = async <Answer>(call: () => Promise<Answer>): Promise<{ answer: Answer; isMoved: boolean }> => {
  const submitted = vi.spyOn(app.app.deps.commitEngine, 'submit')
  const answer = await call()
  const outcomes = await Promise.allSettled(submitted.mock.results.map(({ value }) => value))
  submitted.mockRestore()
  return { answer, isMoved: outcomes.some((one) => one.status === 'rejected' && one.reason instanceof MovesToWorker) }
}

const fill = async (handle: string) => {
  const filled = await addBrain(app, brain, handle)
  for (const id of ids) await filled.call('PUT', `/records/${id}`, { kind: 'note', fields: { text } })
  return filled
}

test('D-08 a small write of much content moves to the worker for large requests, is made once, and is answered alike', async () => {
  const filled = await fill('writes')
  const patches = ids.map((id) => ({ op: 'record.patch', id, fields: { n: 1 } }))
  const batch = await watch(() => filled.call('POST', '/batch', { operations: patches }))
  expect(batch).toMatchObject({ isMoved: true, answer: { status: 200 } })
  expect(batch.answer.body.data.results.map(({ version }: { version: number }) => version)).toEqual(ids.map(() => 2))
  const one = await watch(() => filled.call('PATCH', '/records/record-0', { fields: { n: 2 } }))
  expect(one).toMatchObject({ isMoved: false, answer: { body: { data: { record: { version: 3 } } } } })
  // Each patch copies its record.
  const often = Array.from({ length: 25 }, (_, n) => ({ op: 'record.patch', id: 'record-0', fields: { n } }))
  expect(await watch(() => filled.call('POST', '/batch', { operations: often }))).toMatchObject({
    isMoved: true,
    answer: { status: 200 },
  })
  const stale = { operations: [...patches, { op: 'record.delete', id: 'record-0', ifMatch: 1 }] }
  expect(await watch(() => filled.call('POST', '/batch', stale))).toMatchObject({
    isMoved: true,
    answer: { status: 409, body: { error: { code: 'stale_version' } } },
  })
  expect((await filled.call('GET', '/records/record-1')).body.data.record.version).toBe(2)
})

test('D-08 a decision, a publication and a revert of much content move to the worker, too', async () => {
  const filled = await fill('decisions')
  await filled.call('PATCH', '', { mode: 'review' })
  const remove = { operations: ids.map((id) => ({ op: 'record.delete', id })) }
  const { id } = (await filled.call('POST', '/batch', remove)).body.data.change
  expect(
    await watch(() => filled.call('POST', `/changes/${id}/decide`, { decision: 'approved', publish: false })),
  ).toMatchObject({
    isMoved: true,
    answer: { status: 200, body: { data: { change: { decision: 'approved' } } } },
  })
  expect(await watch(() => filled.call('POST', `/changes/${id}/publish`))).toMatchObject({
    isMoved: true,
    answer: { status: 200, body: { data: { change: { application: 'applied' } } } },
  })
  expect((await filled.call('GET', '/records')).body.data.records).toEqual([])
  await filled.call('PATCH', '', { mode: 'direct' })
  const reverted = await watch(() => filled.call('POST', `/changes/${id}/revert`, {}))
  expect(reverted.answer.status).toBe(200)
  expect((await filled.call('GET', '/records?limit=1')).body.data.records).toMatchObject([
    { id: 'record-0', fields: { text } },
  ])
})

test('D-08 a plan of long texts is applied by the worker, once', async () => {
  const filled = await addBrain(app, brain, 'plans')
  const source = useSource(filled)
  const parts = Array.from({ length: 12 }, (_, n) => ({ id: `d/${n}`, text }))
  let snapshot: string | undefined
  for (const part of parts) {
    const planned = await source.plan([part], { ...(snapshot && { snapshot }), complete: part === parts.at(-1) })
    snapshot = planned.body.data.snapshot.snapshot
  }
  const id = String(snapshot)
  const { planRevision } = (await source.read(id)).body.data.snapshot
  const applied = await watch(() => source.apply(id, { planRevision }))
  expect(applied).toMatchObject({ isMoved: true, answer: { status: 200, body: { data: { outcome: 'landed' } } } })
  expect((await filled.call('GET', '/documents')).body.data.documents).toHaveLength(12)
})

test('D-08 a tool of an agent that writes much content moves to the worker, and is made once', async () => {
  const filled = await fill('tools')
  const operations = ids.map((id) => ({ op: 'record.patch', id, fields: { n: 1 } }))
  const message = {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'knowledge_write', arguments: { operations } },
  }
  const { answer, isMoved } = await watch(() =>
    filled.call('POST', '/mcp', message, { headers: { accept: 'application/json, text/event-stream' } }),
  )
  expect([answer.status, isMoved]).toEqual([200, true])
  expect((await filled.call('GET', '/records/record-0')).body.data.record.version).toBe(2)
})
