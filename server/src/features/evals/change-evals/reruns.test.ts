import { expect, test } from 'vitest'
import { runPass } from '../../../test/run-pass.ts'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { createChangeEvalWork } from './run-change-evals.ts'
import { useGate } from './use-gate.fixture.ts'

// Results of required evals that become stale.

const agents = useAgents({ NOEMA_ROLES: 'http', NOEMA_EMBEDDINGS: 'off' })
const { app } = agents
const { create, target, graders, harbor, stage, read, judged, approve, code, gated } = useGate(agents)

test('GAT-10 a required eval runs again by itself once its result is stale, so many times, and no other eval does', async () => {
  const { brain, evalId } = await gated('again')
  await brain.call('PUT', '/records/ship', { kind: 'ship', fields: { name: 'Ada', crew: 3 } })
  const change = await stage(brain, { op: 'record.patch', id: 'ship', fields: { flag: 'red' } })
  const other = await create({ target: target('again'), cases: [harbor], graders })
  await brain.call('POST', `/changes/${change}/preview`, { eval: other.id })
  const first = await judged(brain, change)
  expect(first).toMatchObject({ state: 'passed' })
  const write = (crew: number) => brain.call('PATCH', '/records/ship', { fields: { crew } })
  const state = async () => (await read(brain, change)).eval.state
  const passHour = async () => {
    for (let minutes = 0; minutes < 60; minutes += 10) {
      app.clock.advance({ minutes: 10 })
      await runPass(app.app.deps, createChangeEvalWork(app.app.deps))
    }
  }
  await write(4)
  expect(await state()).toBe('stale')
  await passHour()
  const second = await judged(brain, change)
  expect(second).toMatchObject({ state: 'passed' })
  expect(second.after.evalRunId).not.toBe(first.after.evalRunId)
  // A current result is not replaced by unrelated writes.
  await brain.call('PUT', '/records/other', { kind: 'ship', fields: { name: 'Bea' } })
  await passHour()
  expect(await judged(brain, change)).toEqual(second)
  await app.database.pool.query('update change_evals set reruns = 9 where change_id = $1 and eval_id = $2', [
    change,
    evalId,
  ])
  await write(5)
  await passHour()
  expect(await judged(brain, change)).toMatchObject({ state: 'passed' })
  await write(6)
  await passHour()
  expect(await state()).toBe('stale')
  const query = 'select eval_id, reruns from change_evals where change_id = $1 order by reruns'
  expect((await app.database.pool.query(query, [change])).rows).toEqual([
    { eval_id: other.id, reruns: 0 },
    { eval_id: evalId, reruns: 10 },
  ])
  // A request by a person begins to count again.
  await brain.call('POST', `/changes/${change}/preview`, { eval: evalId })
  expect(await judged(brain, change)).toMatchObject({ state: 'passed' })
  expect(await code(approve(brain, change))).toBe(200)
  await passHour()
  const due = 'select due_at from change_evals where change_id = $1 and due_at is not null'
  expect((await app.database.pool.query(due, [change])).rows).toEqual([])
})
