import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import {
  askForConsent,
  callConsent,
  connectApp,
  consent,
  newPkce,
  openRequest,
  registerApp,
  toResource,
} from '../../../test/apps.ts'
import { useApp, useBrain } from '../../../test/harness.ts'

// The consent to an app: by whom, for what, and the page that asks for it.

const app = useApp()
const brain = useBrain(app)

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
    const resource = toResource(app.app.deps.publicUrl, 'brain')
    const asked = await askForConsent(app, brain, { clientId })
    expect(asked.opened.to.searchParams.get('error')).toBe('invalid_redirect')
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
