import { expect, test } from 'vitest'
import {
  askForConsent,
  connectApp,
  consent,
  createRpc,
  exchangeCode,
  redirectUri,
  refresh,
  registerApp,
  sendForm,
} from '../../../test/apps.ts'
import { useApp, useBrain } from '../../../test/harness.ts'

// The codes and tokens of apps: each works once, for the app and the MCP server that it was made for.

const app = useApp()
const brain = useBrain(app)

const rpc = (token: string) => createRpc(app).rpc(token, `${brain.path}/mcp`)
const listTools = (token: string) => createRpc(app).listTools(token, `${brain.path}/mcp`)

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
  expect(await listTools(narrow.body.access_token)).toEqual(await listTools(await brain.mintKey(['read'])))
  const wider = await refresh(app, connected.clientId, narrow.body.refresh_token, { scope: 'read write' })
  expect(wider).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
  const form = { token: narrow.body.refresh_token, client_id: connected.clientId }
  expect((await sendForm(app, 'revoke', form)).status).toBe(200)
  expect((await rpc(narrow.body.access_token)).status).toBe(401)
})
