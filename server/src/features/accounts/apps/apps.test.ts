import { expect, test } from 'vitest'
import { addBrain, createMember } from '../../../test/app.ts'
import { askForConsent, connectApp, consent, createRpc, refresh } from '../../../test/apps.ts'
import { useApp, useBrain } from '../../../test/harness.ts'
import { joinOrganization, removeMember } from '../../../test/organizations.ts'
import { newAgent } from '../../../test/sample-agents.ts'

// Apps that members let in: what they may do, and how that ends.

const app = useApp()
const brain = useBrain(app)

const rpc = (token: string, path = `${brain.path}/mcp`) => createRpc(app).rpc(token, path)
const callTool = (token: string, name: string, given: object, path = `${brain.path}/mcp`) =>
  createRpc(app).callTool(token, path, name, given)
const listTools = (token: string, path = `${brain.path}/mcp`) => createRpc(app).listTools(token, path)

const listApps = async () => (await app.request('GET', '/v1/apps?limit=500', { key: brain.key })).body.data.apps

test('APP-03 a grant does what a Brain key does, under the name of the app, as far as its member let it', async () => {
  await brain.call('POST', '/documents', { id: 'sky', text: 'The sky is blue over Reading.' })
  const reader = await connectApp(app, brain, {
    capabilities: ['read'],
    metadata: { client_name: 'Reader\u202E of\u0000 skies' },
  })
  const key = await brain.mintKey(['read'])
  expect(await listTools(reader.accessToken)).toEqual(await listTools(key))
  const found = await callTool(reader.accessToken, 'knowledge_search', { query: 'sky', consumerId: 'somebody else' })
  const { receipt } = found.body.result.structuredContent
  const read = await brain.call('GET', `/receipts/${receipt}`)
  expect(read.body.data.receipt).toMatchObject({ consumerId: 'Reader of skies', operation: 'search' })
  const written = await callTool(reader.accessToken, 'knowledge_write', { operations: [] })
  expect(written.body.error ?? written.body.result.isError).toBeTruthy()
  const writer = await connectApp(app, brain, { capabilities: ['write'] })
  const operations = [{ op: 'record.put', id: 'by-app', kind: 'note', fields: { text: 'x' } }]
  expect((await callTool(writer.accessToken, 'knowledge_write', { operations })).body.result.isError).toBeFalsy()
  const { changes } = (await brain.call('GET', '/changes?order=desc&limit=1')).body.data
  expect(changes).toMatchObject([{ stagedByActor: { type: 'key', id: writer.grantId, userId: expect.any(String) } }])
})

test('APP-03 apps and their grants are listed and audited, without a secret, and are no keys in lists of keys', async () => {
  const connected = await connectApp(app, brain, { capabilities: ['read', 'review'], days: 7 })
  await rpc(connected.accessToken)
  const listed = (await listApps()).find(({ id }: { id: string }) => id === connected.id)
  expect(listed).toMatchObject({
    ...{ clientId: connected.clientId, name: 'Sample app', redirectHosts: ['app.example'] },
    grants: [{ id: connected.grantId, brain: { handle: 'brain' }, capabilities: ['read', 'review'], status: 'active' }],
  })
  const audit = await app.request('GET', `/v1/audit?target=${connected.id}`, { key: brain.key })
  expect(audit.body.data.entries).toMatchObject([
    {
      ...{ action: 'app.connected', actor: { type: 'session' } },
      target: { type: 'app', name: 'Sample app', brain: 'brain' },
      after: { grantId: connected.grantId, capabilities: ['read', 'review'] },
    },
  ])
  const keys = JSON.stringify([
    (await brain.call('GET', '/keys?limit=500')).body,
    (await app.request('GET', '/v1/keys?limit=500', { headers: brain.session })).body,
  ])
  expect(keys).not.toContain(connected.grantId)
  for (const [method, path] of [
    ['POST', `/keys/${connected.grantId}/rotate`],
    ['DELETE', `/keys/${connected.grantId}`],
  ])
    expect((await brain.call(method ?? '', path ?? '')).status).toBe(404)
  expect(JSON.stringify(await listApps())).not.toMatch(/nat_\w{20}/)
})

test('APP-03 at the agents, read lists, write starts, and review answers', async () => {
  const agentId = await newAgent(app, brain)
  const start = { agentId, input: 'Who leads Apollo?' }
  const reader = await connectApp(app, brain, { brain: null, capabilities: ['read'] })
  expect(await listTools(reader.accessToken, '/v1/mcp')).toEqual(['agents_read', 'runs_read', 'tasks_read'])
  expect((await callTool(reader.accessToken, 'runs_start', start, '/v1/mcp')).body.error).toMatchObject({
    code: -32602,
  })
  const worker = await connectApp(app, brain, { brain: null, capabilities: ['write', 'review'] })
  expect(await listTools(worker.accessToken, '/v1/mcp')).toEqual(['runs_start', 'runs_cancel', 'tasks_answer'])
  const started = await callTool(worker.accessToken, 'runs_start', start, '/v1/mcp')
  expect(started.body.result.structuredContent.run.startedBy).toMatchObject({ type: 'key', id: worker.grantId })
})

test('APP-08 the token of an app is for what it was let in to: no other MCP server, and no other endpoint', async () => {
  const other = await addBrain(app, brain, 'other')
  const [ofBrain, ofAgents] = [await connectApp(app, brain), await connectApp(app, brain, { brain: null })]
  const places = {
    ...{ '/v1/mcp': [ofBrain], [`${other.path}/mcp`]: [ofBrain, ofAgents], [`${brain.path}/mcp`]: [ofAgents] },
  }
  for (const [path, connected] of Object.entries(places))
    for (const { accessToken } of connected) {
      const refused = await rpc(accessToken, path)
      expect([path, refused.status]).toEqual([path, 401])
      expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
  for (const path of [
    brain.path,
    `${brain.path}/records`,
    `${brain.path}/export`,
    '/v1/whoami',
    '/v1/brains',
    '/v1/apps',
    '/v1/runs',
  ])
    for (const { accessToken } of [ofBrain, ofAgents])
      expect([path, (await app.request('GET', path, { key: accessToken })).status]).toEqual([path, 401])
  const resource = `${app.app.deps.publicUrl}${other.path}/mcp`
  const refreshed = await refresh(app, ofBrain.clientId, ofBrain.refreshToken, { resource })
  expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_target' } })
  // Another handle in the page's choice than the app asked for.
  const asked = await askForConsent(app, brain)
  expect((await consent(app, brain, asked.signed, { brain: 'other' })).body).toMatchObject({ code: 'OTHER_RESOURCE' })
})

/** The answers of an app before and after its grant ends, and that of its refresh. */
const askAround = async (
  connected: Awaited<ReturnType<typeof connectApp>>,
  path: string,
  end: () => Promise<unknown>,
) => {
  const before = (await rpc(connected.accessToken, path)).status
  await end()
  const after = (await rpc(connected.accessToken, path)).status
  const refreshed = await refresh(app, connected.clientId, connected.refreshToken)
  return [before, after, refreshed.body.error]
}

const ended = [200, 401, 'invalid_grant']

test('APP-04 a grant ends with the next request: revoked, with its app, with its member, with its Brain', async () => {
  const doomed = await addBrain(app, brain, 'doomed')
  const guest = await joinOrganization(app, brain)
  const revoke = (path: string) => app.request('DELETE', `/v1/apps/${path}`, { key: brain.key })
  for (const target of ['brain', null] as const) {
    const path = target === null ? '/v1/mcp' : `${brain.path}/mcp`
    const [one, all] = [
      await connectApp(app, brain, { brain: target }),
      await connectApp(app, brain, { brain: target }),
    ]
    expect(await askAround(one, path, () => revoke(`${one.id}/grants/${one.grantId}`))).toEqual(ended)
    expect(await askAround(all, path, () => revoke(all.id))).toEqual(ended)
    expect((await revoke(`${one.id}/grants/${one.grantId}`)).body.data.grant).toMatchObject({ status: 'revoked' })
  }
  const person = { ...guest, organizationId: brain.organizationId, key: brain.key }
  const theirs = [
    { connected: await connectApp(app, person), path: `${brain.path}/mcp` },
    { connected: await connectApp(app, person, { brain: null }), path: '/v1/mcp' },
  ]
  for (const { connected, path } of theirs) expect((await rpc(connected.accessToken, path)).status).toBe(200)
  await removeMember(app, brain, guest)
  for (const { connected, path } of theirs)
    expect(await askAround(connected, path, async () => undefined)).toEqual([401, 401, 'invalid_grant'])
  const apps = await listApps()
  const statuses = theirs.map(
    ({ connected }) => apps.find(({ id }: { id: string }) => id === connected.id).grants[0].status,
  )
  expect(statuses).toEqual(['revoked', 'revoked'])
  const gone = await connectApp(app, brain, { brain: 'doomed' })
  expect(await askAround(gone, `${doomed.path}/mcp`, () => doomed.call('DELETE', ''))).toEqual(ended)
})

test('APP-04 a grant that is narrowed does less from its next call on, and never more again', async () => {
  const connected = await connectApp(app, brain)
  const narrow = (capabilities: string[]) =>
    app.request('PATCH', `/v1/apps/${connected.id}/grants/${connected.grantId}`, {
      key: brain.key,
      body: { capabilities },
    })
  expect((await narrow(['read'])).body.data.grant.capabilities).toEqual(['read'])
  expect(await listTools(connected.accessToken)).toEqual(await listTools(await brain.mintKey(['read'])))
  expect(await narrow(['read', 'write'])).toMatchObject({ status: 400 })
  const refreshed = await refresh(app, connected.clientId, connected.refreshToken)
  expect(await listTools(refreshed.body.access_token)).not.toContain('knowledge_write')
  const audit = await app.request('GET', `/v1/audit?target=${connected.id}&action=app.narrowed`, { key: brain.key })
  expect(audit.body.data.entries).toHaveLength(1)
  await app.request('DELETE', `/v1/apps/${connected.id}`, { key: brain.key })
  expect((await narrow(['read'])).status).toBe(409)
})

test('APP-04 a call that waits for a run ends when its grant is revoked meanwhile: nothing more is read for it', async () => {
  const agentId = await newAgent(app, brain)
  const connected = await connectApp(app, brain, { brain: null })
  const started = await callTool(
    connected.accessToken,
    'runs_start',
    { agentId, input: 'x', waitSeconds: 1 },
    '/v1/mcp',
  )
  const { run } = started.body.result.structuredContent
  await app.request('DELETE', `/v1/apps/${connected.id}`, { key: brain.key })
  const read = await callTool(connected.accessToken, 'runs_read', { id: run.runId }, '/v1/mcp')
  expect(read.status).toBe(401)
})

test('APP-11 people are notified of each new app, and no longer once it is revoked', async () => {
  const owner = await createMember(app)
  const own = await addBrain(app, owner, 'own')
  const connected = await connectApp(app, own, { brain: 'own' })
  const list = async () =>
    (await app.request('GET', '/v1/notifications?state=open', { headers: own.session })).body.data.notifications
  expect(await list()).toMatchObject([
    { kind: 'app.connected', target: { type: 'app', id: connected.id }, title: 'The app Sample app was let in' },
  ])
  await app.request('DELETE', `/v1/apps/${connected.id}`, { key: own.key })
  expect(await list()).toEqual([])
})
