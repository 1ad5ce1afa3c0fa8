import { insertOperation, insertRun } from '../features/agents/run-feeds/run.fixture.ts'
import type { Requester, TestApp, TestBrain } from '../test/app.ts'

type Send = (...request: Parameters<Requester>) => Promise<ReturnType<typeof JSON.parse>>

type Learned = { number: number; agentId: string; create(path: string, body: object): Promise<unknown> }
type Place = Pick<TestBrain, 'key' | 'organizationId' | 'brain'>

/** A distillation, and a derived page that no node follows. */
const addLearned = async (app: TestApp, { organizationId, brain }: Place, { number, agentId, create }: Learned) => {
  const query = (text: string, values: unknown[]) => app.database.pool.query(text, values)
  // Two may be unfinished, and no node works on them.
  await query('update distillations set due_at = null where organization_id = $1', [organizationId])
  await create('/v1/distillations', { from: {}, into: { brain: brain.handle } })
  await query(
    `insert into derived_pages (brain_id, document_id, id, agent_id, question, set_by, updated_at, examined_position,
       paused_reason)
     select brain_id, $2, $2, $3, 'Which?', '{"type":"system","id":"x"}', now(), 0, 'No one looks.' from brains where id = $1`,
    [brain.id, `page-${number}`, agentId],
  )
}

/** An eval with a run, and a way to fill the lists of evals and rubrics. */
const prepareEvals = async (app: TestApp, { key, organizationId }: Place, agentId: string, send: Send) => {
  const cases = (number: number) => [{ id: `case-${number}`, input: 'Look.', expected: 'Found.' }]
  const graders = [{ type: 'contains' }]
  const target = { agentId }
  const { eval: tested } = await send('POST', '/v1/evals', {
    key,
    body: { name: 'versions', target, cases: cases(0), graders },
  })
  const evalRun = (await send('POST', `/v1/evals/${tested.id}/runs`, { key, body: {} })).run.id
  const fillEvals = async (number: number): Promise<void> => {
    const named = { name: `eval ${number}`, target, cases: cases(number), graders }
    await send('POST', '/v1/evals', { key, body: named })
    await send('POST', `/v1/evals/${tested.id}/cases`, { key, body: { cases: cases(number) } })
    await send('POST', `/v1/evals/${tested.id}/runs`, { key, body: {} })
    await app.database.pool.query(
      `insert into eval_results (organization_id, eval_run_id, case_id, trial, state) values ($1, $2, $3, 1, 'done')`,
      [organizationId, evalRun, `case-${number}`],
    )
    const criteria = [{ id: 'one', text: `criterion ${number}` }]
    for (const name of [`rubric-${number}`, 'versions'])
      await send('PUT', `/v1/rubrics/${name}`, { key, body: { criteria } })
  }
  return { tested, evalRun, fillEvals }
}

/** A goal, and a way to fill the lists of goals and attempts. */
const prepareGoals = async (app: TestApp, { key, organizationId }: Place, agentId: string, send: Send) => {
  const body = { agentId, objective: 'Look.', criteria: [{ type: 'contains', values: ['x'] }] }
  const { goal } = await send('POST', '/v1/goals', { key, body })
  await send('POST', `/v1/goals/${goal.id}/pause`, { key })
  const fillGoals = async (number: number): Promise<void> => {
    await send('POST', '/v1/goals', { key, body })
    await app.database.pool.query(
      `insert into goal_attempts (organization_id, goal_id, number, run_id, state, created_at)
       values ($1, $2, $3, 'run_1', 'done', now())`,
      [organizationId, goal.id, number],
    )
  }
  return { goal, fillGoals }
}

/** Something in every list about agents and runs, once more with each call. Answers what the paths of some lists name. */
export const fillAgentLists = async (app: TestApp, place: Place, send: Send) => {
  const { key, organizationId } = place
  const given = { instructions: 'Answer.', model: 'noema/extractive' }
  let made = 0
  const { agent } = await send('POST', '/v1/agents', { key, body: { ...given, name: 'versions' } })
  const { conversation } = await send('POST', '/v1/conversations', { key, body: {} })
  const run = await insertRun(app, organizationId)
  await app.database.pool.query('update runs set conversation_id = $1 where id = $2', [conversation.id, run.id])
  const query = (text: string, values: unknown[]) => app.database.pool.query(text, values)
  const { tested, evalRun, fillEvals } = await prepareEvals(app, place, agent.id, send)
  const { goal, fillGoals } = await prepareGoals(app, place, agent.id, send)
  const add = async (): Promise<void> => {
    const number = ++made
    const create = (path: string, body: object) => send('POST', path, { key, body })
    await create('/v1/projects', { name: `project ${number}` })
    await create('/v1/agents', { ...given, name: `agent ${number}` })
    await send('PATCH', `/v1/agents/${agent.id}`, { key, body: { name: `version ${number}` } })
    await create('/v1/conversations', { title: `conversation ${number}` })
    await create('/v1/connectors', { name: `connector-${number}`, url: 'http://127.0.0.1:9/' })
    await create('/v1/schedules', { agentId: agent.id, cron: '0 0 29 2 *', input: 'Look.' })
    const provider = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/' }
    await send('PUT', `/v1/providers/provider-${number}`, { key, body: provider })
    await fillEvals(number)
    await fillGoals(number)
    await Promise.all([addLearned(app, place, { number, agentId: agent.id, create }), insertRun(app, organizationId)])
    await create(`/v1/runs/${run.id}/share`, {})
    const operation = await insertOperation(app, run, { sequence: number })
    await query(
      `insert into run_messages (organization_id, run_id, id, position, role, parts, text, created_at)
       values ($1, $2, $3, $4, 'user', '[]', $5, now())`,
      [organizationId, run.id, `msg_${number}`, number, `message ${number}`],
    )
    await query(
      `insert into run_tasks (organization_id, run_id, agent_id, operation_id, id, state, question, created_at)
       values ($1, $2, $3, $4, $5, 'open', 'Which?', now())`,
      [organizationId, run.id, agent.id, operation, `tsk_${number}`],
    )
  }
  const paths: Record<string, Record<string, string>> = {
    'agents.versions': { id: agent.id },
    'evals.versions': { id: tested.id },
    'evals.cases': { id: tested.id },
    'evals.runs': { id: tested.id },
    'evalRuns.cases': { id: evalRun },
    'goals.attempts': { id: goal.id },
    'rubrics.versions': { name: 'versions' },
    'runs.messages': { id: run.id },
    'runs.operations': { id: run.id },
    'conversations.messages': { id: conversation.id },
  }
  return { add, paths }
}
