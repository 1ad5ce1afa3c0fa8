import type { ServerResponse } from 'node:http'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { mailedLink, publicUrl, signUp } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { createJar, passProvider, startOpenIdProvider } from '../../../test/openid-provider.ts'
import { confirmAddress } from '../../../test/organizations.ts'

// Sign-in through an OpenID provider, and attempts to get into another person's account through it.

const provider = await startOpenIdProvider()
const other = await startOpenIdProvider()
afterAll(async () => {
  await provider.close()
  await other.close()
})
const app = useOwnApp(provider.settings)
const headers = { origin: publicUrl }
type Node = { base: string; request: typeof app.request }

let count = 0
const newAddress = () => `person${++count}@example.com`
beforeEach(() => provider.replaced.clear())

/** Starts the sign-in in a new browser. */
const leave = async (body: object = {}, node: Node = app) => {
  const jar = createJar()
  const sent = {
    provider: 'oidc',
    callbackURL: `${publicUrl}/brains`,
    errorCallbackURL: `${publicUrl}/sign-in`,
    ...body,
  }
  const answer = await node.request('POST', '/api/auth/sign-in/social', { headers, body: sent })
  jar.keep(answer.headers)
  return { jar, answer, address: String(answer.body?.url) }
}

/** Opens the address that the provider led back to. */
const comeBack = async ({ pathname, search }: URL, jar: ReturnType<typeof createJar>, node: Node = app) => {
  const response = await fetch(node.base + pathname + search, {
    redirect: 'manual',
    headers: { cookie: jar.header(), 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' },
  })
  jar.keep(response.headers)
  return { status: response.status, location: response.headers.get('location') }
}

/** Completes the sign-in. `person` is the person who is already signed in, if any. */
const goThrough = async (login: string, body: object = {}, node: Node = app) => {
  const { jar, address } = await leave(body, node)
  const { location } = await comeBack(await passProvider(address, login), jar, node)
  const session = { ...headers, cookie: jar.header() }
  const { body: who } = await node.request('GET', '/v1/whoami', { headers: session })
  return { location, jar, session, person: who?.data?.user, organizations: who?.data?.organizations }
}

const refusal = (code: string) => ({ location: expect.stringContaining(`${publicUrl}/sign-in?error=${code}`) })
const knows = (login: string, email: string, email_verified: boolean | string = true) =>
  provider.people.set(login, { email, email_verified, name: 'Ada Lovelace' })
const rows = async (statement: string, values: unknown[] = []) =>
  (await app.database.pool.query(statement, values)).rows
const readAccount = async (email: string) =>
  (await rows(`select id, "emailVerified", proven_at from "user" where email = $1`, [email]))[0]
const emails = async (email: string) =>
  (await rows('select subject, body from mail_outbox where recipient = $1 order by id', [email])) as {
    subject: string
    body: string
  }[]

test('AUT-13 pages get the available sign-in methods', async () => {
  expect((await app.request('GET', '/api/auth/sign-in-methods', { headers })).body).toEqual({
    password: true,
    signUp: 'open',
    passkey: { domain: 'noema.test' },
    openId: { name: 'Example Company' },
  })
})

test('AUT-13 a first sign-in by the provider creates a proven account, with an organization', async () => {
  const email = newAddress()
  knows('ada', email)
  const { location, person, organizations } = await goThrough('ada')
  expect(location).toBe(`${publicUrl}/brains`)
  expect(person).toMatchObject({ email, emailVerified: true })
  expect(organizations).toMatchObject([{ name: 'Ada Lovelace' }])
  expect(await readAccount(email)).toMatchObject({ emailVerified: true, proven_at: expect.any(Date) })
  expect(await emails(email)).toEqual([])
  const again = await goThrough('ada')
  expect(again.person.id).toBe(person.id)
})

test('AUT-13 the redirect has a state, a nonce and a proof key, and requests the configured scopes', async () => {
  const { address, answer } = await leave()
  expect(answer.status).toBe(200)
  expect(answer.headers.get('location')).toBeNull()
  const asked = Object.fromEntries(new URL(address).searchParams)
  expect(asked).toMatchObject({
    ...{ response_type: 'code', client_id: 'noema', scope: 'openid email profile', code_challenge_method: 'S256' },
    ...{ redirect_uri: `${publicUrl}/api/auth/callback/oidc`, state: expect.stringMatching(/^[\w-]{32}$/) },
    ...{ nonce: expect.stringMatching(/^[\w-]{32}$/), code_challenge: expect.any(String) },
  })
})

test('AUT-13 neither the provider’s tokens nor the state of the redirect are stored', async () => {
  knows('kept', newAddress())
  await goThrough('kept')
  const [row] = await rows(`select * from account where "accountId" = $1`, [`${provider.issuer} kept`])
  expect(row).toMatchObject({ accessToken: null, refreshToken: null, idToken: null, password: null })
  await leave()
  expect(await rows('select * from verification')).toEqual([])
})

test('AUT-13 a code of invitation goes along, and the tier is that of the code', async () => {
  await app.database.pool.query(`insert into invitation_codes (id, code, tier, created_at, updated_at)
    values ('inv_oidc', 'COMPANY', 'business', now(), now())`)
  const email = newAddress()
  knows('invited', email)
  const { organizations } = await goThrough('invited', { inviteCode: 'COMPANY' })
  const [organization] = await rows('select tier from organization where id = $1', [organizations[0].id])
  expect(organization.tier).toBe('business')
  const [event] = await rows(`select detail from admin_events where kind = 'signup' and email = $1`, [email])
  expect(event.detail).toMatchObject({ inviteCode: 'COMPANY' })
})

test('AUT-14 a proven account is linked, keeps its objects, and its owner is notified', async () => {
  const { email, ...owner } = await signUp(app)
  await confirmAddress(app, { email, ...owner })
  const { secret } = (await app.request('POST', '/v1/keys', { headers: owner.session, body: { name: 'kept' } })).body
    .data
  knows('linked', email.toUpperCase())
  const { person, session } = await goThrough('linked')
  expect(person.email).toBe(email)
  expect((await app.request('GET', '/v1/whoami', { key: secret })).status).toBe(200)
  expect((await app.request('GET', '/v1/whoami', { headers: owner.session })).status).toBe(200)
  expect((await emails(email)).at(-1)).toMatchObject({ subject: 'A way to sign in was added' })
  const log = await app.request('GET', '/v1/audit?action=account.sign_in_linked', {
    headers: { ...session, 'x-organization-id': owner.organizationId },
  })
  expect(log.body.data.entries).toHaveLength(1)
})

test.each([
  ['says that it is not', false],
  ['does not say that it is', undefined],
  ['says so in a word that means nothing', 'perhaps'],
])('AUT-14 an address that the provider %s verified admits no one, with or without an account', async (_case, said) => {
  const { email, ...owner } = await signUp(app)
  await confirmAddress(app, { email, ...owner })
  for (const address of [email, newAddress()]) {
    provider.people.set('liar', { email: address, ...(said === undefined ? {} : { email_verified: said }) })
    const { location, person } = await goThrough('liar')
    expect({ location }).toEqual(refusal('email_not_found'))
    expect(person).toBeUndefined()
  }
  expect(await rows(`select from account where "accountId" like '% liar'`)).toEqual([])
})

test('AUT-14 an account that a stranger created with another person’s address goes to its owner when they use the provider', async () => {
  const { email, session } = await signUp(app)
  const { secret } = (await app.request('POST', '/v1/keys', { headers: session, body: { name: 'prepared' } })).body.data
  knows('victim', email)
  const owner = await goThrough('victim')
  expect(owner.person.email).toBe(email)
  expect((await app.request('GET', '/v1/whoami', { key: secret })).status).toBe(401)
  expect((await app.request('GET', '/v1/keys', { headers: session })).status).toBe(401)
  const body = { email, password: 'correct horse battery' }
  expect((await app.request('POST', '/api/auth/sign-in/email', { headers, body })).status).toBe(401)
  expect(await readAccount(email)).toMatchObject({ emailVerified: true, proven_at: expect.any(Date) })
  expect((await emails(email)).at(-1)?.body).toContain('- management key “prepared”')
  // The stranger's mail of confirmation is of no use any more, and takes nothing from the owner.
  const link = mailedLink(app, email)
  await fetch(app.base + link.pathname + link.search, { redirect: 'manual' })
  expect((await goThrough('victim')).person.id).toBe(owner.person.id)
})

test('AUT-14 a subject whose address changes at the provider keeps their account, and gets no other', async () => {
  const [mine, theirs] = [newAddress(), await signUp(app)]
  await confirmAddress(app, theirs)
  knows('mover', mine)
  const before = await goThrough('mover')
  knows('mover', theirs.email)
  const after = await goThrough('mover')
  expect(after.person).toMatchObject({ id: before.person.id, email: mine })
  knows('mover', 'unverified@example.com', false)
  expect((await goThrough('mover')).person.id).toBe(before.person.id)
})

test('AUT-14 an address that the provider gave to someone else does not open the account of its former owner', async () => {
  const email = newAddress()
  knows('first holder', email)
  const first = await goThrough('first holder')
  knows('second holder', email)
  const second = await goThrough('second holder')
  expect(second).toMatchObject(refusal('other_identity_linked'))
  expect(second.person).toBeUndefined()
  expect((await goThrough('first holder')).person.id).toBe(first.person.id)
})

test('AUT-14 a subject of another provider is another person, under any name', async () => {
  const node = await app.startNode(other.settings)
  const [one, two] = [newAddress(), newAddress()]
  knows('same', one)
  other.people.set('same', { email: two, email_verified: true })
  const here = await goThrough('same')
  const there = await goThrough('same', {}, node)
  expect([here.person.email, there.person.email]).toEqual([one, two])
  await node.close()
})

test('AUT-14 a sign-in that another browser began admits no one', async () => {
  knows('attacker', newAddress())
  const [attack, victim] = [await leave(), await leave()]
  const back = await passProvider(attack.address, 'attacker')
  expect((await comeBack(back, createJar())).location).toContain('error=state_mismatch')
  expect((await comeBack(back, victim.jar)).location).toContain('error=state_mismatch')
  // With the victim's own state, the attacker's code does not fit the proof key.
  back.searchParams.set('state', new URL(victim.address).searchParams.get('state') ?? '')
  const { jar } = victim
  expect((await comeBack(back, jar)).location).not.toContain('/brains')
  expect((await app.request('GET', '/v1/whoami', { headers: { ...headers, cookie: jar.header() } })).status).toBe(401)
})

const copyJar = (jar: ReturnType<typeof createJar>) => {
  const copy = createJar()
  const pairs = jar.header().split('; ')
  copy.keep(new Headers(pairs.map((pair): [string, string] => ['set-cookie', pair])))
  return copy
}

test('AUT-14 a way back and its state are good for once, and one of another issuer for nothing', async () => {
  knows('once', newAddress())
  const { jar, address } = await leave()
  const back = await passProvider(address, 'once')
  const mixed = new URL(back)
  mixed.searchParams.set('iss', other.issuer)
  const copy = copyJar(jar)
  expect((await comeBack(mixed, copy)).location).toContain('error=issuer_mismatch')
  const [again, before] = [await passProvider(address, 'once'), copyJar(jar)]
  expect((await comeBack(back, jar)).location).toBe(`${publicUrl}/brains`)
  expect((await comeBack(back, jar)).location).toContain('error=')
  // Nor does a new code help, with a copy of the cookie that holds the state.
  expect((await comeBack(again, before)).location).toContain(`${publicUrl}/sign-in?error=`)
})

const answers = (body: unknown) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
const unsigned = (claims: object) =>
  `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`

test.each([
  ['no ID token', () => ({ access_token: 'x', token_type: 'Bearer' })],
  [
    'one that nobody signed',
    () => ({ id_token: unsigned({ iss: provider.issuer, aud: 'noema', sub: 'forged', email: 'a@example.com' }) }),
  ],
])('AUT-14 a provider that answers a code with %s signs nobody in', async (_case, answer) => {
  knows('forged', newAddress())
  const { jar, address } = await leave()
  const back = await passProvider(address, 'forged')
  provider.replaced.set('/token', answers(answer()))
  expect((await comeBack(back, jar)).location).toContain(`${publicUrl}/sign-in?error=`)
})

test('AUT-14 a provider whose user info is about another person than the ID token admits no one', async () => {
  knows('honest', newAddress())
  const { jar, address } = await leave()
  const back = await passProvider(address, 'honest')
  provider.replaced.set('/me', answers({ sub: 'somebody else', email: 'boss@example.com', email_verified: true }))
  expect(await comeBack(back, jar)).toMatchObject(refusal('unable_to_get_user_info'))
  expect(await readAccount('boss@example.com')).toBeUndefined()
})

test.each([
  ['a token in place of the way', { idToken: { token: 'x' } }],
  ['scopes of its own', { scopes: ['offline_access'] }],
  ['data of its own', { additionalData: { inviteCode: 'x' } }],
  ['parameters of its own', { additionalParams: { prompt: 'none' } }],
])('AUT-14 a call that sends %s is refused', async (_case, body) => {
  expect((await leave(body)).answer).toMatchObject({ status: 400, body: { code: 'NOT_TAKEN' } })
})

test('AUT-14 no redirect leads to a page of another origin', async () => {
  const { answer } = await leave({ callbackURL: 'https://evil.example' })
  expect(answer).toMatchObject({ status: 403, body: { code: 'INVALID_CALLBACK_URL' } })
})

test.each(['/link-social', '/unlink-account', '/refresh-token', '/get-access-token', '/account-info'])(
  'AUT-14 %s is closed, even with a session',
  async (path) => {
    const { session } = await signUp(app)
    const body = { provider: 'oidc', providerId: 'oidc', callbackURL: publicUrl }
    const method = path === '/account-info' ? 'GET' : 'POST'
    const answer = await app.request(method, `/api/auth${path}`, {
      headers: session,
      ...(method === 'POST' ? { body } : {}),
    })
    expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  },
)
