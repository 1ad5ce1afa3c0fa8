import { beforeAll, expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import {
  callConsent,
  connectApp,
  newPkce,
  openRequest,
  redirectUri,
  refresh,
  registerApp,
  sendForm,
  toResource,
} from '../../../test/apps.ts'
import { useOwnApp } from '../../../test/harness.ts'

// Anyone can register an app, and anyone can lead a person to the request of one.

const app = useOwnApp({ NOEMA_APP_REGISTRATIONS: '40' })
let brain: TestBrain
beforeAll(async () => {
  brain = await createBrain(app, 'brain')
})

const runWorker = async (name: string) => app.app.workers.find((worker) => worker.name === name)?.run()

const uris = (...redirectUris: string[]) => registerApp(app, { redirect_uris: redirectUris })

test.each([
  ...['http://app.example/callback', 'http://127.0.0.1.evil.example/', 'myapp://callback', 'javascript:alert(1)'],
  ...[
    'https://localhost/callback',
    'http://localhost.evil.example',
    'https://user@app.example/',
    'https://a.example/#x',
  ],
  ...['/callback', 'https://a.example/\\evil', 'data:text/html,x', 'http://0.0.0.0:1/', 'http://10.0.0.1/cb'],
])('APP-06 an app that redirects to %s is not registered', async (uri) => {
  expect(await uris(uri)).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } })
})

const ask = async (clientId: string, uri: string, more: Record<string, string> = {}) => {
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: uri,
    resource: toResource('http://noema.test', 'brain'),
  }
  const pkce = { code_challenge: newPkce().challenge, code_challenge_method: 'S256' }
  const { to, status } = await openRequest(app, brain.session, { ...query, ...pkce, ...more })
  return { status, page: to.origin + to.pathname, error: to.searchParams.get('error'), query: to.searchParams }
}

const shown = { status: 302, page: 'http://noema.test/authorize' }

test('APP-06 a consent goes to a registered address, to the letter; on the own machine, at any port', async () => {
  const { client_id: web } = (await uris('https://app.example/callback?x=1')).body
  expect(await ask(web, 'https://app.example/callback?x=1')).toMatchObject({ ...shown, error: null })
  const others = [
    'https://app.example/callback',
    'https://app.example:8443/callback?x=1',
    'http://app.example/callback?x=1',
  ]
  const further = [
    'https://evil.example/callback?x=1',
    'https://app.example/callback?x=1#',
    'https://app.example/Callback?x=1',
  ]
  const refused = { ...shown, error: expect.stringMatching(/^invalid_(redirect|request)$/) }
  for (const uri of [...others, ...further]) expect([uri, await ask(web, uri)]).toMatchObject([uri, refused])
  const { client_id: native } = (await uris('http://127.0.0.1/callback', 'http://localhost:33418/')).body
  for (const uri of ['http://127.0.0.1:4711/callback', 'http://127.0.0.1/callback', 'http://localhost:1/'])
    expect([uri, await ask(native, uri)]).toMatchObject([uri, { ...shown, error: null }])
  for (const uri of ['http://[::1]:4711/callback', 'http://127.0.0.1:4711/other', 'https://127.0.0.1/callback'])
    expect([uri, await ask(native, uri)]).toMatchObject([uri, refused])
})

test('APP-06 no request of an app leads a browser to its address before the person has consented', async () => {
  const { client_id: clientId } = (await uris(redirectUri)).body
  const wrong = [
    { code_challenge_method: 'plain' },
    { response_type: 'token' },
    { resource: 'https://elsewhere.example/mcp' },
    { resource: toResource('http://noema.test', '../../x') },
    { request_uri: 'https://evil.example/request' },
    { prompt: 'none' },
  ]
  for (const more of wrong) expect([more, await ask(clientId, redirectUri, more)]).toMatchObject([more, shown])
  const withoutPkce = await openRequest(app, brain.session, {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri },
  })
  expect([withoutPkce.to.origin, withoutPkce.to.searchParams.get('error')]).toEqual([
    'http://noema.test',
    'invalid_request',
  ])
  // Nothing about an app is looked up for somebody who is not signed in.
  const stranger = await openRequest(app, undefined, { client_id: 'unknown', response_type: 'code', state: 's' })
  expect(stranger.to.pathname + stranger.to.search).toBe(
    `/authorize?response_type=code&client_id=unknown&state=s&scope=read+write+review+offline_access&prompt=consent`,
  )
})

test('APP-09 only what is served here is registered, and secrets are needed where there is one', async () => {
  const hostile = {
    ...{ scope: 'openid admin', grant_types: ['authorization_code', 'client_credentials'], skip_consent: true },
    ...{
      application_type: 'web',
      require_pkce: false,
      disabled: true,
      token_endpoint_auth_method: 'client_secret_post',
    },
    ...{
      backchannel_logout_uri: 'http://127.0.0.1/',
      jwks_uri: 'http://127.0.0.1/keys',
      logo_uri: 'https://evil.example/x',
    },
  }
  const registered = await registerApp(app, { ...hostile, client_name: 'x'.repeat(5_000) })
  expect(registered.status).toBe(201)
  expect(registered.body).toMatchObject({
    ...{
      scope: 'read write review offline_access',
      grant_types: ['authorization_code', 'refresh_token'],
      disabled: false,
    },
    ...{ client_name: 'x'.repeat(100), client_secret: expect.any(String) },
  })
  for (const name of ['skip_consent', 'require_pkce', 'backchannel_logout_uri', 'jwks_uri', 'logo_uri'])
    expect(registered.body).not.toHaveProperty(name)
  const { client_id: clientId, client_secret: secret } = registered.body
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: 'unknown' }
  expect(
    (await sendForm(app, 'token', { grant_type: 'client_credentials', client_id: clientId, client_secret: secret }))
      .status,
  ).toBe(400)
  expect((await sendForm(app, 'token', { ...form, client_secret: 'wrong' })).body.error).toMatch(/^invalid_/)
  for (const metadata of [
    { redirect_uris: [] },
    { redirect_uris: 'x' },
    { grant_types: ['implicit'] },
    { response_types: ['token'] },
  ])
    expect((await registerApp(app, metadata)).status).toBe(400)
})

test('APP-09 calls of apps act for no browser, whatever page sends them', async () => {
  const headers = { origin: 'https://inspector.example', cookie: brain.session.cookie ?? '' }
  const preflight = await fetch(`${app.base}/api/auth/oauth2/token`, {
    ...{ method: 'OPTIONS', headers: { ...headers, 'access-control-request-method': 'POST' } },
  })
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  const sent = await sendForm(
    app,
    'token',
    { grant_type: 'refresh_token', client_id: 'x', refresh_token: 'y' },
    headers,
  )
  expect(sent).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(sent.headers.get('access-control-allow-credentials')).toBe(null)
  const page = await callConsent(app, { ...brain.session, origin: 'https://inspector.example' }, 'request', {
    oauth_query: 'x',
  })
  expect(page.status).toBe(403)
})

test('APP-04 APP-09 a grant expires, and an app is forgotten a day after the end of its last grant', async () => {
  const { client_id: unused } = (await registerApp(app)).body
  const brief = await connectApp(app, brain, { days: 2 })
  const kept = await connectApp(app, brain, { days: 365 })
  const ids = async () =>
    (await app.database.pool.query<{ id: string }>('select "clientId" as id from "oauthClient"')).rows.map(
      ({ id }) => id,
    )
  const findGrant = async (id: string) => {
    const { apps } = (await app.request('GET', '/v1/apps', { key: brain.key })).body.data
    return apps
      .flatMap(({ grants }: { grants: { id: string }[] }) => grants)
      .find((grant: { id: string }) => grant.id === id)
  }
  await runWorker('forget unused apps')
  expect(await ids()).toEqual(expect.arrayContaining([unused, brief.clientId, kept.clientId]))
  app.clock.advance({ days: 1, minutes: 1 })
  await runWorker('forget unused apps')
  expect((await ids()).sort()).toEqual([brief.clientId, kept.clientId].sort())
  const refreshed = await refresh(app, brief.clientId, brief.refreshToken)
  expect(refreshed.status).toBe(200)
  app.clock.advance({ days: 1 })
  expect(await findGrant(brief.grantId)).toMatchObject({ status: 'expired' })
  const late = await refresh(app, brief.clientId, refreshed.body.refresh_token)
  expect(late).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  const used = await app.request('POST', `${brain.path}/mcp`, { key: brief.accessToken, body: {} })
  expect(used.status).toBe(401)
  // Its tokens have expired, so nothing can use the other grant any more.
  app.clock.advance({ days: 31 })
  await runWorker('forget unused apps')
  expect(await findGrant(kept.grantId)).toMatchObject({ status: 'revoked' })
  expect(await ids()).toEqual([kept.clientId])
  app.clock.advance({ days: 1, minutes: 1 })
  await runWorker('forget unused apps')
  expect(await ids()).toEqual([])
})

test('APP-09 registrations of a network are limited, with when to try again', async () => {
  const statuses = []
  for (let n = 0; n < 41; n++) statuses.push((await registerApp(app)).status)
  expect(statuses.at(-1)).toBe(429)
  const refused = await registerApp(app)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const closed = await app.startNode({ NOEMA_APP_REGISTRATIONS: '0' })
  expect((await registerApp(closed)).status).toBe(403)
  const metadata = await closed.request('GET', '/.well-known/oauth-authorization-server/api/auth')
  expect(metadata.body).not.toHaveProperty('registration_endpoint')
  await closed.close()
})
