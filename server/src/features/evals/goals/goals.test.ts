import { expect, test } from 'vitest'
import { useRuns } from '../../../agent-runtime/use-runs.fixture.ts'
import { createMember } from '../../../test/app.ts'
import type { ModelRequest } from '../../../test/models/scripted-models.ts'
import { useGoals } from './use-goals.fixture.ts'

// Goals whose agents say what a script says.

const runs = useRuns({ NOEMA_EMBEDDINGS: 'off', NOEMA_MAX_GOALS: '6' })
const { app, call, createAgent, scripted, query } = runs
const { create, read, act, attempts, pass } = useGoals(app, runs)

const readInput = ({ body }: ModelRequest): string => {
  const content = body.messages.findLast(({ role }: { role: string }) => role === 'user')?.content
  return typeof content === 'string' ? content : content.map(({ text }: { text: string }) => text).join('')
}

/** Works on a goal until it does not go on by itself; each attempt ends before the clock moves. */
const pursue = async (id: string) => {
  for (;;) {
    await pass()
    const goal = await read(id)
    if (goal.state !== 'active') return goal
    if (goal.runId) await runs.ended(goal.runId)
    for (const { state, runId } of await judging(id)) if (state === 'judging') await runs.ended(runId)
  }
}

const judging = async (id: string) =>
  (await query(
    `select state, judge.value as "runId" from goal_attempts cross join json_each_text(pending) as judge
    where goal_id = $1 and state = 'judging'`,
    [id],
  )) as { state: string; runId: string }[]

const criteria = [
  { type: 'contains', values: ['42'] },
  { type: 'not_contains', name: 'sure', values: ['perhaps'] },
]

test('GOL-01 GOL-02 attempts are runs of one conversation until graders say that the goal is met, and each learns what failed', async () => {
  const inputs: string[] = []
  scripted.models.says((request) => {
    inputs.push(readInput(request))
    return { text: [['I do not know, perhaps.', 'Perhaps 42.', 'It is 42. The goal is met.'][inputs.length - 1] ?? ''] }
  })
  const agent = await createAgent()
  const webhook = { url: 'http://127.0.0.1:9/', events: ['goal.met', 'goal.blocked'] }
  const { id: webhookId } = (await call('POST', '/v1/webhooks', webhook)).body.data.webhook
  const made = await create({ agentId: agent.id, criteria, budget: { runs: 5, until: '2100-01-01T00:00:00Z' } })
  expect(made).toMatchObject({
    ...{ agentId: agent.id, state: 'active', attempts: 0, bestScore: 0, costCents: 0 },
    ...{ criteria, budget: { runs: 5, until: '2100-01-01T00:00:00.000Z' }, completedAt: null },
  })
  const goal = await pursue(made.id)
  expect(goal).toMatchObject({ state: 'met', attempts: 3, bestScore: 1, completedAt: expect.any(String) })
  const tried = await attempts(made.id)
  expect(tried.map(({ number, passed, score }: Record<string, unknown>) => [number, passed, score])).toEqual([
    [1, false, 0],
    [2, false, 0.5],
    [3, true, 1],
  ])
  expect(inputs[0]).toBe('Say 42.')
  expect(inputs[1]).toContain('- contains: The answer does not have "42".')
  expect(inputs[1]).toContain('- sure: The answer has "perhaps".')
  expect(inputs[2]).not.toContain('- contains')
  const list = (await call('GET', `/v1/runs?conversationId=${goal.conversationId}`)).body.data.runs
  expect(list.map(({ runId }: { runId: string }) => runId)).toEqual(tried.map(({ runId }: { runId: string }) => runId))
  expect(list[2].metadata).toEqual({ goalId: made.id, attempt: 3 })
  const listed = async (filter: string) => (await call('GET', `/v1/goals?${filter}`)).body.data.goals
  expect(await listed(`state=met&agentId=${agent.id}`)).toEqual([goal])
  expect(await listed(`state=active&agentId=${agent.id}`)).toEqual([])
  const delivered = () => query('select event, body from organization_deliveries where webhook_id = $1', [webhookId])
  await expect.poll(delivered).toHaveLength(1)
  const [delivery] = await delivered()
  expect(JSON.parse(String(delivery?.body)).data).toEqual({
    ...{ goalId: made.id, agentId: agent.id, runId: goal.runId, state: 'met' },
  })
  const refused = await call('PATCH', `/v1/goals/${made.id}`, { budget: { runs: 9 } })
  expect(refused.body.error.code).toBe('goal_ended')
  await call('DELETE', `/v1/webhooks/${webhookId}`)
})

test('GOL-03 GOL-04 a goal that cannot be met asks a person after three attempts without progress, and ends with its budget', async () => {
  const inputs: string[] = []
  scripted.models.says((request) => {
    inputs.push(readInput(request))
    return { text: ['The goal is met: all graders pass.'] }
  })
  const agent = await createAgent()
  const made = await create({ agentId: agent.id, criteria: [{ type: 'equals', value: 'Never.' }], budget: { runs: 4 } })
  const blocked = await pursue(made.id)
  expect(blocked).toMatchObject({ state: 'blocked', attempts: 3, taskId: expect.stringMatching(/^tsk_/) })
  const { task } = (await call('GET', `/v1/tasks/${blocked.taskId}`)).body.data
  expect(task).toMatchObject({ state: 'open', runId: blocked.runId, goalId: made.id, agentId: agent.id })
  expect(task.question).toContain('The answer is not "Never."')
  await pass()
  expect((await read(made.id)).attempts).toBe(3)
  const answer = () => call('POST', `/v1/tasks/${blocked.taskId}/complete`, { answer: 'Try the word Never.' })
  expect((await answer()).status).toBe(200)
  expect((await answer()).status).toBe(409)
  expect(await read(made.id)).not.toHaveProperty('taskId')
  expect(await pursue(made.id)).toMatchObject({ state: 'exhausted', attempts: 4, completedAt: expect.any(String) })
  expect(inputs[3]).toContain('A person says:\nTry the word Never.')
  expect((await call('POST', `/v1/goals/${made.id}/resume`)).body.error.code).toBe('goal_ended')
  const patch = async (budget: object) => (await call('PATCH', `/v1/goals/${made.id}`, { budget })).body.data.goal
  expect(await patch({ costCents: 50 })).toMatchObject({ state: 'exhausted', budget: { runs: 4, costCents: 50 } })
  expect(await patch({ runs: 9, costCents: null })).toMatchObject({ state: 'active', budget: { runs: 9 } })
  // The answer began to count attempts without progress again.
  const again = await pursue(made.id)
  expect(again).toMatchObject({ state: 'blocked', attempts: 6 })
  expect(await act(made.id, 'abandon')).toMatchObject({ state: 'abandoned', completedAt: expect.any(String) })
  expect((await call('GET', `/v1/tasks/${again.taskId}`)).body.data.task.state).toBe('expired')
  const kinds = (await call('GET', `/v1/audit?target=${made.id}`)).body.data.entries
  expect(kinds.map(({ action }: { action: string }) => action).toSorted()).toEqual([
    ...['goal.abandoned', 'goal.changed', 'goal.changed', 'goal.created'],
  ])
})

test('GOL-05 a goal waits while its run asks a person, is paused and resumed, and cancels its run when it is abandoned', async () => {
  const ask = { id: 'call_1', name: 'ask_human', input: { question: 'Which?' } }
  scripted.models.says((request) => {
    const isAnswered = request.body.messages.some(({ role }: { role: string }) => role === 'tool')
    return isAnswered ? { text: ['42'] } : { toolCalls: [ask] }
  })
  const agent = await createAgent({ tools: ['ask_human'] })
  const [first, second] = [await create({ agentId: agent.id, criteria }), await create({ agentId: agent.id, criteria })]
  await pass()
  for (const { id } of [first, second]) await expect.poll(async () => (await read(id)).state).toBe('waiting')
  expect((await call('GET', `/v1/goals?state=waiting&agentId=${agent.id}`)).body.data.goals).toHaveLength(2)
  expect(await act(first.id, 'pause')).toMatchObject({ state: 'paused' })
  const { runId } = await read(first.id)
  const task = await runs.readTask(runId)
  await call('POST', `/v1/tasks/${task.taskId}/complete`, { answer: 'This.' })
  await runs.ended(runId)
  await pass()
  expect(await read(first.id)).toMatchObject({ state: 'paused', bestScore: 0 })
  await act(first.id, 'resume', { advice: 'Go on.' })
  expect(await pursue(first.id)).toMatchObject({ state: 'met', attempts: 1 })
  const open = (await read(second.id)).runId
  await act(second.id, 'abandon')
  expect(await runs.read(open)).toMatchObject({ state: 'abandoned', abandonReason: 'The goal was abandoned.' })
  expect(await act(second.id, 'abandon')).toMatchObject({ state: 'abandoned' })
})

test('GOL-02 a rubric is judged by another run, and what the judge says is what failed', async () => {
  const inputs: string[] = []
  scripted.models.says((request) => {
    const input = readInput(request)
    const code = /"verdict":"([0-9a-f]+)"/.exec(input)?.[1]
    if (code === undefined) return { text: [inputs.push(input) === 1 ? 'Long and wrong.' : 'Right.'] }
    const pass = input.includes('> Right.')
    return { text: [JSON.stringify({ verdict: code, criteria: [{ id: 'right', pass, reason: 'Not right yet.' }] })] }
  })
  await call('PUT', '/v1/rubrics/right', { criteria: [{ id: 'right', text: 'It is right.', required: true }] })
  const [agent, judge] = [await createAgent(), await createAgent({ name: 'Judge' })]
  const made = await create({ agentId: agent.id, criteria: [{ type: 'rubric', rubric: 'right', judge: judge.id }] })
  expect(await pursue(made.id)).toMatchObject({ state: 'met', attempts: 2 })
  expect(inputs[1]).toContain('right: Not right yet.')
})

test('GOL-06 criteria that would grade nothing, and what another organization has, are refused', async () => {
  const agent = await createAgent()
  const given = { agentId: agent.id, objective: 'Say 42.' }
  const send = (body: object) => call('POST', '/v1/goals', { ...given, ...body })
  for (const criterion of [
    { type: 'equals' },
    { type: 'found' },
    { type: 'evidence', is: 'weak' },
    { type: 'operations' },
  ])
    expect((await send({ criteria: [criterion] })).body.error.details[0].path).toMatch(/^body\.criteria\.0/)
  expect((await send({ criteria: [{ type: 'regex', pattern: '(' }] })).status).toBe(400)
  expect((await send({ criteria: [] })).status).toBe(400)
  const stranger = await createMember(app)
  const foreign = { agentId: agent.id, objective: 'x', criteria }
  expect((await app.request('POST', '/v1/goals', { key: stranger.key, body: foreign })).status).toBe(404)
  const made = await create({ agentId: agent.id, criteria })
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/abandon'],
    ['GET', '/attempts'],
  ] as const)
    expect((await app.request(method, `/v1/goals/${made.id}${path}`, { key: stranger.key })).status).toBe(404)
  await act(made.id, 'abandon')
  const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await send({ criteria })).status))
  expect(statuses.toSorted()).toEqual([201, 201, 201, 201, 201, 201, 409, 409])
})
