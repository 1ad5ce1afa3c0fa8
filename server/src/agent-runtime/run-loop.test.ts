import { expect, test } from 'vitest'
import { openReader } from '../features/agents/run-feeds/reader.fixture.ts'
import { passWait, readRequest, useRuns } from './use-runs.fixture.ts'

const runs = useRuns()

const write = (id: string, name: string) => ({
  id,
  name: 'knowledge_write',
  input: { operations: [{ op: 'record.create', kind: 'note', fields: { name } }] },
})

const readWrite = { brains: [{ handle: 'brain', access: 'read_write' }] }
const asking = { ...readWrite, tools: ['ask_human'] }

/** The questions in the stream of an ended run. */
const listReported = async (runId: string) => {
  const reader = await openReader(runs.app.base, runId, { key: runs.scene.member.key })
  return (await reader.all()).flatMap(({ part }) =>
    part !== '[DONE]' && part.type === 'data-task' ? [[part.data.taskId, part.data.state]] : [],
  )
}

test('RUN-04 a provider that gives all its calls one id gets each result once: our own operations are the keys', async () => {
  runs.scripted.models.says((request) => {
    const { step, results } = readRequest(request)
    if (step < 3) return { toolCalls: [write('call_0', `repeated ${step}`)] }
    return {
      text: [
        `${results.length} results, ${new Set(request.body.messages.map((m: { tool_call_id?: string }) => m.tool_call_id)).size - 1} ids`,
      ],
    }
  })
  const run = await runs.ended(await runs.start((await runs.createAgent(readWrite)).id))
  expect(run).toMatchObject({ state: 'completed', usage: { inputTokens: 40, outputTokens: 20 } })
  const operations = await runs.listOperations(run.runId)
  const calls = operations.filter(({ type }) => type === 'tool_call')
  expect(calls.map(({ call_id, status }) => [call_id, status])).toEqual(Array(3).fill(['call_0', 'succeeded']))
  expect(new Set(calls.map(({ change }) => change)).size).toBe(3)
  expect((await runs.listMessages(run.runId)).at(-1)?.text).toBe('3 results, 3 ids')
})

test('RUN-04 calls of one step run in parallel, and their results are reported in the order of the calls', async () => {
  runs.scripted.models.says((request) => {
    const { step, results } = readRequest(request)
    if (step === 0)
      return { toolCalls: [write('a', 'first'), { id: 'b', name: 'no_such_tool', input: {} }, write('c', 'third')] }
    return { text: [results.map((result) => (result.includes('no_such_tool') ? 'unknown' : 'done')).join()] }
  })
  const run = await runs.ended(await runs.start((await runs.createAgent(readWrite)).id))
  expect((await runs.listMessages(run.runId)).at(-1)?.text).toBe('done,unknown,done')
  const { rows } = await runs.app.database.pool.query(
    `select number, part from run_parts where run_id = $1 order by number`,
    [run.runId],
  )
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1))
  expect(rows.map(({ part }) => JSON.parse(part).type)).toEqual([
    ...['start', 'start-step'],
    ...Array(3).fill('tool-input-available'),
    ...['tool-output-error', 'tool-output-available', 'tool-output-available'],
    ...['finish-step', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish'],
  ])
})

test('D-74 three calls of which one asks a person for a day: after a new version and on another node, the run goes on once, under its own version', async () => {
  runs.scripted.models.says((request) => {
    const { step, results } = readRequest(request)
    if (step > 0)
      return { text: [`${request.body.model}: ${results.map((one) => /answer|landed/.exec(one)?.[0]).join()}`] }
    const question = { id: 'q', name: 'ask_human', input: { question: 'Which?', options: ['this', 'that'] } }
    return { toolCalls: [write('a', 'before'), question, write('c', 'after')] }
  })
  const agent = await runs.createAgent(asking)
  const runId = await runs.start(agent.id)
  await runs.reach(runId, 'waiting')
  const [row] = await runs.query('select due_at, lease from runs where id = $1', [runId])
  expect(row).toEqual({ due_at: null, lease: null })
  const task = await runs.readTask(runId)
  expect(task).toMatchObject({ state: 'open', question: 'Which?', options: ['this', 'that'], expiresAt: null })
  await runs.call('PATCH', `/v1/agents/${agent.id}`, { model: 'scripted/two' })
  runs.app.clock.advance({ days: 1 })
  const node = await runs.app.startNode()
  const answered = await node.request('POST', `/v1/tasks/${task.taskId}/complete`, {
    key: runs.scene.member.key,
    body: { answer: 'that' },
  })
  expect(answered.body.data.task).toMatchObject({
    ...{ state: 'completed', answer: 'that' },
    answeredBy: { type: 'key', id: runs.scene.member.keyId },
  })
  const run = await runs.ended(runId)
  expect(run).toMatchObject({ state: 'completed', agentVersion: 1 })
  expect((await runs.listMessages(runId)).at(-1)?.text).toBe('one: landed,answer,landed')
  const operations = await runs.listOperations(runId)
  expect(operations.map(({ type, attempt }) => [type, attempt])).toEqual([
    ['llm_call', 1],
    ...Array(3).fill(['tool_call', 1]),
    ['llm_call', 1],
  ])
  const again = await runs.call('POST', `/v1/tasks/${task.taskId}/complete`, { answer: 'this' })
  expect([again.status, again.body.error.code]).toEqual([409, 'task_not_open'])
  await node.close()
})

test('D-74 a question whose time is over expires, and the run goes on with that knowledge', async () => {
  runs.scripted.models.says((request) => {
    const { step, results } = readRequest(request)
    if (step > 0) return { text: [results.join()] }
    return { toolCalls: [{ id: 'q', name: 'ask_human', input: { question: 'Well?', expiresInSeconds: 60 } }] }
  })
  const runId = await runs.start((await runs.createAgent(asking)).id)
  await runs.reach(runId, 'waiting')
  const task = await runs.readTask(runId)
  runs.app.clock.advance({ seconds: 61 })
  expect((await runs.ended(runId)).state).toBe('completed')
  expect((await runs.call('GET', `/v1/tasks/${task.taskId}`)).body.data.task.state).toBe('expired')
  expect((await runs.listMessages(runId)).at(-1)?.text).toContain('"expired":true')
})

test('D-74 D-73 a run that is cancelled while it waits expires its question and says so to who reads it live, and a late answer changes nothing', async () => {
  runs.scripted.models.says([{ toolCalls: [{ id: 'q', name: 'ask_human', input: { question: 'Well?' } }] }])
  const runId = await runs.start((await runs.createAgent(asking)).id)
  await runs.reach(runId, 'waiting')
  const task = await runs.readTask(runId)
  await runs.call('POST', `/v1/runs/${runId}/cancel`, { reason: 'No.' })
  expect((await runs.call('GET', `/v1/tasks/${task.taskId}`)).body.data.task.state).toBe('expired')
  expect((await runs.call('POST', `/v1/tasks/${task.taskId}/complete`, { answer: 'x' })).status).toBe(409)
  expect((await runs.listOperations(runId)).at(-1)).toMatchObject({ name: 'ask_human', status: 'abandoned' })
  expect(await listReported(runId)).toEqual([
    [task.taskId, 'open'],
    [task.taskId, 'expired'],
  ])
})

test('D-74 D-73 a run whose time is over as it asks expires its question and says so to who reads it live', async () => {
  runs.scripted.models.says(() => {
    // More than the working time, and less than the lease.
    runs.app.clock.advance({ seconds: 6 })
    return { toolCalls: [{ id: 'q', name: 'ask_human', input: { question: 'Well?' } }] }
  })
  const runId = await runs.start((await runs.createAgent({ ...asking, limits: { timeoutSeconds: 5 } })).id)
  expect(await runs.ended(runId)).toMatchObject({ state: 'failed', failureCategory: 'timeout' })
  const task = await runs.readTask(runId)
  expect(task.state).toBe('expired')
  expect((await runs.call('POST', `/v1/tasks/${task.taskId}/complete`, { answer: 'x' })).status).toBe(409)
  expect((await runs.listOperations(runId)).at(-1)).toMatchObject({ name: 'ask_human', status: 'abandoned' })
  expect(await listReported(runId)).toEqual([
    [task.taskId, 'open'],
    [task.taskId, 'expired'],
  ])
})

test('RUN-04 cancelling a run on one node ends the call of its model on another within a second', async () => {
  runs.scripted.models.says([{ text: ['It begins'], ending: 'hang' }])
  const node = await runs.app.startNode({ NOEMA_ROLES: 'http' })
  const before = runs.scripted.models.requests.length
  const runId = await runs.start((await runs.createAgent()).id)
  await runs.scripted.models.received(before + 1)
  const began = performance.now()
  const cancelled = await node.request('POST', `/v1/runs/${runId}/cancel`, { key: runs.scene.member.key, body: {} })
  await runs.scripted.models.cutOff(before)
  expect(performance.now() - began).toBeLessThan(1_000)
  expect(cancelled.body.data.run.state).toBe('abandoned')
  expect(await runs.listOperations(runId)).toMatchObject([{ type: 'llm_call', status: 'abandoned' }])
  await node.close()
})

test('RUN-04 a model that refuses for the moment is asked again, three times in all; what it used before is counted once', async () => {
  runs.scripted.models.says([
    { status: 429, headers: { 'retry-after': '1' } },
    { text: ['Hal'], ending: 'cut' },
    { text: ['Hello.'] },
  ])
  const { id: agentId } = await runs.createAgent()
  const runId = await runs.start(agentId)
  for (const _refusal of ['429', 'cut']) await passWait(runs.app, runId)
  const run = await runs.ended(runId)
  expect(run.state).toBe('completed')
  expect(run.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 })
  expect(await runs.listOperations(runId)).toMatchObject([{ type: 'llm_call', status: 'succeeded', attempt: 3 }])
  expect((await runs.listMessages(runId)).map(({ text }) => text)).toEqual(['Go.', 'Hello.'])
  runs.scripted.models.says([{ status: 400, body: { error: { message: 'No such thing.' } } }])
  const failed = await runs.ended(await runs.start(agentId))
  expect(failed).toMatchObject({ state: 'failed', failureCategory: 'model' })
  expect(failed.failureReason).toContain('No such thing.')
})

test('D-71 steps, costs and time are limits: a run that reaches one fails and says so', async () => {
  runs.scripted.models.says(() => ({ toolCalls: [write('a', 'more')] }))
  const steps = await runs.createAgent({ ...readWrite, limits: { maxSteps: 2 } })
  const tired = await runs.ended(await runs.start(steps.id))
  expect(tired).toMatchObject({ state: 'failed', failureCategory: 'limit' })
  expect((await runs.listOperations(tired.runId)).filter(({ type }) => type === 'llm_call')).toHaveLength(2)
  runs.scripted.models.says([{ text: ['It begins'], ending: 'hang' }])
  const late = await runs.createAgent({ limits: { timeoutSeconds: 1 } })
  expect(await runs.ended(await runs.start(late.id))).toMatchObject({ state: 'failed', failureCategory: 'timeout' })
})

test('D-71 an output that does not fit its schema is asked for once more, then the run fails', async () => {
  const outputSchema = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  }
  const agent = await runs.createAgent({ outputSchema })
  runs.scripted.models.says([{ text: ['{"n":"one"}'] }, { text: ['```json\n{"n":1}\n```'] }])
  expect(await runs.ended(await runs.start(agent.id))).toMatchObject({ state: 'completed', output: { n: 1 } })
  runs.scripted.models.says([{ text: ['{"n":"one"}'] }, { text: ['No.'] }, { text: ['{"n":1}'] }])
  const failed = await runs.ended(await runs.start(agent.id))
  expect(failed).toMatchObject({ state: 'failed', failureCategory: 'validation' })
  expect(failed.output).toBeUndefined()
})

test('D-71 archiving an agent ends its runs', async () => {
  runs.scripted.models.says([{ toolCalls: [{ id: 'q', name: 'ask_human', input: { question: 'Well?' } }] }])
  const agent = await runs.createAgent(asking)
  const runId = await runs.start(agent.id)
  await runs.reach(runId, 'waiting')
  await runs.call('DELETE', `/v1/agents/${agent.id}`)
  expect(await runs.read(runId)).toMatchObject({ state: 'abandoned', abandonReason: 'The agent was archived.' })
})
