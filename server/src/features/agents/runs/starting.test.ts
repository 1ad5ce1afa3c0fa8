import { expect, test } from 'vitest'
import { makeFingerprint } from '../../platform/idempotency/idempotency.ts'
import { useAgents } from '../agents/use-agents.fixture.ts'

// No node works on the runs of this file: it is about how they begin.
const agents = useAgents({ NOEMA_ROLES: 'http' })

const start = (body: object, headers: Record<string, string> = {}) =>
  agents.app.request('POST', '/v1/runs', { key: agents.scene.member.key, headers, body })

const countRuns = async (agentId: string): Promise<number> =>
  (await agents.call('GET', `/v1/runs?agentId=${agentId}`)).body.data.runs.length

test('RUN-01 eight equal requests at once start one run, and all of them are answered with it', async () => {
  const { id: agentId } = await agents.createAgent()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => start({ agentId, input: 'What?' }, { 'idempotency-key': 'eight' })),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 202))
  expect(new Set(answers.map(({ body }) => body.data.run.runId)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(7)
  expect(await countRuns(agentId)).toBe(1)
})

test('RUN-01 a repeat finds its run though the agent was archived meanwhile, and a new run of that agent is refused', async () => {
  const { id: agentId } = await agents.createAgent()
  const headers = { 'idempotency-key': 'archived' }
  const first = await start({ agentId, input: 'What?' }, headers)
  expect((await agents.call('DELETE', `/v1/agents/${agentId}`)).status).toBe(200)
  const again = await start({ agentId, input: 'What?' }, headers)
  expect([again.status, again.body.data.run.runId]).toEqual([202, first.body.data.run.runId])
  const other = await start({ agentId, input: 'What?' })
  expect([other.status, other.body.error.code]).toEqual([409, 'agent_archived'])
})

test('RUN-02 a key with another body is 409, and so is one that was used in another project', async () => {
  const { id: agentId } = await agents.createAgent()
  const project = (await agents.call('POST', '/v1/projects', { name: 'Other' })).body.data.project.id
  const headers = { 'idempotency-key': 'same' }
  await start({ agentId, input: 'What?' }, headers)
  for (const body of [
    { agentId, input: 'Who?' },
    { agentId, input: 'What?', projectId: project },
  ]) {
    const refused = await start(body, headers)
    expect([refused.status, refused.body.error.code]).toEqual([409, 'idempotency_key_reused'])
  }
  const elsewhere = await start({ agentId, input: 'What?', projectId: project }, { 'idempotency-key': 'its-own' })
  expect(elsewhere.body.data.run.projectId).toBe(project)
})

test('RUN-02 a key that was used with a project is 409 without one, and the other way round, also where it is the same project', async () => {
  const { id: agentId, projectId } = await agents.createAgent()
  const project = (await agents.call('POST', '/v1/projects', { name: 'Named' })).body.data.project.id
  const plain = { agentId, input: 'What?' }
  const pairs = [
    [{ ...plain, projectId: project }, plain],
    [plain, { ...plain, projectId: project }],
    [plain, { ...plain, projectId }],
  ] as const
  for (const [index, [first, second]] of pairs.entries()) {
    const headers = { 'idempotency-key': `named-or-not-${index}` }
    const started = await start(first, headers)
    expect(started.status).toBe(202)
    const refused = await start(second, headers)
    expect([refused.status, refused.body.error?.code]).toEqual([409, 'idempotency_key_reused'])
    expect((await start(first, headers)).body.data.run.runId).toBe(started.body.data.run.runId)
  }
})

test('RUN-02 a key that an earlier release stored finds its run, with and without its project', async () => {
  const { id: agentId, projectId } = await agents.createAgent()
  const headers = { 'idempotency-key': 'of-an-earlier-release' }
  const { runId } = (await start({ agentId, input: 'What?' }, headers)).body.data.run
  const asked = { agentId, input: 'What?', conversationId: null, metadata: null }
  const claim = 'update run_claims set fingerprint = $2 where run_id = $1'
  await agents.app.database.pool.query(claim, [runId, makeFingerprint(asked)])
  for (const body of [
    { agentId, input: 'What?' },
    { agentId, input: 'What?', projectId },
  ])
    expect((await start(body, headers)).body.data.run?.runId).toBe(runId)
  expect((await start({ agentId, input: 'Who?' }, headers)).status).toBe(409)
})

test('RUN-02 a key belongs to the person: their key and their session share it, and another organization has its own', async () => {
  const { id: agentId } = await agents.createAgent()
  const headers = { 'idempotency-key': 'person' }
  const byKey = await start({ agentId, input: 'What?' }, headers)
  const bySession = await agents.app.request('POST', '/v1/runs', {
    headers: { ...agents.scene.member.session, ...headers },
    body: { agentId, input: 'What?' },
  })
  expect(bySession.body.data.run.runId).toBe(byKey.body.data.run.runId)
})

test('RUN-04 D-72 a run is answered with all that it was started with, is listed and can be read', async () => {
  const agent = await agents.createAgent({ limits: { maxSteps: 3 } })
  const input = [{ role: 'user', parts: [{ type: 'text', text: 'What?' }] }]
  const body = { agentId: agent.id, input, metadata: { ticket: 7 } }
  const { run } = (await start(body)).body.data
  expect(run).toMatchObject({
    ...{ agentId: agent.id, agentVersion: 1, projectId: agent.projectId, conversationId: null },
    ...{ state: 'queued', status: 'pending', input, metadata: { ticket: 7 } },
    usage: { inputTokens: 0, outputTokens: 0, costCents: 0 },
    startedBy: { type: 'key', id: agents.scene.member.keyId },
    ...{ startedAt: null, completedAt: null },
  })
  expect((await agents.call('GET', `/v1/runs/${run.runId}`)).body.data.run).toEqual(run)
  expect((await agents.call('GET', `/v1/runs?agentId=${agent.id}&state=queued`)).body.data.runs).toEqual([run])
  expect((await agents.call('GET', `/v1/runs?agentId=${agent.id}&state=failed`)).body.data.runs).toEqual([])
})

test('RUN-03 D-72 a message is taken as text, as content, as parts, and as an answer gave it', async () => {
  const { id: agentId } = await agents.createAgent()
  const call = { type: 'tool-call', toolCallId: 'opr_1', toolName: 'search', input: { q: 'a' } }
  const answered = { id: 'msg_1', createdAt: '2026-01-01T00:00:00.000Z', runId: 'run_1', operationId: 'opr_1' }
  const said = [{ type: 'text', text: 'Hello.' }]
  const input = [
    { role: 'user', text: 'Hello.' },
    { role: 'user', content: 'Hello.' },
    { role: 'user', parts: said },
    { role: 'assistant', ...answered, text: 'Hello.', parts: [...said, call] },
  ]
  const started = await start({ agentId, input })
  expect(started.status).toBe(202)
  const { messages } = (await agents.call('GET', `/v1/runs/${started.body.data.run.runId}/messages`)).body.data
  expect(messages).toMatchObject([
    ...Array.from({ length: 3 }, () => ({ role: 'user', text: 'Hello.', parts: said })),
    { role: 'assistant', text: 'Hello.', parts: [...said, call] },
  ])
  expect(messages[3].id).not.toBe('msg_1')
  expect((await start({ agentId, input: messages })).status).toBe(202)
  expect((await start({ agentId, input: [{ role: 'user' }] })).status).toBe(400)
})

const elsewhere = { agentId: 'agt_1', projectId: 'prj_1', conversationId: 'cnv_1', knowledgeGraphId: 'brn_1' }

test('D-04 an unknown id is 404 wherever it is sent, and the refusal names its place', async () => {
  const { id: agentId } = await agents.createAgent()
  const knowledgeGraphId = agents.scene.brain.brain.id
  const calls: [path: string, body: Record<string, unknown>, unknown: readonly (keyof typeof elsewhere)[]][] = [
    ['/v1/runs', { agentId, input: 'What?' }, ['agentId', 'projectId', 'conversationId']],
    ['/v1/automations/triggers', { agentId, knowledgeGraphId, name: 'watch' }, ['agentId', 'knowledgeGraphId']],
    ['/v1/schedules', { agentId, cron: '0 9 * * *', input: 'Look.' }, ['agentId']],
    ['/v1/conversations', { agentId }, ['agentId']],
    ['/v1/agents', agents.given, ['projectId']],
  ]
  for (const [path, body, names] of calls)
    for (const name of names) {
      const refused = await agents.call('POST', path, { ...body, [name]: elsewhere[name] })
      const details = [{ path: `body.${name}`, message: expect.any(String) }]
      expect([path, refused.status, refused.body]).toMatchObject([path, 404, { error: { kind: 'not_found', details } }])
    }
  const url = 'https://example.com/hook'
  for (const scope of [{ agentId: 'agt_1' }, { brain: 'nowhere' }]) {
    const refused = await agents.call('POST', '/v1/webhooks', { url, events: ['run.failed'], scope })
    const details = [{ path: `body.scope.${Object.keys(scope)[0]}`, message: expect.any(String) }]
    expect([refused.status, refused.body]).toMatchObject([404, { error: { kind: 'not_found', details } }])
  }
})

test('D-72 a project that is archived takes no run', async () => {
  const { id: agentId } = await agents.createAgent()
  const { id } = (await agents.call('POST', '/v1/projects', { name: 'Over' })).body.data.project
  await agents.call('DELETE', `/v1/projects/${id}`)
  const refused = await start({ agentId, input: 'What?', projectId: id })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'project_archived'])
})

test('RUN-04 a run that is cancelled is abandoned with the reason, at once and once', async () => {
  const { id: agentId } = await agents.createAgent()
  const { runId } = (await start({ agentId, input: 'What?' })).body.data.run
  const cancelled = await agents.call('POST', `/v1/runs/${runId}/cancel`, { reason: 'Enough.' })
  expect(cancelled.body.data.run).toMatchObject({ state: 'abandoned', status: 'abandoned', abandonReason: 'Enough.' })
  const again = await agents.call('POST', `/v1/runs/${runId}/cancel`, {})
  expect([again.status, again.body.error.code]).toEqual([409, 'run_ended'])
})

test('RUN-01 D-72 Prefer: wait waits for the end of the run on any node', async () => {
  const { id: agentId } = await agents.createAgent()
  const headers = { 'idempotency-key': 'waiting' }
  const { runId } = (await start({ agentId, input: 'What?' }, headers)).body.data.run
  const late = await start({ agentId, input: 'What?' }, { ...headers, prefer: 'wait=1' })
  expect([late.status, late.headers.get('preference-applied')]).toEqual([202, 'wait'])
  const waiting = start({ agentId, input: 'What?' }, { ...headers, prefer: 'wait=30' })
  const node = await agents.app.startNode()
  await node.request('POST', `/v1/runs/${runId}/cancel`, { key: agents.scene.member.key, body: {} })
  const ended = await waiting
  expect([ended.status, ended.body.data.run.state]).toEqual([200, 'abandoned'])
  expect(ended.headers.get('preference-applied')).toBe('wait')
  await node.close()
})

test('D-79b runs of a day are counted to the last one, over all that is started at once', async () => {
  const node = await agents.app.startNode({ NOEMA_ROLES: 'http', NOEMA_TIERS: '{"free":{"dailyRuns":5}}' })
  const other = await agents.app.startNode({ NOEMA_ROLES: 'http', NOEMA_TIERS: '{"free":{"dailyRuns":5}}' })
  await agents.app.database.pool.query('delete from run_days')
  const { id: agentId } = await agents.createAgent()
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      (index % 2 === 0 ? node : other).request('POST', '/v1/runs', {
        key: agents.scene.member.key,
        body: { agentId, input: 'What?' },
      }),
    ),
  )
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(5)
  const refused = answers.find(({ status }) => status === 429)
  expect([refused?.body.error.code, Number(refused?.headers.get('retry-after')) > 0]).toEqual(['run_cap', true])
  await Promise.all([node.close(), other.close()])
})

test('RUN-01 equal requests at once are answered with the last run that the day allows', async () => {
  const node = await agents.app.startNode({ NOEMA_ROLES: 'http', NOEMA_TIERS: '{"free":{"dailyRuns":1}}' })
  await agents.app.database.pool.query('delete from run_days')
  const { id: agentId } = await agents.createAgent()
  const ask = () =>
    node.request('POST', '/v1/runs', {
      ...{ key: agents.scene.member.key, headers: { 'idempotency-key': 'last' }, body: { agentId, input: 'What?' } },
    })
  const answers = await Promise.all(Array.from({ length: 8 }, ask))
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(202))
  expect(new Set(answers.map(({ body }) => body.data.run.runId)).size).toBe(1)
  await node.close()
})

test('RUN-01 a repeat finds its run though the runs of the day are spent meanwhile, and waits for its end if it is asked to', async () => {
  const { id: agentId } = await agents.createAgent()
  const headers = { 'idempotency-key': 'spent', prefer: 'wait=1' }
  const { runId } = (await start({ agentId, input: 'What?' }, headers)).body.data.run
  const node = await agents.app.startNode({ NOEMA_ROLES: 'http', NOEMA_TIERS: '{"free":{"dailyRuns":1}}' })
  const send = (more: Record<string, string>) =>
    node.request('POST', '/v1/runs', { key: agents.scene.member.key, headers: more, body: { agentId, input: 'What?' } })
  expect((await send({})).body.error.code).toBe('run_cap')
  const repeated = await send(headers)
  expect([repeated.status, repeated.body.data.run.runId]).toEqual([202, runId])
  expect(repeated.headers.get('preference-applied')).toBe('wait')
  await node.close()
})

test('RUN-01 a wait beyond the open requests that its key may have is answered at once', async () => {
  const node = await agents.app.startNode({ NOEMA_ROLES: 'http', NOEMA_MAX_STREAMS: '10/1/1' })
  const { id: agentId } = await agents.createAgent()
  const send = (prefer: string) =>
    node.request('POST', '/v1/runs', {
      key: agents.scene.member.key,
      headers: { prefer },
      body: { agentId, input: 'What?' },
    })
  const sent = [send('wait=30'), send('wait=30')]
  const { runId } = (await Promise.race(sent)).body.data.run
  // The other one waits until its run has ended.
  const list = async () => (await agents.call('GET', `/v1/runs?agentId=${agentId}`)).body.data.runs
  const [waiting] = (await list()).filter((run: { runId: string }) => run.runId !== runId)
  await agents.call('POST', `/v1/runs/${waiting.runId}/cancel`, {})
  const applied = (await Promise.all(sent)).map(({ headers }) => headers.get('preference-applied'))
  expect(applied.toSorted()).toEqual([null, 'wait'])
  await node.close()
})

test('D-72b RUN-04 a run is refused in a conversation that was deleted; a repeat of one from before is answered with it', async () => {
  const { id: agentId } = await agents.createAgent()
  const { id: conversationId } = (await agents.call('POST', '/v1/conversations', { agentId })).body.data.conversation
  const headers = { 'idempotency-key': 'before-it-was-deleted' }
  const first = await start({ agentId, input: 'Hello?', conversationId }, headers)
  expect(first.status).toBe(202)
  expect((await agents.call('POST', `/v1/runs/${first.body.data.run.runId}/cancel`)).status).toBe(200)
  expect((await agents.call('DELETE', `/v1/conversations/${conversationId}`)).status).toBe(200)
  const refused = await start({ agentId, input: 'Still there?', conversationId })
  expect(refused.status).toBe(404)
  expect(refused.body.error.message).toContain('This organization has no such conversation. Create one first.')
  const again = await start({ agentId, input: 'Hello?', conversationId }, headers)
  expect([again.status, again.body.data.run.runId]).toEqual([202, first.body.data.run.runId])
  expect(await countRuns(agentId)).toBe(1)
})
