import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isAwaited,
  maxFailures,
  maxMessagesLength,
  type Plan,
  type PlannedOperation,
  planStep,
  type Standing,
} from './plan-step.ts'

const limits = { maxSteps: 6, maxCostCents: 5, timeoutSeconds: 60 }
const fresh: Standing = {
  ...{ limits, isArchived: false, failures: 0, steps: 0, costNanodollars: 0, activeMilliseconds: 0 },
  ...{ messagesLength: 0 },
  ...{ operations: [], reportedStep: 0, answer: undefined },
}

const operation = fc.record<PlannedOperation>({
  id: fc.uuid(),
  type: fc.constantFrom('llm_call', 'tool_call', 'system_action'),
  status: fc.constantFrom('running', 'succeeded', 'failed'),
  step: fc.integer({ min: 1, max: 6 }),
  taskId: fc.constantFrom(null, 'task'),
  childRunId: fc.constantFrom(null, 'run'),
})

const standing = fc.record<Standing>({
  limits: fc.constant(limits),
  isArchived: fc.constantFrom(false, false, false, true),
  failures: fc.integer({ min: 0, max: 6 }),
  steps: fc.integer({ min: 0, max: 7 }),
  costNanodollars: fc.integer({ min: 0, max: 60_000_000 }),
  activeMilliseconds: fc.integer({ min: 0, max: 70_000 }),
  messagesLength: fc.integer({ min: 0, max: 5_000_000 }),
  operations: fc.array(operation, { maxLength: 8 }),
  reportedStep: fc.integer({ min: 0, max: 6 }),
  answer: fc.option(fc.record({ fits: fc.boolean(), wasRepaired: fc.boolean() }), { nil: undefined }),
})

const isOpen = ({ type, status }: PlannedOperation) => status === 'running' && type !== 'system_action'

test('RUN-04 no plan starts or ends a run while something of it is open, and none makes a call that someone else ends', () => {
  fc.assert(
    fc.property(standing, (given) => {
      const plan = planStep(given)
      const open = given.operations.filter(isOpen)
      if (open.length > 0) expect(['end', 'ask', 'call', 'wait']).toContain(plan.type)
      if (plan.type === 'ask' && plan.operationId === undefined) expect(open).toEqual([])
      if (plan.type === 'wait') expect(open.length > 0 && open.every(isAwaited)).toBe(true)
      if (plan.type === 'call')
        for (const id of plan.operationIds)
          expect(open.filter((one) => one.id === id && !isAwaited(one))).not.toEqual([])
    }),
  )
})

test('D-71 no plan goes on beyond a limit, past the end of the agent or after too many losses', () => {
  fc.assert(
    fc.property(standing, (given) => {
      const plan = planStep(given)
      const asksAgain = (plan.type === 'ask' && plan.operationId === undefined) || plan.type === 'repair'
      if (asksAgain) {
        expect(given.steps).toBeLessThan(limits.maxSteps)
        expect(given.messagesLength).toBeLessThan(maxMessagesLength)
        expect(given.costNanodollars).toBeLessThan(limits.maxCostCents * 10_000_000)
      }
      const isStopped = given.isArchived || given.failures >= maxFailures || given.activeMilliseconds >= 60_000
      if (isStopped) expect(['end', 'complete']).toContain(plan.type)
      if (plan.type === 'complete') expect(given.answer?.fits).toBe(true)
    }),
  )
})

type World = { standing: Standing; asked: number; done: string[] }

/** The outcome of a step of the simulated world: models ask for calls or answer, calls are made, people and agents answer. */
const follow = (world: World, plan: Exclude<Plan, { type: 'end' | 'complete' }>, calls: readonly boolean[]): World => {
  const { standing: now } = world
  const change = (ids: readonly string[], status: 'succeeded'): PlannedOperation[] =>
    now.operations.map((one) => (ids.includes(one.id) ? { ...one, status } : one))
  switch (plan.type) {
    case 'ask': {
      const step = now.steps + (plan.operationId === undefined ? 1 : 0)
      const made = calls.map(
        (waits, index): PlannedOperation => ({
          ...{ id: `${step}.${index}`, type: 'tool_call', status: 'running', step },
          ...{ taskId: waits ? 'task' : null, childRunId: null },
        }),
      )
      return {
        ...world,
        asked: world.asked + 1,
        standing: {
          ...now,
          steps: step,
          operations: [
            ...now.operations,
            { id: `${step}`, type: 'llm_call', status: 'succeeded', step, taskId: null, childRunId: null },
            ...made,
          ],
          answer: made.length === 0 ? { fits: true, wasRepaired: false } : undefined,
        },
      }
    }
    case 'call':
      return {
        ...world,
        done: [...world.done, ...plan.operationIds],
        standing: { ...now, operations: change(plan.operationIds, 'succeeded') },
      }
    case 'wait': {
      const ids = now.operations.filter(isOpen).map(({ id }) => id)
      return { ...world, done: [...world.done, ...ids], standing: { ...now, operations: change(ids, 'succeeded') } }
    }
    case 'report':
      return { ...world, standing: { ...now, reportedStep: now.steps } }
    case 'repair':
      return world
  }
}

test('RUN-04 a run comes to its end whatever its model asks for, each call is made once, and all of a step before the next one', () => {
  const stepCalls = fc.array(fc.array(fc.boolean(), { maxLength: 4 }), { minLength: 8, maxLength: 8 })
  fc.assert(
    fc.property(stepCalls, (script) => {
      let world: World = { standing: fresh, asked: 0, done: [] }
      for (let turns = 0; turns < 100; turns++) {
        const plan = planStep(world.standing)
        if (plan.type === 'end' || plan.type === 'complete') {
          const calls = world.standing.operations.filter(({ type }) => type === 'tool_call')
          expect(world.done.toSorted()).toEqual(calls.map(({ id }) => id).toSorted())
          expect(plan.type === 'complete' || world.asked === limits.maxSteps).toBe(true)
          return
        }
        if (plan.type === 'report') expect(plan.operationIds).toEqual([...plan.operationIds].toSorted())
        world = follow(world, plan, script[world.asked] ?? [])
      }
      expect.unreachable('the run did not end')
    }),
  )
})
