import { afterAll, beforeAll, expect, test } from 'vitest'
import { type McpServer, object, startMcpServer } from '../features/agents/connectors/mcp-server.fixture.ts'
import { readRequest, useRuns } from './use-runs.fixture.ts'

const runs = useRuns()
let server: McpServer
let connector: string
beforeAll(async () => {
  server = await startMcpServer({
    tools: () => [
      { name: 'pay', description: 'Pays.', inputSchema: object },
      {
        name: 'look',
        description: 'Looks.',
        inputSchema: object,
        annotations: { readOnlyHint: true, idempotentHint: true },
      },
    ],
  })
  connector = (await runs.call('POST', '/v1/connectors', { name: 'bank', url: server.url })).body.data.connector.id
})
afterAll(() => server.close())

/** A node that works on a run in its place, as if its lease were over. */
const takeOver = async (runId: string) => {
  const other = await runs.app.startNode()
  await runs.query(`update runs set due_at = now() - interval '1 second', lease = 'lost' where id = $1`, [runId])
  return other
}

test('D-75 an interrupted call of a remote tool is unknown to the model; a repeatable one is made again', async () => {
  const held: (() => void)[] = []
  server.behaviour.call = async () => {
    if (held.length < 2) await new Promise<void>((resolve) => held.push(resolve))
    return { content: [{ type: 'text', text: 'done' }] }
  }
  runs.scripted.models.says((request) => {
    const { step, results } = readRequest(request)
    if (step > 0) return { text: [results.join(' | ')] }
    return {
      toolCalls: [
        { id: 'call', name: 'bank__pay', input: {} },
        { id: 'call', name: 'bank__look', input: {} },
      ],
    }
  })
  const agent = await runs.createAgent({ tools: [{ connector }] })
  const runId = await runs.start(agent.id)
  await expect.poll(() => held.length).toBe(2)
  const node = await takeOver(runId)
  const run = await runs.ended(runId)
  for (const release of held) release()
  expect(run.state).toBe('completed')
  const calls = server.calls.map(({ name }) => name)
  expect([calls.filter((name) => name === 'pay').length, calls.filter((name) => name === 'look').length]).toEqual([
    1, 2,
  ])
  const operations = (await runs.listOperations(runId)).filter(({ type }) => type === 'tool_call')
  expect(operations).toMatchObject([
    { name: 'bank__pay', status: 'failed', attempt: 2, error: expect.stringContaining('unknown') },
    { name: 'bank__look', status: 'succeeded', attempt: 2 },
  ])
  expect((await runs.listMessages(runId)).at(-1)?.text).toMatch(/unknown.* \| .*done/)
  await node.close()
})
