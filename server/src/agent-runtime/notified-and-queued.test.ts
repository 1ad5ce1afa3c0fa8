import { afterAll, beforeAll, expect, test } from 'vitest'
import { startReceiver } from '../test/receiver.ts'
import { readRequest, useRuns } from './use-runs.fixture.ts'

const runs = useRuns()
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.close())

const asking = {
  tools: ['ask_human'],
  brains: [{ handle: 'brain', access: 'read_write' }],
}

test('D-79c webhooks hear of a run, of what it asks and of each of its operations, once and without contents', async () => {
  const events = [
    'run.created',
    'run.completed',
    'task.created',
    'task.completed',
    'operation.succeeded',
    'operation.failed',
  ]
  const hook = await runs.call('POST', '/v1/webhooks', { url: receiver.url, events, scope: { brain: 'brain' } })
  runs.scripted.models.says((request) => {
    const { step } = readRequest(request)
    if (step > 0) return { text: ['A secret answer.'] }
    return {
      toolCalls: [
        { id: 'q', name: 'ask_human', input: { question: 'A secret question?' } },
        { id: 'x', name: 'no_such_tool', input: {} },
      ],
    }
  })
  const agent = await runs.createAgent(asking)
  const runId = await runs.start(agent.id, 'A secret input.')
  await runs.reach(runId, 'waiting')
  const { taskId } = await runs.readTask(runId)
  await runs.call('POST', `/v1/tasks/${taskId}/complete`, { answer: 'A secret word.' })
  await runs.ended(runId)
  const listNames = () => receiver.deliveries.map(({ body }) => [body.event, body.data.name ?? ''].join(' ')).sort()
  await expect
    .poll(listNames)
    .toEqual([
      'operation.failed no_such_tool',
      'operation.succeeded ask_human',
      'operation.succeeded chat',
      'operation.succeeded chat',
      ...['run.resumed', 'run.started', 'task.waited'].map((name) => `operation.succeeded ${name}`),
      ...['run.completed ', 'run.created ', 'task.completed ', 'task.created '],
    ])
  const reported = receiver.deliveries.map(({ body }) => body)
  expect(reported.find(({ event }) => event === 'task.created').data).toEqual({
    ...{ taskId, runId, agentId: agent.id, state: 'open', expiresAt: null },
  })
  expect(reported.find(({ event, data }) => event === 'operation.succeeded' && data.name === 'chat').data).toEqual({
    ...{ operationId: expect.any(String), runId, agentId: agent.id, type: 'llm_call', name: 'chat' },
    ...{ status: 'succeeded', attemptNumber: 1 },
  })
  expect(reported.find(({ event }) => event === 'run.completed').data).toMatchObject({
    runId,
    state: 'completed',
    status: 'succeeded',
  })
  expect(JSON.stringify(reported)).not.toContain('secret')
  await runs.call('DELETE', `/v1/webhooks/${hook.body.data.webhook.id}`)
})

test('RUN-04 in a conversation one run goes on at a time, the next one is queued and sees what was said before it', async () => {
  const held: (() => void)[] = []
  runs.scripted.models.says(async (request) => {
    await new Promise<void>((resolve) => held.push(resolve))
    const said = request.body.messages.filter(({ role }: { role: string }) => role !== 'system')
    return {
      text: [
        said
          .map(({ content }: { content: unknown }) => (typeof content === 'string' ? content : JSON.stringify(content)))
          .join(' / '),
      ],
    }
  })
  const agent = await runs.createAgent()
  const made = await runs.call('POST', '/v1/conversations', { agentId: agent.id })
  const conversationId = made.body.data.conversation.id
  const first = await runs.start(agent.id, 'One.', { conversationId })
  const [second, third] = [
    await runs.start(agent.id, 'Two.', { conversationId }),
    await runs.start(agent.id, 'Three.', { conversationId }),
  ]
  await expect.poll(() => held.length).toBe(1)
  expect([(await runs.read(second)).state, (await runs.read(third)).state]).toEqual(['queued', 'queued'])
  await runs.call('POST', `/v1/runs/${second}/cancel`, {})
  held.shift()?.()
  await runs.ended(first)
  await expect.poll(() => held.length).toBe(1)
  held.shift()?.()
  await runs.ended(third)
  expect((await runs.listMessages(third)).at(-1)?.text).toMatch(/One\..*\/.*One\..*\/.*Two\..*\/.*Three\./)
})
