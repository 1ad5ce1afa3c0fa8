import { expect, test } from 'vitest'
import { insertOperation, insertRun } from '../../features/agents/run-feeds/run.fixture.ts'
import { useEvals } from '../../features/evals/eval-runs/use-evals.fixture.ts'
import { useGoals } from '../../features/evals/goals/use-goals.fixture.ts'
import { addBrain } from '../app.ts'
import { useKilledNodes } from './use-killed-nodes.fixture.ts'

// kill -9 of real nodes in the work by which agents learn: what was done is not done again, and nothing is lost.

const runs = useKilledNodes()
const { app, call, scene, createAgent, query, startNode, passLeases, killAt, holdModels, untilAsked, answer } = runs
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
  const node = await startNode()
  const run = await evals.start(made.id)
  // While the agent of a case is asked.
  await untilAsked()
  await node.kill()
  await passLeases()
  runs.forgetRequests()
  runs.scripted.models.says(() => done)
  // While the grades of its cases are stored.
  await killAt({ before: 'insert on eval_results', when: `new.state = 'done'` })
  expect(await count(`runs where agent_id = $1 and state = 'completed'`, [agent.id])).toBeGreaterThan(0)
  // While the run ends.
  await killAt({ before: 'update on eval_runs', when: `new.state = 'completed'` })
  await startNode()
  expect(await evals.ended(run)).toMatchObject({ state: 'completed', cases: 3, passed: 3 })
  expect(await count('runs where agent_id = $1', [agent.id])).toBe(3)
  expect((await evals.results(run)).map(({ caseId }: { caseId: string }) => caseId).toSorted()).toEqual([
    ...['one', 'three', 'two'],
  ])
}, 300_000)

test('EVL-18 kill -9 while a schedule starts an eval, and while its cases are graded: one run for its time', async () => {
  const brain = await addBrain(app, scene.member, 'nightly')
  await brain.call('POST', '/documents', { id: 'tide', text: 'High tide is at noon.' })
  const made = await evals.create({
    target: { brain: 'nightly', read: 'search', mode: 'lexical' },
    cases: ['one', 'two'].map((id) => ({ id, input: 'high tide', expected: 'noon' })),
    graders: [{ type: 'contains' }],
  })
  const daily = { evalId: made.id, cron: '0 3 * * *', timezone: 'Europe/Berlin' }
  const { id } = (await call('POST', '/v1/schedules', daily)).body.data.schedule
  const listRuns = async () => (await call('GET', `/v1/evals/${made.id}/runs`)).body.data.runs
  await killAt({ before: 'insert on eval_runs' }, () =>
    query('update schedules set next_at = now(), due_at = now() where id = $1', [id]),
  )
  expect(await listRuns()).toEqual([])
  await killAt({ before: 'insert on eval_results' })
  await startNode()
  await expect.poll(async () => (await listRuns())[0]?.state).toBe('completed')
  expect(await listRuns()).toMatchObject([{ passed: 2, startedBy: { type: 'system', id } }])
  expect(
    await count('eval_results where eval_run_id in (select id from eval_runs where eval_id = $1)', [made.id]),
  ).toBe(2)
}, 300_000)

test('GOL-07 kill -9 while a goal starts, while its attempt runs and while that is graded: each attempt is made and graded once', async () => {
  holdModels()
  const agent = await createAgent()
  let goalId = ''
  // The run is started, and the attempt is not stored.
  await killAt({ before: 'insert on goal_attempts' }, async () => {
    goalId = (await goals.create({ agentId: agent.id, criteria: [{ type: 'contains', values: ['42'] }] })).id
  })
  expect(await count('goal_attempts where goal_id = $1', [goalId])).toBe(0)
  const node = await startNode()
  // While the model answers.
  await untilAsked()
  await expect.poll(() => count('goal_attempts where goal_id = $1', [goalId])).toBe(1)
  await node.kill()
  runs.forgetRequests()
  await passLeases()
  // While the attempt is graded.
  await killAt({ before: 'update on goal_attempts' }, () => answer({ text: ['41'] }))
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
  let id = ''
  await killAt({ before: 'insert on distillation_items' }, async () => {
    const body = { from: { runs: ids }, into: { brain: 'lessons' }, produce: ['lesson'] }
    id = (await call('POST', '/v1/distillations', body)).body.data.distillation.id
  })
  // While an item is staged, then while it is noted that it was, and while the distillation ends.
  await killAt({ before: 'insert on changes' })
  await killAt({ before: 'update on distillation_items', when: 'new.change_id is not null' })
  await killAt({ before: 'update on distillations', when: `new.state = 'completed'` })
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
  const node = await startNode()
  await brain.call('PUT', '/derived-pages/page', { agentId: agent.id, question: 'When is the tide?' })
  await untilAsked()
  await node.kill()
  runs.forgetRequests()
  await passLeases()
  await killAt({ before: 'insert on changes' }, () => answer({ text: ['At noon.'] }))
  await startNode()
  const read = async () => (await brain.call('GET', '/derived-pages/page')).body.data.derivedPage
  await expect.poll(async () => (await read()).state).toBe('staged')
  expect(await count('runs where agent_id = $1', [agent.id])).toBe(1)
  const { changes } = (await brain.call('GET', '/changes?decision=pending')).body.data
  expect(changes.map((change: { id: string }) => change.id)).toEqual([(await read()).change])
}, 300_000)

test('GAT-07 kill -9 while the required eval of a change begins, is graded and ends, and while its result is stored: two runs and one result', async () => {
  const brain = await addBrain(app, scene.member, 'gated')
  const put = (id: string, text: string) => ({ op: 'document.put', id, text })
  await brain.call('POST', '/batch', { operations: [put('tide', 'High tide is at noon.')] })
  const cases = ['one', 'two', 'three'].map((id) => ({ id, input: 'high tide', expected: 'noon' }))
  const target = { brain: 'gated', read: 'search', mode: 'lexical' }
  const made = await evals.create({ target, cases, graders: [{ type: 'contains' }] })
  await brain.call('PATCH', '', { reviewRules: { requireEval: made.id } })
  let id = ''
  // The ids of its runs are stored, and no run is.
  await killAt({ before: 'insert on eval_runs' }, async () => {
    const operations = [put('ebb', 'Low tide is at six.')]
    id = (await brain.call('POST', '/batch', { operations, review: true })).body.data.change.id
  })
  expect(await count('eval_runs where eval_id = $1', [made.id])).toBe(0)
  // While a case is graded, while its first run ends, and while the result is stored.
  await killAt({ before: 'insert on eval_results' })
  await killAt({ before: 'update on eval_runs', when: `new.state = 'completed'` })
  await killAt({ before: 'update on change_evals', when: `new.state = 'passed'` })
  await startNode()
  const read = async () => (await brain.call('GET', `/changes/${id}`)).body.data.change
  await expect.poll(async () => (await read()).eval.state).toBe('passed')
  expect((await read()).eval).toMatchObject({ before: { passed: 3 }, after: { passed: 3 } })
  expect(await count('eval_runs where eval_id = $1', [made.id])).toBe(2)
  expect(
    await count('eval_results where eval_run_id in (select id from eval_runs where eval_id = $1)', [made.id]),
  ).toBe(6)
  expect((await brain.call('POST', `/changes/${id}/decide`, { decision: 'approved' })).status).toBe(200)
}, 300_000)
