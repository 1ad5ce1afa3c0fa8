import { operation as activityOperation, operationTypes } from '@noema/contracts/activity.ts'
import { organizationEvents } from '@noema/contracts/organization-webhooks.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useAgents } from '../features/agents/agents/use-agents.fixture.ts'
import { openReader } from '../features/agents/run-feeds/reader.fixture.ts'
import { addBrain } from '../test/app.ts'
import { type ScriptedModels, startScriptedModels } from '../test/models/scripted-models.ts'
import { type Delivery, type Receiver, startReceiver } from '../test/receiver.ts'
import { passWait } from './use-runs.fixture.ts'

// Reports of runs during their work: to webhooks, and to readers of their streams.

const agents = useAgents()
const secret = 'zqsecret'
let models: ScriptedModels
beforeAll(async () => {
  models = await startScriptedModels()
  await agents.call('PUT', '/v1/providers/scripted', { kind: 'openai-compatible', baseUrl: models.url, apiKey: 'k' })
})
afterAll(() => models.close())

const model = 'scripted/any'
const start = async (agent: { id: string }, wait = 'wait=30') => {
  const { body } = await agents.app.request('POST', '/v1/runs', {
    key: agents.scene.member.key,
    headers: { prefer: wait },
    body: { agentId: agent.id, input: `What is ${secret}?` },
  })
  return body.data.run
}

const receivers: Receiver[] = []
afterAll(async () => {
  for (const { close } of receivers) await close()
})
const listen = async (given: object) => {
  const receiver = await startReceiver()
  receivers.push(receiver)
  const { status } = await agents.call('POST', '/v1/webhooks', { url: receiver.url, ...given })
  expect(status).toBe(201)
  return receiver
}

const events = organizationEvents.filter((event) => /^(run|task|operation)/.test(event))
const toReported = (deliveries: readonly Delivery[]) =>
  deliveries.map(({ body }) => `${body.event} ${body.data.runId}`).sort()

/** A run that asks a person, and one that is cancelled while its model is silent. */
const runBoth = async (agent: { id: string }) => {
  const ask = { id: 'call', name: 'ask_human', input: { question: `Is it ${secret}?` } }
  models.says([{ toolCalls: [ask] }, { text: [`It is ${secret}.`] }, { text: ['…'], ending: 'hang' }])
  const asked = await start(agent, 'respond-async')
  const findTask = async () => (await agents.call('GET', `/v1/tasks?runId=${asked.runId}`)).body.data.tasks[0]
  await expect.poll(async () => (await findTask())?.state).toBe('open')
  await agents.call('POST', `/v1/tasks/${(await findTask()).taskId}/complete`, { answer: secret })
  await expect
    .poll(async () => (await agents.call('GET', `/v1/runs/${asked.runId}`)).body.data.run.state)
    .toBe('completed')
  const silent = await start(agent, 'respond-async')
  const reader = await openReader(agents.app.base, silent.runId, { key: agents.scene.member.key })
  await reader.take(4)
  await agents.call('POST', `/v1/runs/${silent.runId}/cancel`, {})
  expect((await reader.all()).at(-1)?.part).toBe('[DONE]')
  return [asked.runId, silent.runId] as const
}

test('D-79c webhooks hear of runs, tasks and operations of the organization, of one agent or one Brain, as they asked, and never what was said', async () => {
  const agent = await agents.createAgent({
    model,
    tools: ['ask_human'],
    brains: [{ handle: 'brain', access: 'read_only' }],
  })
  const other = await agents.createAgent({ model })
  const [all, ofAgent, ofBrain, ofOther, unwanted] = await Promise.all([
    listen({ events }),
    listen({ events, scope: { agentId: agent.id } }),
    listen({ events, scope: { brain: 'brain' } }),
    listen({ events: ['run.completed'], scope: { agentId: other.id } }),
    listen({ events: ['run.failed'] }),
  ])
  const [asked, silent] = await runBoth(agent)
  models.says([{ text: [secret] }])
  const { runId } = await start(other)
  const operations = async (id: string) => (await agents.call('GET', `/v1/runs/${id}/operations`)).body.data.operations
  const ended = async (id: string): Promise<string[]> =>
    (await operations(id)).flatMap((one: { type: string; status: string }) =>
      one.type === 'system_action' && one.status === 'abandoned' ? [] : [`operation.${one.status} ${id}`],
    )
  const mine = [
    ...[`run.created ${asked}`, `task.created ${asked}`, `task.completed ${asked}`, `run.completed ${asked}`],
    ...[`run.created ${silent}`, `run.abandoned ${silent}`],
    ...[...(await ended(asked)), ...(await ended(silent))],
  ].sort()
  expect(mine).toContain(`operation.abandoned ${silent}`)
  const others = [`run.created ${runId}`, `run.completed ${runId}`, ...(await ended(runId))]
  expect(toReported(await all.received(mine.length + others.length))).toEqual([...mine, ...others].sort())
  expect(toReported(await ofAgent.received(mine.length))).toEqual(mine)
  expect(toReported(await ofBrain.received(mine.length))).toEqual(mine)
  expect(toReported(await ofOther.received(1))).toEqual([`run.completed ${runId}`])
  expect(unwanted.deliveries).toEqual([])
  const shown = (await agents.call('GET', '/v1/activity?limit=500')).body.data.operations
  for (const one of shown) expect(activityOperation.parse(one)).toEqual(one)
  expect(new Set(shown.map(({ type }: { type: string }) => type))).toEqual(new Set(operationTypes))
  for (const { text } of all.deliveries) expect(text).not.toContain(secret)
  const { rows } = await agents.app.database.pool.query(`select from outbox where event = 'knowledge.corrected'`)
  expect(rows).toEqual([])
})

test('D-79c an organization without webhooks stores no event of a run', async () => {
  const quiet = await agents.app.database.pool.query('select count(*)::integer as count from organization_deliveries')
  await agents.app.database.pool.query('delete from organization_webhooks')
  models.says([{ text: ['Yes.'] }])
  expect((await start(await agents.createAgent({ model }))).state).toBe('completed')
  const { rows } = await agents.app.database.pool.query('select from outbox')
  expect(rows).toEqual([])
  const after = await agents.app.database.pool.query('select count(*)::integer as count from organization_deliveries')
  expect(after.rows[0].count).toBeLessThanOrEqual(quiet.rows[0].count)
})

test('D-73 RUN-03 the start of an answer that a provider broke off is not in the stream of the run, which equals its last message', async () => {
  models.says([{ text: ['Half of an'], ending: 'cut' }, { text: ['The whole ', 'answer.'] }])
  const agent = await agents.createAgent({ model })
  const { runId } = await start(agent, 'respond-async')
  const live = await openReader(agents.app.base, runId, { key: agents.scene.member.key })
  await live.take(4)
  // The provider is asked again after a while.
  await passWait(agents.app, runId)
  const readState = async () => (await agents.call('GET', `/v1/runs/${runId}`)).body.data.run.state
  await expect.poll(readState).toBe('completed')
  const reported = (await live.all()).map(({ part }) => (part === '[DONE]' ? part : part.type))
  expect(reported.slice(0, 2)).toEqual(['reset-step', 'data-restart'])
  const replayed = await (await openReader(agents.app.base, runId, { key: agents.scene.member.key })).all()
  const text = replayed.map(({ part }) => (part !== '[DONE]' && 'delta' in part ? part.delta : '')).join('')
  const { body } = await agents.call('GET', `/v1/runs/${runId}/messages`)
  expect(body.data.messages.at(-1)).toMatchObject({ role: 'assistant', text: 'The whole answer.' })
  expect(text).toBe('The whole answer.')
})

test('D-79b a run at its model when its Brain is deleted fails, its call is cut off, and nothing is kept of it', async () => {
  models.says([{ text: [secret], ending: 'hang' }])
  const doomed = await addBrain(agents.app, agents.scene.member, 'doomed')
  const agent = await agents.createAgent({ model, brains: [{ handle: 'doomed', access: 'read_write' }] })
  const { runId } = await start(agent, 'respond-async')
  const live = await openReader(agents.app.base, runId, { key: agents.scene.member.key })
  await live.take(4)
  await agents.call('DELETE', doomed.path)
  await agents.app.app.workers.find(({ name }) => name === 'erase deleted Brains')?.run()
  await models.cutOff(models.requests.length - 1)
  const { run } = (await agents.call('GET', `/v1/runs/${runId}`)).body.data
  expect(run).toMatchObject({ state: 'failed', failureCategory: 'tool' })
  const reported = [
    await agents.call('GET', `/v1/runs/${runId}/messages`),
    await agents.call('GET', `/v1/runs/${runId}/operations`),
  ]
  expect(JSON.stringify([run, ...reported.map(({ body }) => body)])).not.toContain(secret)
  const replayed = await (await openReader(agents.app.base, runId, { key: agents.scene.member.key })).all()
  expect(JSON.stringify(replayed)).not.toContain(secret)
})
