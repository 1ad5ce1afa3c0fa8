import { expect, test } from 'vitest'
import { addBrain, createMember } from '../../../test/app.ts'
import { joinOrganization } from '../../../test/organizations.ts'
import { runPass } from '../../../test/run-pass.ts'
import { useAgents } from '../agents/use-agents.fixture.ts'
import { createFlowWork } from './watch-flows.ts'

// Runs of callers' own steps. No node works in the background: a test moves the clock and runs a pass by hand.

const { app, call, scene, createAgent } = useAgents({ NOEMA_ROLES: 'http', NOEMA_TIERS: '{"free":{"dailyRuns":12}}' })

const pass = () => runPass(app.app.deps, createFlowWork(app.app.deps))
const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows

const start = async (idempotencyKey: string, body: object = {}, key = scene.member.key) => {
  const headers = { 'idempotency-key': idempotencyKey }
  return app.request('POST', '/v1/flows', { key, headers, body: { name: 'import', ...body } })
}
const startRun = async (...given: Parameters<typeof start>): Promise<string> =>
  (await start(...given)).body.data.run.runId
const put = (id: string, key: string, body: object) => call('PUT', `/v1/runs/${id}/steps/${key}`, body)
const get = async (id: string, key: string) => (await call('GET', `/v1/runs/${id}/steps/${key}`)).body.data.step
const read = async (id: string) => (await call('GET', `/v1/runs/${id}`)).body.data.run
const operations = async (id: string) => (await call('GET', `/v1/runs/${id}/operations`)).body.data.operations

test('STP-01 STP-02 a run of own code is the same for its key, stores each step once, and is shown as any run', async () => {
  const made = await start('order-17', { input: { order: 17 } })
  expect(made.status).toBe(201)
  const { run } = made.body.data
  expect(run).toMatchObject({
    agentId: 'flow',
    flow: 'import',
    state: 'running',
    input: { order: 17 },
    completedAt: null,
  })
  const again = await start('order-17', { input: { order: 17 } })
  expect(again.body.data.run.runId).toBe(run.runId)
  expect((await start('order-17', { input: { order: 18 } })).body.error.code).toBe('idempotency_key_reused')
  expect(await startRun('order-17', { name: 'export' })).not.toBe(run.runId)
  const { runId: id } = run
  expect((await call('GET', `/v1/runs/${id}/steps/load`)).status).toBe(404)
  const all = await Promise.all([1, 2, 3, 4].map((rows) => put(id, 'load', { input: { rows }, output: { rows } })))
  const answers = all.map(({ body }) => body.data)
  expect(answers.filter(({ stored }) => stored)).toHaveLength(1)
  const [step] = answers.map((answer) => answer.step)
  expect(answers.every((answer) => JSON.stringify(answer.step) === JSON.stringify(step))).toBe(true)
  expect(step).toMatchObject({ key: 'load', state: 'succeeded', completedAt: expect.any(String) })
  expect(await get(id, 'load')).toEqual(step)
  const begun = new Date(app.clock.now().getTime() - 3_600_000).toISOString()
  const { step: failed } = (await put(id, 'send', { error: 'Refused.', startedAt: begun })).body.data
  expect(failed).toMatchObject({ state: 'failed', error: 'Refused.' })
  // No step begins before its run.
  expect(failed.createdAt).toBe(run.createdAt)
  expect(await operations(id)).toMatchObject([
    { type: 'tool_call', name: 'load', toolName: 'step', status: 'succeeded', sequence: 1, output: step.output },
    { type: 'tool_call', name: 'send', toolName: 'step', status: 'failed', sequence: 2, error: 'Refused.' },
  ])
  const { share } = (await call('POST', `/v1/runs/${id}/share`, {})).body.data
  expect(share.runId).toBe(id)
  const finish = (body: object) => call('POST', `/v1/runs/${id}/finish`, body)
  expect((await finish({ output: { sent: 0 } })).body.data.run).toMatchObject({
    state: 'completed',
    output: { sent: 0 },
  })
  expect((await finish({ error: 'Later.' })).body.data.run).toMatchObject({ state: 'completed', output: { sent: 0 } })
  const parts = await query('select part from run_parts where run_id = $1 order by number', [id])
  expect(parts.map(({ part }) => JSON.parse(part).type)).toEqual([
    ...['start', 'start-step', 'tool-input-available', 'tool-output-available', 'tool-input-available'],
    ...['tool-output-error', 'finish'],
  ])
  // Code that is started again finds what it has done, and stores nothing else.
  expect((await put(id, 'load', { output: 9 })).body.data).toEqual({ step, stored: false })
  expect((await put(id, 'more', { output: 9 })).body.error.code).toBe('run_ended')
  expect((await call('GET', '/v1/runs?agentId=flow')).body.data.runs).toHaveLength(2)
})

test('STP-03 a step waits for a person or the clock whatever becomes of its caller, and a repeat asks nothing twice', async () => {
  const id = await startRun('ask')
  const ask = { ask: { question: 'Send 12 invoices?', options: ['yes', 'no'] } }
  const { step } = (await put(id, 'confirm', ask)).body.data
  expect(step).toMatchObject({ state: 'running', taskId: expect.stringMatching(/^tsk_/) })
  expect((await put(id, 'confirm', ask)).body.data).toEqual({ step, stored: false })
  expect(await read(id)).toMatchObject({ state: 'waiting' })
  const { tasks } = (await call('GET', `/v1/tasks?runId=${id}`)).body.data
  expect(tasks).toMatchObject([{ taskId: step.taskId, question: 'Send 12 invoices?', options: ['yes', 'no'] }])
  await call('POST', `/v1/tasks/${step.taskId}/complete`, { answer: 'yes' })
  expect(await get(id, 'confirm')).toMatchObject({ state: 'succeeded', output: { answer: 'yes' } })
  expect(await read(id)).toMatchObject({ state: 'running' })
  const until = new Date(app.clock.now().getTime() + 30 * 86_400_000).toISOString()
  await put(id, 'month', { sleepUntil: until })
  await put(id, 'late', { ask: { question: 'Still there?', expiresInSeconds: 60 } })
  app.clock.advance({ minutes: 2 })
  await pass()
  expect(await get(id, 'late')).toMatchObject({ state: 'succeeded', output: { expired: true } })
  expect(await read(id)).toMatchObject({ state: 'waiting' })
  app.clock.advance({ days: 29 })
  await pass()
  expect(await get(id, 'month')).toMatchObject({ state: 'running' })
  app.clock.advance({ days: 1 })
  await pass()
  expect(await get(id, 'month')).toMatchObject({ state: 'succeeded', output: null })
  expect(await read(id)).toMatchObject({ state: 'running' })
  const year = { sleepUntil: new Date(app.clock.now().getTime() + 400 * 86_400_000).toISOString() }
  expect((await put(id, 'year', year)).status).toBe(400)
  const open = (await put(id, 'open', ask)).body.data.step
  await call('POST', `/v1/runs/${id}/cancel`)
  expect(await get(id, 'open')).toMatchObject({ state: 'abandoned' })
  expect((await call('GET', `/v1/tasks/${open.taskId}`)).body.data.task.state).toBe('expired')
  app.clock.advance({ days: 2 })
  await pass()
  expect(await query('select from run_flows where run_id = $1', [id])).toEqual([])
})

test('STP-04 a run that no one continues is abandoned, but not while it sleeps or asks; a node that dies in that changes nothing', async () => {
  const id = await startRun('left', { expiresInSeconds: 3_600 })
  const sleep = new Date(app.clock.now().getTime() + 7_200_000).toISOString()
  await put(id, 'nap', { sleepUntil: sleep })
  app.clock.advance({ minutes: 119 })
  await pass()
  expect(await read(id)).toMatchObject({ state: 'waiting' })
  app.clock.advance({ minutes: 2 })
  const dying = {
    ...app.app.deps,
    topics: {
      publish: () => {
        throw new Error('The node died here.')
      },
    },
  }
  const lease = async (deps: typeof dying) => {
    const now = app.clock.now()
    const running = { free: 4, maxOfOrganization: 4, organizations: [], owners: [] }
    const until = new Date(now.getTime() + 30_000)
    const work = createFlowWork(deps)
    const { rows } = await work.lease({ keys: [scene.member.organizationId], lease: 'dying', now, until, running })
    const turn = { stopping: new AbortController().signal, storeOutcome: async () => true }
    for (const row of rows) await work.run(row, turn as never).catch(() => undefined)
    return rows.length
  }
  expect(await lease(dying)).toBe(1)
  expect(await get(id, 'nap')).toMatchObject({ state: 'succeeded' })
  app.clock.advance({ minutes: 58 })
  await pass()
  expect(await read(id)).toMatchObject({ state: 'running' })
  app.clock.advance({ minutes: 3 })
  await pass()
  expect(await read(id)).toMatchObject({ state: 'abandoned', abandonReason: expect.stringContaining('in time') })
  expect((await put(id, 'next', { output: 1 })).body.error.code).toBe('run_ended')
  expect((await call('POST', `/v1/runs/${id}/finish`)).body.error.code).toBe('run_ended')
  expect(await query('select from run_flows where run_id = $1', [id])).toEqual([])
})

test('STP-05 steps are bounded, and belong to the organization and to those who may see the Brains that they name', async () => {
  const id = await startRun('bounds')
  for (const body of [{}, { output: 1, error: 'x' }, { output: 'x'.repeat(300_000) }, { ask: {} }, { value: 1 }])
    expect((await put(id, 'bad', body)).status).toBe(400)
  expect((await put(id, 'a b', { output: 1 })).status).toBe(400)
  await query('update run_flows set steps = 1000 where run_id = $1', [id])
  expect((await put(id, 'more', { output: 1 })).body.error.code).toBe('too_many_steps')
  await query('update run_flows set steps = 1, length = 4194300 where run_id = $1', [id])
  expect((await put(id, 'more', { output: 1 })).body.error.code).toBe('too_many_steps')
  const agent = await createAgent()
  const other = (await call('POST', '/v1/runs', { agentId: agent.id, input: 'Go.' })).body.data.run.runId
  expect((await put(other, 'load', { output: 1 })).body.error.code).toBe('not_a_flow')
  expect((await call('POST', `/v1/runs/${other}/finish`)).body.error.code).toBe('not_a_flow')
  expect((await call('POST', '/v1/runs', { agentId: 'flow', input: 'Go.' })).status).toBe(404)
  const stranger = await createMember(app)
  const path = `/v1/runs/${id}/steps/load`
  expect((await app.request('PUT', path, { key: stranger.key, body: { output: 1 } })).status).toBe(404)
  expect((await app.request('POST', `/v1/runs/${id}/finish`, { key: stranger.key })).status).toBe(404)
  const colleague = await joinOrganization(app, scene.member)
  const secret = await addBrain(app, scene.member, 'secret')
  await app.request('PATCH', '/v1/brains/secret/access', {
    headers: scene.member.session,
    body: { openTo: 'members' },
  })
  const hidden = await startRun('hidden', { brains: ['secret'] })
  await put(hidden, 'load', { output: secret.brain.id })
  const asColleague = (method: string, at: string, body?: object) =>
    app.request(method, at, { headers: colleague.session, ...(body ? { body } : {}) })
  expect((await asColleague('GET', `/v1/runs/${id}`)).status).toBe(200)
  expect((await asColleague('GET', `/v1/runs/${hidden}/steps/load`)).status).toBe(404)
  expect((await asColleague('POST', '/v1/flows', { name: 'x', brains: ['secret'] })).status).toBe(404)
  for (let n = 0; n < 10; n++) await start(`many-${n}`)
  expect((await start('too-many')).body.error.code).toBe('run_cap')
})
