import { expect, test } from 'vitest'
import { mailedLink, publicUrl, signUp } from '../../../test/app.ts'
import { createAuthenticator } from '../../../test/authenticator.ts'
import { useApp } from '../../../test/harness.ts'
import { createJar } from '../../../test/openid-provider.ts'
import { confirmAddress } from '../../../test/organizations.ts'
import { toCode } from '../../../test/totp.ts'

// Passkeys, with a simulated device. The console's tests use a real browser's.

const app = useApp()
const password = 'correct horse battery'
const origin = { origin: publicUrl }

const createBrowser = () => {
  const jar = createJar()
  const call = async (method: string, path: string, body?: object) => {
    const headers = { ...origin, cookie: jar.header() }
    const answer = await app.request(method, `/api/auth/${path}`, { headers, ...(body && { body }) })
    jar.keep(answer.headers)
    return answer
  }
  return { jar, call }
}
type Browser = ReturnType<typeof createBrowser>

const isSignedIn = async ({ call }: Browser) => (await call('GET', 'get-session')).body !== null
const signIn = async (email: string, secret = password) => {
  const browser = createBrowser()
  await browser.call('POST', 'sign-in/email', { email, password: secret })
  return browser
}
const createPerson = async () => {
  const { email, ...person } = await signUp(app)
  await confirmAddress(app, { email, ...person })
  return { email, organizationId: person.organizationId, ...(await signIn(email)) }
}

type Device = ReturnType<typeof createAuthenticator>
type Options = Parameters<Device['register']>[1]

const add = async ({ call }: Browser, device: Device, options: Options = {}, extra: object = {}) => {
  const asked = await call('GET', 'passkey/generate-register-options')
  if (asked.status !== 200) return asked
  const response = device.register(asked.body, options)
  return call('POST', 'passkey/verify-registration', { response, name: 'Laptop', ...extra })
}
const enter = async ({ call }: Browser, device: Device, options: Options = {}) => {
  const asked = await call('GET', 'passkey/generate-authenticate-options')
  return call('POST', 'passkey/verify-authentication', { response: device.assert(asked.body, options) })
}
const rows = async (statement: string, values: unknown[] = []) =>
  (await app.database.pool.query(statement, values)).rows

test('AUT-16 a passkey is added, signs in, is renamed and removed, and its owner is notified', async () => {
  const person = await createPerson()
  const device = createAuthenticator()
  expect(await add(person, device)).toMatchObject({ status: 200, body: { name: 'Laptop' } })
  const browser = createBrowser()
  expect((await enter(browser, device)).status).toBe(200)
  expect((await browser.call('GET', 'get-session')).body.user.email).toBe(person.email)
  const [{ id }] = (await person.call('GET', 'passkey/list-user-passkeys')).body
  expect((await person.call('POST', 'passkey/update-passkey', { id, name: 'Old laptop' })).status).toBe(200)
  expect((await person.call('GET', 'passkey/list-user-passkeys')).body).toMatchObject([{ name: 'Old laptop' }])
  expect((await person.call('POST', 'passkey/delete-passkey', { id })).status).toBe(200)
  expect((await enter(createBrowser(), device)).status).toBe(401)
  const subjects = await rows('select subject from mail_outbox where recipient = $1 order by id', [person.email])
  expect(subjects.map(({ subject }) => subject).slice(-2)).toEqual(['A passkey was added', 'A passkey was removed'])
  const headers = { ...origin, cookie: person.jar.header(), 'x-organization-id': person.organizationId }
  const { body } = await app.request('GET', '/v1/audit', { headers })
  const actions = body.data.entries.map(({ action }: { action: string }) => action)
  expect(actions.slice(-2)).toEqual(['account.passkey_added', 'account.passkey_removed'])
})

test('AUT-16 a passkey requires user verification, and then counts as two factors', async () => {
  const person = await createPerson()
  const device = createAuthenticator()
  const { body: asked } = await person.call('GET', 'passkey/generate-register-options')
  expect(asked.authenticatorSelection).toMatchObject({ userVerification: 'required', residentKey: 'required' })
  expect(asked.rp).toEqual({ name: 'Noema', id: 'noema.test' })
  await add(person, device)
  const { totpURI } = (await person.call('POST', 'two-factor/enable', { password })).body
  await person.call('POST', 'two-factor/verify-totp', { code: toCode(totpURI) })
  const { body: challenge } = await createBrowser().call('GET', 'passkey/generate-authenticate-options')
  expect(challenge).toMatchObject({ userVerification: 'required', rpId: 'noema.test' })
  const browser = createBrowser()
  expect((await enter(browser, device)).status).toBe(200)
  expect(await isSignedIn(browser)).toBe(true)
})

test.each<[string, NonNullable<Options>]>([
  ['asked nobody for a PIN, a finger or a face', { asksNoOne: true }],
  ['answers a page of another origin', { origin: 'https://evil.example' }],
  ['is bound to another domain', { domain: 'evil.example' }],
])('AUT-16 a device that %s is refused, when it is added and when it signs in', async (_case, options) => {
  const person = await createPerson()
  expect((await add(person, createAuthenticator(), options)).status).toBe(400)
  expect(
    await rows(`select passkey.id from passkey join "user" on "user".id = "userId" where email = $1`, [person.email]),
  ).toEqual([])
  const device = createAuthenticator()
  await add(person, device)
  const browser = createBrowser()
  expect((await enter(browser, device, options)).status).toBe(400)
  expect(await isSignedIn(browser)).toBe(false)
})

test('AUT-16 a copy of a device, which counts from where it was copied, is refused', async () => {
  const person = await createPerson()
  const device = createAuthenticator()
  await add(person, device)
  expect((await enter(createBrowser(), device, { counter: 5 })).status).toBe(200)
  expect((await enter(createBrowser(), device, { counter: 5 })).status).toBe(400)
  expect((await enter(createBrowser(), device, { counter: 6 })).status).toBe(200)
})

test('AUT-16 a challenge is valid once, in the browser that requested it', async () => {
  const person = await createPerson()
  const device = createAuthenticator()
  await add(person, device)
  const browser = createBrowser()
  const { body: challenge } = await browser.call('GET', 'passkey/generate-authenticate-options')
  const response = device.assert(challenge)
  const elsewhere = createBrowser()
  expect((await elsewhere.call('POST', 'passkey/verify-authentication', { response })).status).toBe(400)
  await elsewhere.call('GET', 'passkey/generate-authenticate-options')
  expect((await elsewhere.call('POST', 'passkey/verify-authentication', { response })).status).toBe(400)
  expect((await browser.call('POST', 'passkey/verify-authentication', { response })).status).toBe(200)
  expect((await browser.call('POST', 'passkey/verify-authentication', { response })).status).toBe(400)
})

test.each([
  ['nothing', {}],
  ['no object', { response: 'x' }],
  ['an empty object', { response: {} }],
  ['numbers', { response: { id: 1, rawId: 2, response: 3 } }],
  [
    'bytes that mean nothing',
    {
      response: {
        id: 'eA',
        rawId: 'eA',
        type: 'public-key',
        response: { clientDataJSON: 'e30', attestationObject: 'oA', authenticatorData: 'eA', signature: 'eA' },
      },
    },
  ],
])('AUT-16 %s in place of a device is the caller’s mistake', async (_case, body) => {
  const person = await createPerson()
  await person.call('GET', 'passkey/generate-register-options')
  const added = await person.call('POST', 'passkey/verify-registration', body)
  expect([400, 401]).toContain(added.status)
  const browser = createBrowser()
  await browser.call('GET', 'passkey/generate-authenticate-options')
  const entered = await browser.call('POST', 'passkey/verify-authentication', body)
  expect([400, 401]).toContain(entered.status)
})

test('AUT-16 adding a passkey needs a recent session with a confirmed address', async () => {
  const device = createAuthenticator()
  expect((await add(createBrowser(), device)).status).toBe(401)
  const { session } = await signUp(app)
  const early = await app.request('GET', '/api/auth/passkey/generate-register-options', { headers: session })
  expect(early).toMatchObject({ status: 403, body: { code: 'EMAIL_NOT_VERIFIED' } })
  const person = await createPerson()
  await app.database.pool.query(
    `update session set "createdAt" = now() - interval '16 minutes'
    where "userId" = (select id from "user" where email = $1)`,
    [person.email],
  )
  expect(await add(person, device)).toMatchObject({ status: 403, body: { code: 'SESSION_NOT_FRESH' } })
})

test('AUT-16 a passkey belongs to one account, which alone renames and removes it', async () => {
  const [mine, theirs] = [await createPerson(), await createPerson()]
  const device = createAuthenticator()
  await add(theirs, device)
  const [{ id }] = (await theirs.call('GET', 'passkey/list-user-passkeys')).body
  expect((await mine.call('POST', 'passkey/delete-passkey', { id })).status).toBe(401)
  expect((await mine.call('POST', 'passkey/update-passkey', { id, name: 'mine' })).status).toBe(401)
  expect((await mine.call('GET', 'passkey/list-user-passkeys')).body).toEqual([])
  expect((await add(mine, device)).status).toBeGreaterThanOrEqual(400)
  const browser = createBrowser()
  await enter(browser, device)
  expect((await browser.call('GET', 'get-session')).body.user.email).toBe(theirs.email)
})

test('AUT-16 an account has at most twenty passkeys, also when they are added at once', async () => {
  const person = await createPerson()
  const [{ id }] = await rows('select id from "user" where email = $1', [person.email])
  await app.database.pool.query(
    `insert into passkey (id, "publicKey", "userId", "credentialID", counter, "deviceType", "backedUp")
    select 'pk' || n, 'x', $1, 'cr' || n, 0, 'singleDevice', false from generate_series(1, 19) n`,
    [id],
  )
  const browsers = [person, await signIn(person.email), await signIn(person.email)]
  const answers = await Promise.all(browsers.map((browser) => add(browser, createAuthenticator())))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403])
})

test('AUT-16 adding a passkey creates no session', async () => {
  const person = await createPerson()
  const answer = await add(person, createAuthenticator(), {}, { createSession: true })
  expect(answer).toMatchObject({ status: 400, body: { code: 'NOT_TAKEN' } })
})

test('AUT-16 the passkeys of who never proved the account end when its owner chooses a password by mail', async () => {
  const { email } = await signUp(app)
  const link = mailedLink(app, email)
  await fetch(app.base + link.pathname + link.search, { redirect: 'manual' })
  const device = createAuthenticator()
  expect((await add(await signIn(email), device)).status).toBe(200)
  const owner = createBrowser()
  await owner.call('POST', 'request-password-reset', { email })
  const token = mailedLink(app, email).searchParams.get('token')
  await owner.call('POST', 'reset-password', { token, newPassword: 'chosen by the owner' })
  expect((await enter(createBrowser(), device)).status).toBe(401)
  // From then on the account is proven, and a password chosen by mail leaves its passkeys.
  expect((await add(await signIn(email, 'chosen by the owner'), device)).status).toBe(200)
  await owner.call('POST', 'request-password-reset', { email })
  const again = mailedLink(app, email).searchParams.get('token')
  await owner.call('POST', 'reset-password', { token: again, newPassword: 'chosen once more' })
  expect((await enter(createBrowser(), device)).status).toBe(200)
})

test('AUT-16 unanswered challenges are purged', async () => {
  const browser = createBrowser()
  await browser.call('GET', 'passkey/generate-authenticate-options')
  await app.database.pool.query(`update verification set "expiresAt" = now() - interval '1 second'`)
  await browser.call('GET', 'passkey/generate-authenticate-options')
  expect(await rows('select from verification')).toHaveLength(1)
})
