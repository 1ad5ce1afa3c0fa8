import { beforeAll, expect, test } from 'vitest'
import { runPass } from '../../../test/run-pass.ts'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { createEvalWork } from './run-evals.ts'
import { useEvals } from './use-evals.fixture.ts'

const agents = useAgents({ NOEMA_ROLES: 'http', NOEMA_EMBEDDINGS: 'off' })
const { app, call, scene } = agents
const { create, start, read, results } = useEvals(agents)

const pass = () => runPass(app.app.deps, createEvalWork(app.app.deps))
const tasks = async (state = 'open') => (await call('GET', `/v1/tasks?state=${state}&limit=100`)).body.data.tasks
const answer = (taskId: string, text: string) => call('POST', `/v1/tasks/${taskId}/complete`, { answer: text })

beforeAll(async () => {
  await scene.brain.call('POST', '/documents', { id: 'tide', text: 'The harbor has a high tide at noon.' })
})

const graded = (count: number) => ({
  target: { brain: 'brain', read: 'search', mode: 'lexical' },
  cases: Array.from({ length: count }, (_, index) => ({
    id: `c${index + 10}`,
    input: 'harbor tide',
    expected: 'noon',
  })),
  graders: [{ type: 'contains' }, { type: 'person', question: 'Does it name the hour?', expiresAfterHours: 24 }],
})

test('GAT-08 people grade cases by tasks, which the run waits for, and a case that no one grades in time fails', async () => {
  const made = await create(graded(3))
  const id = await start(made.id)
  await pass()
  await pass()
  const open = await tasks()
  expect(open).toHaveLength(3)
  expect(open[0]).toMatchObject({
    runId: null,
    agentId: null,
    evalId: made.id,
    evalRunId: id,
    options: ['pass', 'fail'],
  })
  expect(open[0].question).toMatch(/^Does it name the hour\?\n\nCase c10: harbor tide\n\nAnswer:\n.*noon/s)
  const waiting = (await app.request('GET', '/v1/notifications', { headers: scene.member.session })).body.data
    .notifications
  expect(JSON.stringify(waiting)).toContain('tasks of the eval')
  expect(await read(id)).toMatchObject({ state: 'running', done: 0, waiting: expect.stringContaining('task') })
  const wrong = await answer(open[0].taskId, 'Perhaps.')
  expect([wrong.status, wrong.body.error.message]).toEqual([400, expect.stringContaining('pass or fail')])
  const [first, second] = await Promise.all([answer(open[0].taskId, 'Pass'), answer(open[0].taskId, 'fail')])
  expect([first.status, second.status].toSorted()).toEqual([200, 409])
  const said = first.status === 200
  expect((await answer(open[1].taskId, 'fail: it does not say which day.')).status).toBe(200)
  // An answer wakes the run at once; the third task expires.
  await pass()
  expect(await read(id)).toMatchObject({ done: 2, passed: said ? 1 : 0 })
  app.clock.advance({ seconds: 25 * 3_600 })
  await pass()
  await pass()
  expect(await read(id)).toMatchObject({ state: 'completed', done: 3, summary: { passed: said ? 1 : 0 } })
  const graders = (await results(id)).map(({ grades }: { grades: object[] }) => grades[1])
  expect(graders.slice(1)).toEqual([
    { grader: 'person', passed: false, score: 0, reason: 'it does not say which day.' },
    { grader: 'person', passed: false, score: 0, reason: 'No one graded this in time.' },
  ])
  expect((await tasks('expired'))[0]).toMatchObject({ taskId: open[2].taskId })
})

test('GAT-09 few tasks are open at once, a repeat asks nothing twice, and a run that is canceled ends its tasks', async () => {
  const made = await create(graded(30))
  const id = await start(made.id)
  for (let turns = 0; turns < 5; turns++) {
    await pass()
    app.clock.advance({ seconds: 61 })
  }
  const open = await tasks()
  expect(open).toHaveLength(20)
  // A node that died before it stored the results asks again, and finds its tasks.
  await app.database.pool.query('delete from eval_results where eval_run_id = $1', [id])
  await app.database.pool.query(`update eval_runs set next_case = '' where id = $1`, [id])
  for (let turns = 0; turns < 5; turns++) {
    await pass()
    app.clock.advance({ seconds: 61 })
  }
  expect((await tasks()).map(({ taskId }: { taskId: string }) => taskId)).toEqual(
    open.map(({ taskId }: { taskId: string }) => taskId),
  )
  await call('POST', `/v1/eval-runs/${id}/cancel`)
  expect(await tasks()).toEqual([])
  expect((await answer(open[0].taskId, 'pass')).body.error.code).toBe('task_not_open')
})

test('GAT-09 few tasks are open at once also if several people grade each case', async () => {
  const given = graded(30)
  const second = { type: 'person', name: 'tone', question: 'Is the tone right?' }
  const made = await create({ ...given, graders: [...given.graders, second] })
  const id = await start(made.id)
  for (let turns = 0; turns < 5; turns++) {
    await pass()
    app.clock.advance({ seconds: 61 })
  }
  const open = await tasks()
  expect(open).toHaveLength(20)
  expect((await read(id)).waiting).toContain('task')
  for (const { taskId } of open) expect((await answer(taskId, 'pass')).status).toBe(200)
  await pass()
  expect(await read(id)).toMatchObject({ done: 10, passed: 10 })
  await call('POST', `/v1/eval-runs/${id}/cancel`)
})
