import { expect, test } from 'vitest'
import { insertOperation, insertRun } from '../../features/agents/run-feeds/run.fixture.ts'
import { useEvals } from '../../features/evals/eval-runs/use-evals.fixture.ts'
import { useGoals } from '../../features/evals/goals/use-goals.fixture.ts'
import { addBrain } from '../app.ts'
import { useKilledNodes } from './use-killed-nodes.fixture.ts'

// kill -9 of real nodes in the work by which agents learn: what was done is not done again, and nothing is lost.

const runs = useKilledNodes()
const { app, call, scene, createAgent, query, startNode, passLeases, killInside, holdModels, untilAsked, answer } = runs
const evals = useEvals(runs)
const goals = useGoals(app, runs)
const done = { text: ['42'] }

const count = async (statement: string, values: unknown[] = []) =>
  Number((await query(`select count(*)::int as count from ${statement}`, values))[0]?.count)

test('EVL-10 kill -9 while an eval waits for an agent, while it stores grades, and while it ends: each case is run once', async () => {
  holdModels()
  const agent = await createAgent()
  const cases = ['one', 'two', 'three'].map((id) => ({ id, input: id, expected: '42' }))
  const made = await evals.create({ target: { agentId: agent.id }, cases, graders: [{ type: 'contains' }] })
  let node = await startNode()
  const run = await evals.start(made.id)
  // While the agent of a case is asked.
  await untilAsked()
  await node.kill()
  await passLeases()
  runs.forgetRequests()
  node = await startNode()
  runs.scripted.models.says(() => done)
  const completed = () => count(`runs where agent_id = $1 and state = 'completed'`, [agent.id])
  // While the grades of its cases are stored.
  await killInside(node, {
    statement: 'lock table eval_results in share mode',
    act: () => expect.poll(completed).toBeGreaterThan(0),
  })
  node = await startNode()
  // While the run ends.
  await killInside(node, {
    statement: `select from eval_runs where id = $1 for update`,
    values: [run],
    act: passLeases,
  })
  await startNode()
  expect(await evals.ended(run)).toMatchObject({ state: 'completed', cases: 3, passed: 3 })
  expect(await count('runs where agent_id = $1', [agent.id])).toBe(3)
  expect((await evals.results(run)).map(({ caseId }: { caseId: string }) => caseId).toSorted()).toEqual([
    ...['one', 'three', 'two'],
  ])
}, 300_000)

test('GOL-07 kill -9 while a goal starts, while its attempt runs and while that is graded: each attempt is made and graded once', async () => {
  holdModels()
  const agent = await createAgent()
  let node = await startNode()
  let goalId = ''
  // The run is started, and the attempt is not stored.
  await killInside(node, {
    statement: 'lock table goal_attempts in share mode',
    act: async () => {
      goalId = (await goals.create({ agentId: agent.id, criteria: [{ type: 'contains', values: ['42'] }] })).id
    },
  })
  expect(await count('goal_attempts where goal_id = $1', [goalId])).toBe(0)
  node = await startNode()
  // While the model answers.
  await untilAsked()
  await expect.poll(() => count('goal_attempts where goal_id = $1', [goalId])).toBe(1)
  await node.kill()
  runs.forgetRequests()
  await passLeases()
  node = await startNode()
  await untilAsked()
  // While the attempt is graded.
  await killInside(node, {
    statement: `select from goal_attempts where goal_id = $1 for update`,
    values: [goalId],
    act: () => answer({ text: ['41'] }),
  })
  await startNode()
  await answer(done)
  await expect.poll(async () => (await goals.read(goalId)).state).toBe('met')
  expect(await goals.attempts(goalId)).toMatchObject([
    { number: 1, passed: false },
    { number: 2, passed: true },
  ])
  expect(await count('runs where agent_id = $1', [agent.id])).toBe(2)
}, 300_000)

test('DST-08 kill -9 while a distillation reads, and while it stages: each item is staged once', async () => {
  const brain = await addBrain(app, scene.member, 'lessons')
  for (let made = 0; made < 12; made++) {
    const run = await insertRun(app, scene.member.organizationId, { state: 'completed' })
    await insertOperation(app, run, { status: 'failed', error: 'The port 8080 is closed.', name: 'dial' })
    await insertOperation(app, run, { sequence: 2, status: 'failed', error: 'No dial tone.', name: 'ring' })
  }
  const ids = (await query(`select id from runs where agent_id = 'agt_sample'`)).map(({ id }) => id)
  let node = await startNode()
  let id = ''
  await killInside(node, {
    statement: 'lock table distillation_items in share mode',
    act: async () => {
      const body = { from: { runs: ids }, into: { brain: 'lessons' }, produce: ['lesson'] }
      id = (await call('POST', '/v1/distillations', body)).body.data.distillation.id
    },
  })
  node = await startNode()
  await killInside(node, {
    statement: `select from brains where handle = 'lessons' for no key update`,
    act: () => undefined,
  })
  node = await startNode()
  await killInside(node, {
    statement: `select from distillations where id = $1 for update`,
    values: [id],
    act: passLeases,
  })
  await startNode()
  const read = async () => (await call('GET', `/v1/distillations/${id}`)).body.data
  await expect.poll(async () => (await read()).distillation.state).toBe('completed')
  const { distillation, items } = await read()
  expect(distillation).toMatchObject({ runs: 12, read: 12, found: 2, staged: 2 })
  const { changes } = (await brain.call('GET', '/changes?decision=pending')).body.data
  expect(changes.map((change: { id: string }) => change.id).toSorted()).toEqual(
    items.map(({ change }: { change: string }) => change).toSorted(),
  )
}, 300_000)

test('DER-06 kill -9 while a derived page is written and while it is staged: one run and one change', async () => {
  holdModels()
  const brain = await addBrain(app, scene.member, 'pages')
  const agent = await createAgent({ brains: [{ handle: 'pages', access: 'read_write' }] })
  let node = await startNode()
  await brain.call('PUT', '/derived-pages/page', { agentId: agent.id, question: 'When is the tide?' })
  await untilAsked()
  await node.kill()
  runs.forgetRequests()
  await passLeases()
  node = await startNode()
  await untilAsked()
  await killInside(node, {
    statement: `select from brains where handle = 'pages' for no key update`,
    act: () => answer({ text: ['At noon.'] }),
  })
  await startNode()
  const read = async () => (await brain.call('GET', '/derived-pages/page')).body.data.derivedPage
  await expect.poll(async () => (await read()).state).toBe('staged')
  expect(await count('runs where agent_id = $1', [agent.id])).toBe(1)
  const { changes } = (await brain.call('GET', '/changes?decision=pending')).body.data
  expect(changes.map((change: { id: string }) => change.id)).toEqual([(await read()).change])
}, 300_000)
