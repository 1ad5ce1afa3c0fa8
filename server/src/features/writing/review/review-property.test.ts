import { assert, asyncProperty, constantFrom, integer, oneof, record, array as sequence } from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createMember } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { type Operation, ReviewModel } from '../../../test/models/review-model.ts'

const app = useOwnApp()
let key: string
beforeAll(async () => {
  key = (await createMember(app)).key
})

// Plain objects, as JSON makes them.
const plain = { noNullPrototype: true } as const
const digit = integer({ min: 0, max: 2 })
const id = constantFrom('a', 'b')
const fields = oneof(record({ x: digit }, plain), record({ y: digit }, plain), record({ x: digit, y: digit }, plain))
const which = integer({ min: 0, max: 50 })
const action = oneof(
  {
    weight: 5,
    arbitrary: record({
      do: constantFrom('write' as const),
      op: constantFrom('put' as const, 'patch' as const, 'delete' as const),
      id,
      fields,
    }),
  },
  {
    weight: 2,
    arbitrary: record({ do: constantFrom('mode' as const), mode: constantFrom('direct' as const, 'review' as const) }),
  },
  {
    weight: 6,
    arbitrary: record({
      do: constantFrom('decide' as const),
      which,
      decision: constantFrom('approved' as const, 'approved' as const, 'rejected' as const),
      publish: constantFrom(true, true, false, 'later' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: record({ do: constantFrom('publish' as const, 'cancel' as const, 'rebase' as const), which }),
  },
  { weight: 2, arbitrary: record({ do: constantFrom('wait' as const) }) },
)
type Action = typeof action extends { generate: unknown } ? ReturnType<(typeof action)['generate']>['value'] : never

/** One way through every pair of decision and application, so that chance alone never leaves one out. */
const everyPair: Action[] = [
  { do: 'write', op: 'put', id: 'a', fields: { x: 0 } },
  { do: 'write', op: 'put', id: 'a', fields: { x: 1 } },
  { do: 'decide', which: 1, decision: 'approved', publish: true },
  { do: 'decide', which: 0, decision: 'approved', publish: true },
  { do: 'write', op: 'put', id: 'b', fields: { x: 0 } },
  { do: 'decide', which: 0, decision: 'approved', publish: 'later' },
  { do: 'cancel', which: 0 },
  { do: 'write', op: 'put', id: 'b', fields: { x: 1 } },
  { do: 'decide', which: 0, decision: 'rejected', publish: true },
  { do: 'write', op: 'put', id: 'b', fields: { x: 2 } },
  { do: 'decide', which: 0, decision: 'approved', publish: false },
  { do: 'write', op: 'put', id: 'b', fields: { y: 1 } },
]

const reached = new Set<string>()
let brains = 0

/** A Brain of its own and a model, driven together. */
const startRun = async () => {
  const path = `/v1/brains/run-${brains++}`
  const call = (method: string, below: string, body?: unknown) =>
    app.request(method, path + below, { key, ...(body === undefined ? {} : { body }) })
  await call('PUT', '', { mode: 'review' })
  const model = new ReviewModel()
  let isReviewed = true
  const pick = (index: number) => {
    const open = [...model.changes.values()].reverse()
    return open.length === 0 ? undefined : open[index % open.length]
  }

  const write = async (operation: Operation) => {
    const content = { kind: 'thing', fields: operation.fields }
    const { op } = operation
    const method = op === 'put' ? 'PUT' : op === 'patch' ? 'PATCH' : 'DELETE'
    const answer = await call(
      method,
      `/records/${operation.id}`,
      op === 'delete' ? undefined : op === 'put' ? content : { fields: operation.fields },
    )
    if (!model.isPossible(operation)) {
      expect(answer.status).toBe(404)
      return
    }
    const changed = model.write(operation, answer.body.data.change.id, isReviewed)
    expect(answer.body.data.outcome).toBe(changed && isReviewed ? 'staged' : 'landed')
  }

  const act = async (step: Action): Promise<void> => {
    if (step.do === 'write') return write(step)
    if (step.do === 'mode') {
      isReviewed = step.mode === 'review'
      await call('PATCH', '', { mode: step.mode })
      return
    }
    if (step.do === 'wait') {
      app.clock.advance({ minutes: 2 })
      await app.app.workers.find(({ name }) => name === 'publish scheduled changes')?.run()
      model.passTime(app.clock.now().getTime())
      return
    }
    const change = pick(step.which)
    if (!change) return
    const later = new Date(app.clock.now().getTime() + 60_000)
    const isLater = step.do === 'decide' && step.publish === 'later'
    const body =
      step.do === 'decide'
        ? { decision: step.decision, publish: isLater ? later.toISOString() : step.publish }
        : undefined
    const answer = await call('POST', `/changes/${change.id}/${step.do}`, body)
    const publish = step.do === 'decide' && step.publish !== 'later' ? step.publish : later.getTime()
    const done = step.do === 'decide' ? model.decide(change, step.decision, publish) : model[step.do](change)
    expect(answer.status === 200, JSON.stringify([step, answer.body])).toBe(done)
    if (done) reached.add(`${answer.body.data.change.decision}/${answer.body.data.change.application}`)
  }

  const check = async () => {
    const { body: changes } = await call('GET', '/changes?limit=500')
    for (const { id: changeId, decision, application } of changes.data.changes) {
      reached.add(`${decision}/${application}`)
      expect([changeId, decision, application]).toEqual([
        changeId,
        model.changes.get(changeId)?.decision,
        model.changes.get(changeId)?.application,
      ])
    }
    const { body: records } = await call('GET', '/records')
    const found = records.data.records.map((one: { id: string; version: number; fields: object }) => [
      one.id,
      { version: one.version, fields: one.fields },
    ])
    expect(found).toEqual([...model.current].sort(([a], [b]) => (a < b ? -1 : 1)))
    expect(records.data.stateVersion).toBe(model.stateVersion)
    const { body: page } = await call('GET', '/events?limit=500')
    expect(
      page.data.events.map((event: { type: string; data: { change: string } }) => [event.type, event.data.change]),
    ).toEqual(model.events)
  }
  return { act, check }
}

test('REV-02 after all writes and decisions, changes, records and events are as the model says', async () => {
  const runs = asyncProperty(sequence(action, { minLength: 10, maxLength: 40 }), async (steps) => {
    const { act, check } = await startRun()
    for (const step of steps) await act(step)
    await check()
  })
  await assert(runs, { numRuns: 15, examples: [[everyPair]] })
})

test('REV-02 every pair of decision and application that may exist was reached, and no other', () => {
  expect([...reached].sort()).toEqual([
    'approved/applied',
    'approved/blocked',
    'approved/cancelled',
    'approved/not_applied',
    'approved/scheduled',
    'pending/not_applied',
    'rejected/not_applied',
  ])
})
