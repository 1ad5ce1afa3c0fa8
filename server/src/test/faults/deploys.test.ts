import { afterEach, expect, test } from 'vitest'
import { readRequest, useRuns } from '../../agent-runtime/use-runs.fixture.ts'
import { testSecret } from '../app.ts'
import { startNodeProcess } from './server-process.ts'

// Real processes work on these runs, one after the other; the app of the tests only answers requests.
const runs = useRuns({ NOEMA_ROLES: 'http' })
const settings = { NOEMA_SECRET: testSecret, NOEMA_PROVIDER_ALLOW: '127.0.0.1:*' }

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A deployment: one process replaces another, with its own settings. */
const deploy = async (more: Record<string, string>, former?: { close(): Promise<void> }) => {
  const node = await startNodeProcess(runs.app.database.url, { ...settings, ...more })
  await former?.close()
  return node
}

test('RUN-04 D-74 D-82 three parallel calls of which one asks a person: after two deployments and a new version of the agent the run continues once, in the order of the calls, under its own version', async () => {
  const write = (id: string, name: string) => ({
    ...{ id, name: 'knowledge_write' },
    input: { operations: [{ op: 'record.create', kind: 'deployed', fields: { name } }] },
  })
  runs.scripted.models.says((request) => {
    const { step, results } = readRequest(request)
    const { model } = request.body
    if (step > 0) return { text: [`${model}: ${results.map((one) => /answer|landed/.exec(one)?.[0]).join()}`] }
    const question = { id: 'q', name: 'ask_human', input: { question: 'Which?' } }
    return { toolCalls: [write('a', 'before'), question, write('c', 'after')] }
  })
  const agent = await runs.createAgent({
    ...{ model: 'scripted/first', tools: ['ask_human'] },
    brains: [{ handle: 'brain', access: 'read_write' }],
  })
  const first = await deploy({})
  const runId = await runs.start(agent.id)
  await runs.reach(runId, 'waiting')
  const { taskId } = await runs.readTask(runId)
  const second = await deploy({ NOEMA_PREPARED_STATEMENTS: 'off', NOEMA_MAX_RUNS: '2/4' }, first)
  await runs.call('PATCH', `/v1/agents/${agent.id}`, { model: 'scripted/second' })
  const third = await deploy({ NOEMA_DATABASE_POOL: '12', NOEMA_ROLES: 'worker' }, second)
  closers.push(third.close)
  expect((await runs.call('POST', `/v1/tasks/${taskId}/complete`, { answer: 'that' })).status).toBe(200)
  const run = await runs.ended(runId)
  expect(run).toMatchObject({ state: 'completed', agentVersion: 1 })
  expect((await runs.listMessages(runId)).at(-1)?.text).toBe('first: landed,answer,landed')
  const operations = await runs.listOperations(runId)
  expect(operations.map(({ type, attempt, status }) => [type, attempt, status])).toEqual(
    ['llm_call', 'tool_call', 'tool_call', 'tool_call', 'llm_call'].map((type) => [type, 1, 'succeeded']),
  )
  const written = await runs.query(
    `select record->'fields'->>'name' as name from record_versions where kind = 'deployed' order by 1`,
  )
  expect(written.map(({ name }) => name)).toEqual(['after', 'before'])
})
