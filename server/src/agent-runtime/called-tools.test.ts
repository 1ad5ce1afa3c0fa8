import type { Operation } from '@noema/contracts/activity.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type McpServer, object, startMcpServer } from '../features/agents/connectors/mcp-server.fixture.ts'
import { forgetRuns } from '../features/agents/run-keeping/run-keeping.ts'
import { readServiceVersion } from '../shared/service-version.ts'
import { addBrain } from '../test/app.ts'
import { readRequest, useRuns } from './use-runs.fixture.ts'

// The activity of tools that runs call: the tool, its schemas, and the messages of its call.

const runs = useRuns()
let server: McpServer
beforeAll(async () => {
  server = await startMcpServer()
  await addBrain(runs.app, runs.scene.member, 'other')
})
afterAll(() => server.close())

type ToolCall = Extract<Operation, { type: 'tool_call' }>

const listCalls = async (runId: string): Promise<ToolCall[]> => {
  const { body } = await runs.call('GET', `/v1/runs/${runId}/operations`)
  return body.data.operations.filter(({ type }: Operation) => type === 'tool_call')
}

/** Runs an agent whose model makes these calls in its first step and then ends. */
const runCalls = async (calls: readonly { name: string; input: object }[], agent: object): Promise<ToolCall[]> => {
  runs.scripted.models.says((request) =>
    readRequest(request).step === 0
      ? { toolCalls: calls.map((call, index) => ({ id: `call_${index}`, ...call })) }
      : { text: ['Done.'] },
  )
  const run = await runs.ended(await runs.start((await runs.createAgent(agent)).id))
  expect(run.state).toBe('completed')
  return listCalls(run.runId)
}

const readOnly = { brains: [{ handle: 'brain', access: 'read_only' }] }

test('RUN-05 D-76 a read has the subject that it read: corpus for documents, knowledge_graph for records, chunk for searches', async () => {
  await runs.scene.brain.call('POST', '/documents', { id: 'page', text: 'Ada wrote it.' })
  await runs.scene.brain.call('PUT', '/records/ada', { kind: 'person' })
  const calls = await runCalls(
    [
      { name: 'knowledge_read', input: { action: 'get_document', id: 'page' } },
      { name: 'knowledge_read', input: { action: 'list_documents' } },
      { name: 'knowledge_read', input: { action: 'get_record', id: 'ada' } },
      { name: 'knowledge_search', input: { query: 'Ada' } },
    ],
    readOnly,
  )
  expect(calls.map(({ status, knowledgeReadSubject }) => [status, knowledgeReadSubject])).toEqual(
    ['corpus', 'corpus', 'knowledge_graph', 'chunk'].map((subject) => ['succeeded', subject]),
  )
})

test('RUN-05 a tool call has the own name of its tool, even if the model knows it by another', async () => {
  const both = ['brain', 'other'].map((handle) => ({ handle, access: 'read_only' }))
  const [ofBrain, unknown] = await runCalls(
    [
      { name: 'other__knowledge_search', input: { query: 'Ada' } },
      { name: 'no_such_tool', input: {} },
    ],
    { brains: both },
  )
  expect(ofBrain).toMatchObject({
    ...{ name: 'other__knowledge_search', toolName: 'knowledge_search', toolSourceKind: 'builtin' },
    ...{ toolSourceId: 'noema', toolSourceVersionId: readServiceVersion() },
  })
  expect(ofBrain?.toolInputSchemaSnapshot).toMatchObject({ type: 'object', properties: { query: expect.anything() } })
  expect(unknown).toMatchObject({ name: 'no_such_tool', toolName: 'no_such_tool' })
  expect(unknown).not.toHaveProperty('toolSchemaHash')
})

test('RUN-05 a call of a connector keeps the schemas and the version that its server had, also after they have changed', async () => {
  const properties = (name: string) => ({ ...object, properties: { [name]: { type: 'string' } } })
  const offer = (name: string) => {
    server.behaviour.tools = () => [{ name: 'weather', inputSchema: properties(name), outputSchema: properties('sky') }]
  }
  offer('city')
  const body = { name: 'sky', url: server.url }
  const { id } = (await runs.call('POST', '/v1/connectors', body)).body.data.connector
  const agent = { brains: [], tools: [{ connector: id }] }
  const ask = { name: 'sky__weather', input: {} }
  const before = await runCalls([ask, ask], agent)
  const common = {
    ...{ name: 'sky__weather', toolName: 'weather', toolSourceKind: 'connector', toolSourceId: id },
    ...{ toolSourceVersionId: '1', toolSchemaHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
  }
  const schemas = {
    ...{ toolInputSchemaSnapshot: properties('city'), toolOutputSchemaSnapshot: properties('sky') },
  }
  expect(before[0]).toMatchObject({ ...common, ...schemas })
  expect(before[1]).toMatchObject({ ...common, toolSchemaHash: before[0]?.toolSchemaHash })
  expect(before[1]).not.toHaveProperty('toolInputSchemaSnapshot')
  offer('place')
  const tested = (await runs.call('POST', `/v1/connectors/${id}/test`)).body.data
  expect(tested.tools).toMatchObject([{ name: 'weather', outputSchema: properties('sky') }])
  expect((await runs.call('GET', `/v1/connectors/${id}`)).body.data.connector.serverVersion).toBe('1')
  const [after] = await runCalls([ask], agent)
  expect(after).toMatchObject({ toolInputSchemaSnapshot: properties('place') })
  expect(after?.toolSchemaHash).not.toBe(before[0]?.toolSchemaHash)
  const activity: Operation[] = (await runs.call('GET', '/v1/activity?type=tool_call&limit=3')).body.data.operations
  expect(activity).toEqual([after, expect.objectContaining(schemas), expect.anything()])
})

test('RUN-05 a call lists the message that asked for it and the one that reports it, also where it ended long before', async () => {
  runs.scripted.models.says((request) => {
    if (readRequest(request).step > 0) return { text: ['Done.'] }
    const search = { id: 's', name: 'knowledge_search', input: { query: 'Ada' } }
    return { toolCalls: [search, { id: 'q', name: 'ask_human', input: { question: 'Well?' } }] }
  })
  const runId = await runs.start((await runs.createAgent({ ...readOnly, tools: ['ask_human'] })).id)
  await runs.reach(runId, 'waiting')
  const waiting = await listCalls(runId)
  expect(waiting.map(({ status, producedMessageIds }) => [status, producedMessageIds])).toEqual([
    ['succeeded', []],
    ['running', []],
  ])
  const { taskId } = await runs.readTask(runId)
  await runs.call('POST', `/v1/tasks/${taskId}/complete`, { answer: 'Yes.' })
  await runs.ended(runId)
  const messages = await runs.listMessages(runId)
  const [asking, report] = ['assistant', 'tool'].map((role) => messages.find((message) => message.role === role)?.id)
  for (const call of await listCalls(runId))
    expect(call).toMatchObject({ consumedMessageIds: [asking], producedMessageIds: [report], status: 'succeeded' })
  const alone = await runCalls([{ name: 'knowledge_search', input: { query: 'Ada' } }], readOnly)
  expect(alone[0]?.producedMessageIds).toHaveLength(1)
  expect(alone[0]?.consumedMessageIds).toHaveLength(1)
})

test('D-79b the schemas of tools are deleted with the last run that may have called them', async () => {
  await runCalls([{ name: 'knowledge_search', input: { q: 'Ada' } }], readOnly)
  const count = async () => (await runs.query('select from tool_schemas')).length
  expect(await count()).toBeGreaterThan(0)
  runs.app.clock.advance({ days: 89 })
  await forgetRuns(runs.app.app.deps)
  expect(await count()).toBeGreaterThan(0)
  runs.app.clock.advance({ days: 3 })
  await forgetRuns(runs.app.app.deps)
  expect(await count()).toBe(0)
})
