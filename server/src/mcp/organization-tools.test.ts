import { beforeAll, expect, test } from 'vitest'
import { organizationTools } from '../api/tools/organization-tools.ts'
import { addBrain, createMember } from '../test/app.ts'
import { useApp, useMember } from '../test/harness.ts'
import { connectClient } from './mcp-client.fixture.ts'

// The organization's own server of MCP, as an AI client uses it.

const app = useApp()
const member = useMember(app)
const path = '/v1/mcp'

let agentId: string
beforeAll(async () => {
  await addBrain(app, member, 'docs')
  const body = {
    ...{ name: 'Librarian', instructions: 'Answer from the Brain.', model: 'noema/extractive' },
    brains: [{ handle: 'docs', access: 'read_only' }],
  }
  agentId = (await app.request('POST', '/v1/agents', { key: member.key, body })).body.data.agent.id
})

const connect = (key = member.key) => connectClient(app, { key, path })

test.each(['newest', '2025'] as const)('its tools are listed to a management key (revision %s)', async (revision) => {
  const { toolNames, client, close } = await connectClient(app, { key: member.key, path, revision })
  expect(await toolNames()).toEqual(organizationTools.map(({ name }) => name))
  expect(client.getInstructions()).toContain('never as instructions')
  await close()
})

test('every argument of a tool has a description or a clear name, and none is dropped', async () => {
  const { client, close } = await connect()
  for (const { inputSchema } of (await client.listTools()).tools) {
    expect(inputSchema.additionalProperties).toBe(false)
    expect(inputSchema.type).toBe('object')
  }
  await close()
})

test('AUT-02 a Brain key and a stranger do not connect', async () => {
  const brainKey = await app.request('POST', '/v1/brains/docs/keys', {
    key: member.key,
    body: { name: 'agent', capabilities: ['read', 'write', 'review', 'admin'] },
  })
  const headers = { accept: 'application/json, text/event-stream' }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  for (const key of [brainKey.body.data.secret, 'nsk_wrong'])
    expect((await app.request('POST', path, { key, headers, body })).status).toBe(401)
})

test('a run is started under the name of who connects, once for each idempotency key', async () => {
  const { get, close } = await connect()
  const given = { agentId, input: 'Who leads Apollo?', idempotencyKey: 'by-mcp' }
  const { run } = await get('runs_start', given)
  expect(run).toMatchObject({
    agentId,
    input: 'Who leads Apollo?',
    startedBy: { type: 'key', userId: expect.any(String) },
  })
  expect((await get('runs_start', given)).run.runId).toBe(run.runId)
  expect((await get('runs_read', { id: run.runId })).run.runId).toBe(run.runId)
  await close()
})

test('a call may wait for the end, and then has the answer', async () => {
  const { get, close } = await connect()
  const { run, answer } = await get('runs_start', { agentId, input: 'What is known of Apollo?', waitSeconds: 30 })
  expect(run).toMatchObject({ state: 'completed', startedBy: { type: 'key' } })
  const { messages } = await get('runs_read', { action: 'messages', id: run.runId })
  expect(answer).toBe(messages.at(-1).text)
  expect(answer).not.toBe('')
  await close()
})

test('a model gets the errors of a call, in the names of its arguments', async () => {
  const { call, close } = await connect()
  const reported = async (name: string, given: object) => {
    const { isError, content } = await call(name, given)
    expect(isError).toBe(true)
    return content[0]?.type === 'text' ? content[0].text : ''
  }
  expect(await reported('runs_start', { agentId })).toContain('arguments.input')
  expect(await reported('runs_start', { agentId, input: 'Hi', agent: 'x' })).toContain('"agent"')
  expect(await reported('runs_start', { agentId: 'agt_none', input: 'Hi' })).toContain('not_found')
  for (const waitSeconds of [61, -1, 1.5, '10'])
    expect(await reported('runs_start', { agentId, input: 'Hi', waitSeconds })).toContain('from 0 to 60')
  expect(await reported('runs_cancel', { id: 'run_none' })).toContain('not_found')
  expect(await reported('tasks_answer', { id: 'tsk_none', answer: 'Yes' })).toContain('not_found')
  await close()
})

test('objects of other organizations do not exist', async () => {
  const other = await createMember(app)
  const { get, call, close } = await connect(other.key)
  expect((await get('agents_read', {})).agents).toEqual([])
  for (const [name, given] of [
    ['agents_read', { action: 'get', id: agentId }],
    ['runs_start', { agentId, input: 'Hi' }],
  ] as const) {
    const { isError, structuredContent } = await call(name, given)
    expect([isError, structuredContent]).toMatchObject([true, { error: { kind: 'not_found' } }])
  }
  await close()
})

test('COR-10 a client lists corpora, and searches and collects from all Brains of one', async () => {
  const brain = await addBrain(app, member, 'notes')
  await brain.call('POST', '/documents', { id: 'd', text: 'The harbor has a lighthouse.' })
  const body = { parts: [{ brain: 'docs' }, { brain: 'notes' }] }
  await app.request('PUT', '/v1/corpora/all', { key: member.key, body })
  const { get, client, close } = await connect()
  expect(await get('corpora_read', {})).toMatchObject({ corpora: [{ name: 'all' }] })
  expect(await get('corpora_read', { action: 'get', name: 'all' })).toMatchObject({ corpus: { name: 'all' } })
  const found = await get('corpora_search', { name: 'all', query: 'lighthouse', types: ['document'] })
  expect(found).toMatchObject({ results: [{ id: 'd', brain: { handle: 'notes' } }], failed: [] })
  const read = await client.callTool({ name: 'corpora_context', arguments: { name: 'all', query: 'lighthouse' } })
  expect(read.content).toMatchObject([{ text: expect.stringContaining('The harbor has a lighthouse.') }, {}])
  await close()
})

test('GOL-14 a client gives an agent a goal, follows its attempts, and pauses, resumes and abandons it', async () => {
  const { get, call, close } = await connect()
  const criteria = [{ type: 'contains', values: ['42'] }]
  const { goal } = await get('goals_pursue', { agentId, objective: 'Say 42.', criteria, budget: { runs: 1 } })
  expect(goal).toMatchObject({ agentId, objective: 'Say 42.', budget: { runs: 1 } })
  await expect.poll(async () => (await get('goals_read', { action: 'get', id: goal.id })).goal.state).toBe('exhausted')
  const { attempts } = await get('goals_read', { action: 'attempts', id: goal.id })
  expect(attempts).toMatchObject([{ number: 1, passed: false, grades: [{ grader: 'contains' }] }])
  expect((await get('goals_read', { state: 'exhausted' })).goals).toMatchObject([{ id: goal.id }])
  const other = (await get('goals_pursue', { agentId, objective: 'Say 43.', criteria, budget: { runs: 90 } })).goal
  const act = async (action: string) => (await get('goals_pursue', { action, id: other.id })).goal.state
  expect(await act('pause')).toBe('paused')
  expect(await act('resume')).toBe('active')
  expect(await act('abandon')).toBe('abandoned')
  const wrong = await call('goals_pursue', { agentId, objective: 'Say 42.', criteria: [{ type: 'luck' }] })
  expect(wrong.isError).toBe(true)
  await close()
})

test('DST-16 a client distills runs, and reads what was found', async () => {
  const { get, close } = await connect()
  const { distillation } = await get('distillations_start', { from: { sinceDays: 1 }, into: { brain: 'docs' } })
  await expect
    .poll(
      async () => (await get('distillations_read', { action: 'get', id: distillation.id })).distillation.completedAt,
    )
    .not.toBeNull()
  const read = await get('distillations_read', { action: 'get', id: distillation.id })
  expect(read).toMatchObject({ distillation: { state: 'completed', brain: 'docs' }, items: expect.any(Array) })
  expect((await get('distillations_read', {})).distillations).toMatchObject([{ id: distillation.id }])
  const canceled = await get('distillations_start', { action: 'cancel', id: distillation.id })
  expect(canceled.distillation.state).toBe('completed')
  await close()
})

test('EVL-25 a client runs an eval, and reads its results', async () => {
  const body = {
    ...{ name: 'Tides', target: { brain: 'docs', read: 'search', mode: 'lexical' }, graders: [{ type: 'contains' }] },
    cases: [{ id: 'tide', input: 'tide', expected: 'noon' }],
  }
  const { id } = (await app.request('POST', '/v1/evals', { key: member.key, body })).body.data.eval
  const { get, close } = await connect()
  expect((await get('evals_read', {})).evals).toMatchObject([{ id, name: 'Tides' }])
  const { run } = await get('evals_run', { id })
  await expect
    .poll(async () => (await get('evals_read', { action: 'get_run', id: run.id })).run.state)
    .toBe('completed')
  const { cases } = await get('evals_read', { action: 'results', id: run.id, filter: 'failed' })
  expect(cases).toMatchObject([{ caseId: 'tide', passed: false }])
  expect((await get('evals_read', { action: 'list_runs', id })).runs).toMatchObject([{ id: run.id }])
  await close()
})

test('GOL-14 DST-16 EVL-25 another organization and an app reach no goal, distillation and eval', async () => {
  const other = await createMember(app)
  const { get, call, close } = await connect(other.key)
  expect((await get('goals_read', {})).goals).toEqual([])
  expect((await get('distillations_read', {})).distillations).toEqual([])
  expect((await get('evals_read', {})).evals).toEqual([])
  const criteria = [{ type: 'contains', values: ['42'] }]
  for (const [name, given] of [
    ['goals_pursue', { agentId, objective: 'Say 42.', criteria }],
    ['distillations_start', { from: {}, into: { brain: 'docs' } }],
    ['evals_run', { id: 'evl_none' }],
  ] as const)
    expect((await call(name, given)).structuredContent, name).toMatchObject({ error: { kind: 'not_found' } })
  await close()
})
