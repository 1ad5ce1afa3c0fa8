import { beforeAll, expect, test } from 'vitest'
import { addBrain, createBrain, createMember, type TestBrain } from '../../../test/app.ts'
import {
  askForConsent,
  callConsent,
  connectApp,
  consent,
  exchangeCode,
  redirectUri,
  refresh,
  registerApp,
  sendForm,
} from '../../../test/apps.ts'
import { useApp } from '../../../test/harness.ts'
import { joinOrganization, removeMember } from '../../../test/organizations.ts'
import { newAgent } from '../../../test/sample-agents.ts'

// Apps that members let in: what they may do, and how that ends.

const app = useApp()
let brain: TestBrain
beforeAll(async () => {
  brain = await createBrain(app, 'brain')
})

/** Sends one message to an MCP server, which may answer with a stream of one. */
const rpc = async (token: string, method = 'tools/list', params: object = {}, path = `${brain.path}/mcp`) => {
  const response = await fetch(app.base + path, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, body: JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text) }
}

const callTool = (token: string, name: string, given: object, path?: string) =>
  rpc(token, 'tools/call', { name, arguments: given }, path)

const toolsOf = async (token: string, path?: string): Promise<string[]> =>
  (await rpc(token, 'tools/list', {}, path)).body.result.tools.map(({ name }: { name: string }) => name)

const listApps = async () => (await app.request('GET', '/v1/apps?limit=500', { key: brain.key })).body.data.apps

test('APP-03 a grant does what a Brain key does, under the name of the app, as far as its member let it', async () => {
  await brain.call('POST', '/documents', { id: 'sky', text: 'The sky is blue over Reading.' })
  const reader = await connectApp(app, brain, {
    capabilities: ['read'],
    metadata: { client_name: 'Reader\u202E of\u0000 skies' },
  })
  const key = await brain.mintKey(['read'])
  expect(await toolsOf(reader.accessToken)).toEqual(await toolsOf(key))
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
  expect(await toolsOf(reader.accessToken, '/v1/mcp')).toEqual(['agents_read', 'runs_read', 'tasks_read'])
  expect((await callTool(reader.accessToken, 'runs_start', start, '/v1/mcp')).body.error).toMatchObject({
    code: -32602,
  })
  const worker = await connectApp(app, brain, { brain: null, capabilities: ['write', 'review'] })
  expect(await toolsOf(worker.accessToken, '/v1/mcp')).toEqual(['runs_start', 'runs_cancel', 'tasks_answer'])
  const started = await callTool(worker.accessToken, 'runs_start', start, '/v1/mcp')
  expect(started.body.result.structuredContent.run.startedBy).toMatchObject({ type: 'key', id: worker.grantId })
})

test('APP-08 the token of an app is for one MCP server: no other, and no endpoint', async () => {
  const other = await addBrain(app, brain, 'other')
  const [ofBrain, ofAgents] = [await connectApp(app, brain), await connectApp(app, brain, { brain: null })]
  const places = {
    ...{ '/v1/mcp': [ofBrain], [`${other.path}/mcp`]: [ofBrain, ofAgents], [`${brain.path}/mcp`]: [ofAgents] },
  }
  for (const [path, connected] of Object.entries(places))
    for (const { accessToken } of connected) {
      const refused = await rpc(accessToken, 'tools/list', {}, path)
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

test('APP-05 a code works once: used again, the tokens that it gave end', async () => {
  const connected = await connectApp(app, brain)
  expect((await rpc(connected.accessToken)).status).toBe(200)
  const again = await exchangeCode(app, connected)
  expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await rpc(connected.accessToken)).status).toBe(401)
  expect((await refresh(app, connected.clientId, connected.refreshToken)).body).toMatchObject({
    error: 'invalid_grant',
  })
})

test('APP-05 a code is for the app that asked, with its verifier and its redirect, and two at once get one set of tokens', async () => {
  const attempt = async (change: (given: { clientId: string; verifier: string; code: string }) => object) => {
    const asked = await askForConsent(app, brain)
    const consented = await consent(app, brain, asked.signed)
    const code = new URL(consented.body.url).searchParams.get('code') ?? ''
    const given = { clientId: asked.clientId, verifier: asked.verifier, code }
    return exchangeCode(app, { ...given, ...change(given) })
  }
  const other = (await registerApp(app)).body.client_id
  expect((await attempt(() => ({ clientId: other }))).status).toBe(400)
  expect((await attempt(() => ({ verifier: 'x'.repeat(43) }))).status).toBe(401)
  expect((await attempt(() => ({ redirect: 'https://app.example/elsewhere' }))).status).toBe(400)
  const asked = await askForConsent(app, brain)
  const url = new URL((await consent(app, brain, asked.signed)).body.url)
  expect([url.origin + url.pathname, url.searchParams.get('state'), url.searchParams.get('iss')]).toEqual([
    ...[redirectUri, 'of-the-app'],
    expect.stringMatching(/noema\.test\/api\/auth$/),
  ])
  const given = { ...asked, code: url.searchParams.get('code') ?? '' }
  const both = await Promise.all([exchangeCode(app, given), exchangeCode(app, given)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
})

test('APP-05 a refresh token works once: used again, the whole family ends', async () => {
  const connected = await connectApp(app, brain)
  const second = await refresh(app, connected.clientId, connected.refreshToken)
  expect(second.status).toBe(200)
  expect((await rpc(second.body.access_token)).status).toBe(200)
  const again = await refresh(app, connected.clientId, connected.refreshToken)
  expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await rpc(second.body.access_token)).status).toBe(401)
  expect((await refresh(app, connected.clientId, second.body.refresh_token)).status).toBe(400)
  const racing = await connectApp(app, brain)
  const both = await Promise.all([1, 2].map(() => refresh(app, racing.clientId, racing.refreshToken)))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
})

test('APP-05 a refresh may ask for less, and an app that revokes its token is out', async () => {
  const connected = await connectApp(app, brain)
  const narrow = await refresh(app, connected.clientId, connected.refreshToken, { scope: 'read' })
  expect(await toolsOf(narrow.body.access_token)).toEqual(await toolsOf(await brain.mintKey(['read'])))
  const wider = await refresh(app, connected.clientId, narrow.body.refresh_token, { scope: 'read write' })
  expect(wider).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
  const form = { token: narrow.body.refresh_token, client_id: connected.clientId }
  expect((await sendForm(app, 'revoke', form)).status).toBe(200)
  expect((await rpc(narrow.body.access_token)).status).toBe(401)
})

/** The answers of an app before and after its grant ends, and that of its refresh. */
const askAround = async (
  connected: Awaited<ReturnType<typeof connectApp>>,
  path: string,
  end: () => Promise<unknown>,
) => {
  const before = (await rpc(connected.accessToken, 'tools/list', {}, path)).status
  await end()
  const after = (await rpc(connected.accessToken, 'tools/list', {}, path)).status
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
  for (const { connected, path } of theirs)
    expect((await rpc(connected.accessToken, 'tools/list', {}, path)).status).toBe(200)
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
  expect(await toolsOf(connected.accessToken)).toEqual(await toolsOf(await brain.mintKey(['read'])))
  expect(await narrow(['read', 'write'])).toMatchObject({ status: 400 })
  const refreshed = await refresh(app, connected.clientId, connected.refreshToken)
  expect(await toolsOf(refreshed.body.access_token)).not.toContain('knowledge_write')
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

test('APP-07 a consent is given on the page that the person was shown, by themselves, for what is theirs', async () => {
  const stranger = await createBrain(app, 'brain')
  const asked = await askForConsent(app, brain)
  // A page of another site, and a page without the cookie.
  const forged = { ...brain.session, origin: 'https://evil.example' }
  const grant = { organizationId: brain.organizationId, brain: 'brain', expiresAt: '2999-01-01T00:00:00Z' }
  const body = { accept: true, oauth_query: asked.signed, grant }
  expect((await callConsent(app, forged, 'consent', body)).body).toMatchObject({ code: 'MISSING_OR_NULL_ORIGIN' })
  expect((await callConsent(app, { origin: stranger.session.origin ?? '' }, 'consent', body)).status).toBe(401)
  // Another person's request, and one that was changed on the way.
  for (const path of ['consent', 'request'] as const) {
    const own = { ...grant, organizationId: stranger.organizationId }
    const sent = await callConsent(app, stranger.session, path, { ...body, grant: own })
    expect(sent).toMatchObject({ status: 400, body: { code: 'REQUEST_NOT_YOURS' } })
  }
  const changed = asked.signed.replace('app.example', 'evil.example')
  expect((await consent(app, brain, changed)).body).toMatchObject({ error: 'invalid_signature' })
  // Another organization, a Brain that is not there, more than was asked for, and too long.
  const refusals = [
    { organizationId: stranger.organizationId },
    { capabilities: ['admin'] },
    { capabilities: ['read', 'export'] },
    { capabilities: [] },
    { days: 366 },
    { days: -1 },
  ]
  for (const given of refusals) {
    const refused = await consent(app, brain, asked.signed, given)
    expect([given, refused.status >= 400 && refused.status < 500, refused.body.url]).toEqual([given, true, undefined])
  }
  const elsewhere = await askForConsent(app, brain, { brain: 'nothing-here' })
  expect(await consent(app, brain, elsewhere.signed, { brain: 'nothing-here' })).toMatchObject({ status: 404 })
  expect((await consent(app, brain, asked.signed, { days: 365 })).status).toBe(200)
  const denied = await callConsent(app, brain.session, 'consent', { accept: false, oauth_query: asked.signed })
  expect(new URL(denied.body.url).searchParams.get('error')).toBe('access_denied')
})

test('APP-07 the page shows what is asked for, where it may be given, and who may be meant by the name', async () => {
  const known = await connectApp(app, brain, { metadata: { client_name: 'Atlas Notes' } })
  const ask = async (name: string, host: string) => {
    const uri = `https://${host}/callback`
    const { client_id: clientId } = (await registerApp(app, { client_name: name, redirect_uris: [uri] })).body
    const resource = `${app.app.deps.publicUrl}${brain.path}/mcp`
    const asked = await askForConsent(app, brain, { clientId })
    expect(asked.opened.to.searchParams.get('error')).toBe('invalid_redirect')
    const { openRequest, newPkce } = await import('../../../test/apps.ts')
    const query = { response_type: 'code', client_id: clientId, redirect_uri: uri, resource, scope: 'read openid' }
    const pkce = { code_challenge: newPkce().challenge, code_challenge_method: 'S256' }
    const opened = await openRequest(app, brain.session, { ...query, ...pkce })
    return (await callConsent(app, brain.session, 'request', { oauth_query: opened.to.search.slice(1) })).body
  }
  expect(known.id).toBeTruthy()
  expect(await ask('Quiet Tool', 'quiet.example')).toEqual({
    app: {
      ...{ name: 'Quiet Tool', clientId: expect.any(String), redirectHost: 'quiet.example' },
      ...{ isOnThisMachine: false, isConnected: false },
    },
    lookAlikes: [],
    capabilities: ['read'],
    resource: 'brain',
    places: [{ id: brain.organizationId, name: expect.any(String), brains: ['brain'], agents: false }],
  })
  const lookAlikes = async (name: string, host = 'evil.example') => (await ask(name, host)).lookAlikes
  expect(await lookAlikes('АtIas N0tes')).toEqual([
    { kind: 'mixed_alphabets' },
    { kind: 'connected', name: 'Atlas Notes', host: 'app.example' },
  ])
  expect(await lookAlikes('CIaude')).toEqual([{ kind: 'well_known', name: 'claude', host: 'claude.ai' }])
  expect(await lookAlikes('Claude', 'claude.ai')).toEqual([])
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
