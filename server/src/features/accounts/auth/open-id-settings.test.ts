import { afterAll, expect, test } from 'vitest'
import { mailedLink, publicUrl, signUp } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { createJar, passProvider, startOpenIdProvider } from '../../../test/openid-provider.ts'
import { confirmAddress } from '../../../test/organizations.ts'

// The operator's settings of the OpenID provider, each on a separate node over one database.

const provider = await startOpenIdProvider()
afterAll(() => provider.close())
const app = useOwnApp()
const headers = { origin: publicUrl }

let count = 0
const newPerson = (email_verified?: boolean, domain = 'example.com') => {
  const login = `login${++count}`
  const email = `${login}@${domain}`
  provider.people.set(login, { email, ...(email_verified === undefined ? {} : { email_verified }) })
  return { login, email }
}

/** A node with the provider and these settings. */
const withNode = async <Result>(
  settings: Record<string, string>,
  use: (node: Awaited<ReturnType<typeof app.startNode>>) => Promise<Result>,
): Promise<Result> => {
  const node = await app.startNode({ ...provider.settings, ...settings })
  try {
    return await use(node)
  } finally {
    await node.close()
  }
}

type Node = { base: string; request: typeof app.request }

const goThrough = async (node: Node, login: string) => {
  const jar = createJar()
  const body = { provider: 'oidc', callbackURL: `${publicUrl}/`, errorCallbackURL: `${publicUrl}/sign-in` }
  const left = await node.request('POST', '/api/auth/sign-in/social', { headers, body })
  jar.keep(left.headers)
  const { pathname, search } = await passProvider(left.body.url, login)
  const back = await fetch(node.base + pathname + search, { redirect: 'manual', headers: { cookie: jar.header() } })
  jar.keep(back.headers)
  const session = { ...headers, cookie: jar.header() }
  const who = (await node.request('GET', '/v1/whoami', { headers: session })).body.data
  return { location: back.headers.get('location'), session, who }
}

test('AUT-13 without a provider there is no way over one', async () => {
  const body = { provider: 'oidc', callbackURL: publicUrl }
  expect((await app.request('POST', '/api/auth/sign-in/social', { headers, body })).status).toBe(404)
  expect((await app.request('GET', '/api/auth/sign-in-methods', { headers })).body.openId).toBeNull()
})

test('D-17 the first account of a service administers it, also when it came by the provider', async () => {
  const { login } = newPerson(true)
  const { who } = await withNode({}, (node) => goThrough(node, login))
  expect(who.administrator).toBe(true)
})

test('AUT-13 a provider that admits no one new still admits people with a proven account', async () => {
  const settings = { NOEMA_OIDC_SIGN_UP: 'false' }
  const { login } = newPerson(true)
  const refused = await withNode(settings, (node) => goThrough(node, login))
  expect(refused.location).toBe(`${publicUrl}/sign-in?error=signup_disabled`)
  const person = await signUp(app)
  await confirmAddress(app, person)
  provider.people.set('member', { email: person.email, email_verified: true })
  expect((await withNode(settings, (node) => goThrough(node, 'member'))).who.user.email).toBe(person.email)
})

test('AUT-13 only addresses of the named domains come in, each time', async () => {
  const settings = { NOEMA_OIDC_DOMAINS: 'company.example' }
  const [stranger, member] = [newPerson(true), newPerson(true, 'company.example')]
  const [near, far] = [newPerson(true, 'evil-company.example'), newPerson(true, 'company.example.evil.example')]
  await withNode(settings, async (node) => {
    for (const { login } of [stranger, near, far])
      expect((await goThrough(node, login)).location).toBe(`${publicUrl}/sign-in?error=email_not_found`)
    expect((await goThrough(node, member.login)).who.user.email).toBe(member.email)
    provider.people.set(member.login, { email: 'left@example.com', email_verified: true })
    expect((await goThrough(node, member.login)).location).toBe(`${publicUrl}/sign-in?error=email_not_found`)
  })
})

test('AUT-13 if the operator trusts its addresses, the provider need not say that it verified them', async () => {
  const { login, email } = newPerson()
  const { who } = await withNode({ NOEMA_OIDC_TRUST_EMAIL: 'true' }, (node) => goThrough(node, login))
  expect(who.user).toMatchObject({ email, emailVerified: true })
})

test('AUT-13 the secret is sent as configured, and a wrong one admits no one', async () => {
  const { login, email } = newPerson(true)
  const inBody = await withNode({ NOEMA_OIDC_CLIENT_AUTH: 'post' }, (node) => goThrough(node, login))
  expect(inBody.who.user.email).toBe(email)
  const wrong = await withNode({ NOEMA_OIDC_CLIENT_SECRET: 'another' }, (node) => goThrough(node, login))
  expect(wrong.location).toBe(`${publicUrl}/sign-in?error=invalid_code`)
  expect(wrong.who).toBeUndefined()
})

test('AUT-13 with passwords off, only the provider admits people', async () => {
  const person = await signUp(app)
  await confirmAddress(app, person)
  await withNode({ NOEMA_PASSWORD_SIGN_IN: 'false' }, async (node) => {
    const refusals = [
      ['POST', 'sign-in/email', { email: person.email, password: 'correct horse battery' }],
      ['POST', 'sign-up/email', { email: 'new@example.com', password: 'correct horse battery', name: 'New' }],
      ['POST', 'request-password-reset', { email: person.email }],
      ['POST', 'reset-password', { token: 'x', newPassword: 'correct horse battery' }],
      ['GET', 'reset-password/x', undefined],
      ['POST', 'change-password', { currentPassword: 'correct horse battery', newPassword: 'another horse battery' }],
      ['POST', 'two-factor/enable', { password: 'correct horse battery' }],
      ['POST', 'two-factor/verify-totp', { code: '123456' }],
      ['GET', 'passkey/generate-authenticate-options', undefined],
      ['POST', 'passkey/verify-authentication', { response: { id: 'x' } }],
    ] as const
    for (const [method, path, body] of refusals) {
      const answer = await node.request(method, `/api/auth/${path}`, { headers: person.session, ...(body && { body }) })
      expect([path, answer.status, answer.body?.code]).toEqual([path, 403, 'PASSWORD_SIGN_IN_OFF'])
    }
    const { body } = await node.request('GET', '/api/auth/sign-in-methods', { headers })
    expect(body).toEqual({ password: false, signUp: 'open', passkey: null, openId: { name: 'Example Company' } })
    const { login, email } = newPerson(true)
    expect((await goThrough(node, login)).who.user.email).toBe(email)
  })
})

test('AUT-13 an unavailable provider keeps no one else out, and is asked again the next time', async () => {
  const { login, email } = newPerson(true)
  await withNode({}, async (node) => {
    provider.replaced.set('/.well-known/openid-configuration', (response) => response.writeHead(502).end())
    const body = { provider: 'oidc', callbackURL: publicUrl }
    const away = await node.request('POST', '/api/auth/sign-in/social', { headers, body })
    expect(away).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
    const back = await fetch(`${node.base}/api/auth/callback/oidc?code=x&state=x`, { redirect: 'manual' })
    expect(back.headers.get('location')).toBe(`${publicUrl}/?error=provider_unavailable`)
    expect((await node.request('GET', '/api/auth/get-session', { headers })).status).toBe(200)
    provider.replaced.clear()
    expect((await goThrough(node, login)).who.user.email).toBe(email)
  })
})

test('AUT-14 a provider that calls itself something else than the settings do is not used', async () => {
  await withNode({ NOEMA_OIDC_ISSUER: `${provider.issuer}/` }, async (node) => {
    const body = { provider: 'oidc', callbackURL: publicUrl }
    expect((await node.request('POST', '/api/auth/sign-in/social', { headers, body })).status).toBe(503)
  })
  expect(app.logLines.some((line) => line.includes(`as the provider writes it: ${provider.issuer}"`))).toBe(true)
})

test('AUT-14 a mail that was sent before the provider vouched for its address ends nothing', async () => {
  const { email } = await signUp(app)
  provider.people.set('vouched', { email, email_verified: true })
  await withNode({}, async (node) => {
    const owner = await goThrough(node, 'vouched')
    const { pathname, search } = mailedLink(app, email)
    await fetch(node.base + pathname + search, { redirect: 'manual' })
    expect((await node.request('GET', '/v1/whoami', { headers: owner.session })).status).toBe(200)
  })
})
