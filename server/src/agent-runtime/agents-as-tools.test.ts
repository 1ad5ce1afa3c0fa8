import { expect, test } from 'vitest'
import { readRequest, useRuns } from './use-runs.fixture.ts'

const runs = useRuns()

/** An agent that asks others: it calls them in its first step, and then repeats their answers. */
const createAsking = (name: string, others: readonly { id: string }[], more: object = {}) =>
  runs.createAgent({ name, model: `scripted/${name}`, tools: others.map(({ id }) => ({ agent: id })), ...more })

/** Models by their names: those that ask others, and those that answer. */
const say = (asking: Record<string, readonly string[]>, answers: Record<string, string> = {}) =>
  runs.scripted.models.says((request) => {
    const { step, results } = readRequest(request)
    const { model } = request.body
    if (answers[model] !== undefined) return { text: [answers[model]] }
    if (step > 0) return { text: [`${model} heard: ${results.join(' and ')}`] }
    const toolCalls = (asking[model] ?? []).map((name) => ({ id: 'call', name, input: { input: `From ${model}` } }))
    return toolCalls.length > 0 ? { toolCalls } : { text: [`I am ${model}.`] }
  })

const listChildren = async (runId: string) =>
  runs.query('select id, state, depth, started_by, input from runs where parent_run_id = $1 order by id', [runId])

test('D-71 an agent asks others and waits for their answers as a row; what they used is added up', async () => {
  const [one, two] = [await createAsking('one', []), await createAsking('two', [])]
  const chief = await createAsking('chief', [one, two])
  say({ chief: ['ask_one', 'ask_two'] })
  const run = await runs.ended(await runs.start(chief.id))
  expect(run).toMatchObject({ state: 'completed', usage: { inputTokens: 40, outputTokens: 20 } })
  expect((await runs.listMessages(run.runId)).at(-1)?.text).toBe(
    'chief heard: {"text":"I am one."} and {"text":"I am two."}',
  )
  const children = await listChildren(run.runId)
  expect(children).toMatchObject([
    { state: 'completed', depth: 1, input: 'From chief', started_by: { type: 'run', id: run.runId, runId: run.runId } },
    { state: 'completed', depth: 1 },
  ])
  expect((await runs.read(String(children[0]?.id))).parentRunId).toBe(run.runId)
})

test('D-71 runs that start others are at most three deep: a deeper one fails by the limit, and its parent learns of it', async () => {
  const five = await createAsking('five', [])
  const four = await createAsking('four', [five])
  const three = await createAsking('three', [four])
  const second = await createAsking('second', [three])
  const first = await createAsking('first', [second])
  say({ first: ['ask_second'], second: ['ask_three'], three: ['ask_four'], four: ['ask_five'] })
  const run = await runs.ended(await runs.start(first.id))
  expect(run.state).toBe('completed')
  const { rows } = await runs.app.database.pool.query(
    'select depth, state, failure_category from runs where agent_id = any($1) order by depth',
    [[first.id, second.id, three.id, four.id, five.id]],
  )
  expect(rows.map(({ depth, state, failure_category }) => [depth, state, failure_category])).toEqual([
    [0, 'completed', null],
    [1, 'completed', null],
    [2, 'completed', null],
    [3, 'failed', 'limit'],
  ])
})

test('D-71 the run of another agent fails: its parent learns why, and goes on', async () => {
  const other = await createAsking('failing', [], { limits: { maxSteps: 1 }, tools: ['ask_human'] })
  const chief = await createAsking('patient', [other])
  runs.scripted.models.says((request) => {
    const { step, results } = readRequest(request)
    if (request.body.model === 'failing') return { toolCalls: [{ id: 'x', name: 'no_such_tool', input: {} }] }
    if (step > 0) return { text: [results.join()] }
    return { toolCalls: [{ id: 'call', name: 'ask_failing', input: { input: 'Try.' } }] }
  })
  const run = await runs.ended(await runs.start(chief.id))
  expect((await runs.listMessages(run.runId)).at(-1)?.text).toContain('1 steps')
})

test('RUN-04 cancelling a run abandons those that it started, at whatever depth, and a grandchild asks no one any more', async () => {
  const last = await createAsking('last', [], { tools: ['ask_human'] })
  const middle = await createAsking('middle', [last])
  const top = await createAsking('top', [middle])
  runs.scripted.models.says((request) => {
    const { model } = request.body
    const next = { top: 'ask_middle', middle: 'ask_last' }[model as string]
    if (next !== undefined) return { toolCalls: [{ id: 'call', name: next, input: { input: 'Go on.' } }] }
    return { toolCalls: [{ id: 'call', name: 'ask_human', input: { question: 'Well?' } }] }
  })
  const runId = await runs.start(top.id)
  const states = async () =>
    (
      await runs.query('select state from runs where agent_id = any($1) order by depth', [[top.id, middle.id, last.id]])
    ).map(({ state }) => state)
  await expect.poll(states).toEqual(['waiting', 'waiting', 'waiting'])
  const leased = await runs.query('select id from runs where lease is not null')
  expect(leased).toEqual([])
  await runs.call('POST', `/v1/runs/${runId}/cancel`, {})
  expect(await states()).toEqual(['abandoned', 'abandoned', 'abandoned'])
  const [task] = await runs.query(`select state from run_tasks where agent_id = $1`, [last.id])
  expect(task?.state).toBe('expired')
})

test('D-71 an agent that is archived meanwhile fails the run that would ask it, as a tool that is gone', async () => {
  const other = await createAsking('gone', [])
  const chief = await createAsking('asking', [other])
  await runs.call('DELETE', `/v1/agents/${other.id}`)
  const run = await runs.ended(await runs.start(chief.id))
  expect(run).toMatchObject({ state: 'failed', failureCategory: 'tool' })
})

test('D-71 D-77 the run of another agent has the lineage and goes no further than the run that starts it', async () => {
  const { brain } = runs.scene
  const grant = [{ handle: brain.brain.handle, access: 'read_write' }]
  const writer = await createAsking('writer', [], { brains: grant })
  const asking = await createAsking('asking', [writer], { brains: grant })
  const write = { operations: [{ op: 'record.create', kind: 'written', fields: { name: 'by the child' } }] }
  runs.scripted.models.says((request) => {
    const { step, results } = readRequest(request)
    if (step > 0) return { text: results.length > 0 ? results : ['Nothing.'] }
    if (request.body.model === 'asking')
      return { toolCalls: [{ id: 'call', name: 'ask_writer', input: { input: 'Write.' } }] }
    return { toolCalls: [{ id: 'call', name: 'knowledge_write', input: write }] }
  })
  const { body } = await runs.call('POST', '/v1/automations/triggers', {
    ...{ knowledgeGraphId: brain.brain.id, agentId: asking.id, name: 'Watch', expectedOutcome: 'A look.' },
    ...{ requiredAccess: 'read_only', enabled: true, kindScopes: [{ entityKind: 'watched' }] },
  })
  await brain.call('POST', '/records', { kind: 'watched' })
  const listRuns = (agentId: string) =>
    runs.query('select id, state, lineage, max_access, depth from runs where agent_id = $1', [agentId])
  await expect.poll(async () => (await listRuns(asking.id)).map(({ state }) => state)).toEqual(['completed'])
  const [child] = await listRuns(writer.id)
  expect(child).toMatchObject({ lineage: [body.data.trigger.id], max_access: 'read_only', depth: 1 })
  const reach = await runs.query('select access from run_brains where run_id = $1', [child?.id])
  expect(reach).toEqual([{ access: 'read_only' }])
  expect((await brain.call('GET', '/records?kind=written')).body.data.records).toEqual([])
})
