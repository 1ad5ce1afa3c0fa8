import { afterAll, expect, test } from 'vitest'
import { mailedLink, publicUrl, signUp } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { createJar, passProvider, startOpenIdProvider } from '../../../test/openid-provider.ts'
import { confirmAddress } from '../../../test/organizations.ts'
import { toCode, toNextCode, toWrongCode } from '../../../test/totp.ts'

// Second-factor codes in addition to the password.

const provider = await startOpenIdProvider()
afterAll(() => provider.close())
// Each caller has a separate network, set by the test.
const app = useOwnApp({ ...provider.settings, NOEMA_TRUSTED_PROXIES: '127.0.0.1' })
const password = 'correct horse battery'
const origin = { origin: publicUrl }

const createBrowser = (network = '198.51.100.7') => {
  const jar = createJar()
  const call = async (method: string, path: string, body?: object) => {
    const headers = { ...origin, cookie: jar.header(), 'x-forwarded-for': network }
    const answer = await app.request(method, `/api/auth/${path}`, { headers, ...(body && { body }) })
    jar.keep(answer.headers)
    return answer
  }
  return { jar, call }
}
type Browser = ReturnType<typeof createBrowser>

const isSignedIn = async ({ call }: Browser) => (await call('GET', 'get-session')).body !== null
const signIn = async (email: string, network?: string, secret = password) => {
  const browser = createBrowser(network)
  const answer = await browser.call('POST', 'sign-in/email', { email, password: secret })
  return { ...browser, answer }
}

/** A confirmed account, signed in. */
const createPerson = async () => {
  const { email, ...person } = await signUp(app)
  await confirmAddress(app, { email, ...person })
  return { email, organizationId: person.organizationId, ...(await signIn(email)) }
}

/** An account that asks for codes. The code of now turned them on, so the next is the first that it takes. */
const createGuarded = async () => {
  const person = await createPerson()
  const enabled = await person.call('POST', 'two-factor/enable', { password })
  const { totpURI, backupCodes } = enabled.body as { totpURI: string; backupCodes: string[] }
  const turnedOn = await person.call('POST', 'two-factor/verify-totp', { code: toCode(totpURI) })
  expect(turnedOn.status).toBe(200)
  return { ...person, totpURI, backupCodes }
}

const rows = async (statement: string, values: unknown[] = []) =>
  (await app.database.pool.query(statement, values)).rows
const lastSubject = async (email: string) =>
  (await rows('select subject from mail_outbox where recipient = $1 order by id desc limit 1', [email]))[0]?.subject

test('AUT-15 codes are turned on with the password and the first code, which ends every other session', async () => {
  const person = await createPerson()
  const elsewhere = await signIn(person.email)
  const wrong = await person.call('POST', 'two-factor/enable', { password: 'not the password' })
  expect(wrong).toMatchObject({ status: 400, body: { code: 'INVALID_PASSWORD' } })
  const { body } = await person.call('POST', 'two-factor/enable', { password })
  expect(body.totpURI).toMatch(/^otpauth:\/\/totp\/Noema/)
  expect(new Set(body.backupCodes).size).toBe(10)
  // Codes are required only after one was entered: a wrong scan locks no one out.
  expect((await signIn(person.email)).answer.body.twoFactorRedirect).toBeUndefined()
  expect((await person.call('POST', 'two-factor/verify-totp', { code: toWrongCode(body.totpURI) })).status).toBe(401)
  expect(await isSignedIn(elsewhere)).toBe(true)
  expect((await person.call('POST', 'two-factor/verify-totp', { code: toCode(body.totpURI) })).status).toBe(200)
  expect([await isSignedIn(person), await isSignedIn(elsewhere)]).toEqual([true, false])
  expect(await lastSubject(person.email)).toBe('Two-factor codes are on')
  const { body: session } = await person.call('GET', 'get-session')
  expect(session.user.twoFactorEnabled).toBe(true)
})

test('AUT-15 from then on a password alone admits no one, and a code with it does', async () => {
  const { email, totpURI } = await createGuarded()
  const browser = await signIn(email)
  expect(browser.answer).toMatchObject({ status: 200, body: { twoFactorRedirect: true, twoFactorMethods: ['totp'] } })
  expect(await isSignedIn(browser)).toBe(false)
  expect((await browser.call('POST', 'two-factor/verify-totp', { code: toNextCode(totpURI) })).status).toBe(200)
  expect(await isSignedIn(browser)).toBe(true)
})

test('AUT-15 a code without the password is nothing', async () => {
  const { totpURI } = await createGuarded()
  const stranger = createBrowser()
  const answer = await stranger.call('POST', 'two-factor/verify-totp', { code: toNextCode(totpURI) })
  expect(answer).toMatchObject({ status: 401, body: { code: 'INVALID_TWO_FACTOR_COOKIE' } })
})

test('AUT-15 a code works once, also when it is shown twice at the same moment', async () => {
  const { email, totpURI } = await createGuarded()
  const browsers = [await signIn(email), await signIn(email)]
  const code = toNextCode(totpURI)
  const answers = await Promise.all(browsers.map(({ call }) => call('POST', 'two-factor/verify-totp', { code })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  expect((await Promise.all(browsers.map(isSignedIn))).sort()).toEqual([false, true])
})

test('AUT-15 a backup code works once, and its owner is notified', async () => {
  const { email, backupCodes } = await createGuarded()
  const [code] = backupCodes
  const browsers = [await signIn(email), await signIn(email)]
  const answers = await Promise.all(browsers.map(({ call }) => call('POST', 'two-factor/verify-backup-code', { code })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await Promise.all(browsers.map(isSignedIn))).sort()).toEqual([false, true])
  const later = await signIn(email)
  expect((await later.call('POST', 'two-factor/verify-backup-code', { code })).status).toBe(401)
  expect(await lastSubject(email)).toBe('A backup code was used')
})

test('AUT-15 the password renews backup codes, and the old ones stop working', async () => {
  const { email, call, backupCodes } = await createGuarded()
  expect((await call('POST', 'two-factor/generate-backup-codes', { password: 'not the password' })).status).toBe(400)
  const made = await call('POST', 'two-factor/generate-backup-codes', { password })
  expect(made.body.backupCodes).toHaveLength(10)
  const browser = await signIn(email)
  const use = (code?: string) => browser.call('POST', 'two-factor/verify-backup-code', { code })
  expect((await use(backupCodes[1])).status).toBe(401)
  expect((await use(made.body.backupCodes[0])).status).toBe(200)
})

test('AUT-15 the database contains neither the secret nor a backup code', async () => {
  const { totpURI, backupCodes } = await createGuarded()
  const stored =
    JSON.stringify(await rows('select * from "twoFactor"')) + JSON.stringify(await rows('select * from "user"'))
  for (const secret of [new URL(totpURI).searchParams.get('secret') ?? '', ...backupCodes]) {
    expect(secret.length).toBeGreaterThan(9)
    expect(stored).not.toContain(secret)
  }
})

test('AUT-15 the password turns codes off, and their owner is notified', async () => {
  const { email, call } = await createGuarded()
  expect((await call('POST', 'two-factor/disable', { password: 'not the password' })).status).toBe(400)
  expect((await call('POST', 'two-factor/disable', { password })).status).toBe(200)
  expect(await isSignedIn(await signIn(email))).toBe(true)
  expect(await lastSubject(email)).toBe('Two-factor codes are off')
})

test('AUD-01 turning codes on and off is logged', async () => {
  const { call, jar, organizationId } = await createGuarded()
  await call('POST', 'two-factor/disable', { password })
  const headers = { ...origin, cookie: jar.header(), 'x-organization-id': organizationId }
  const { body } = await app.request('GET', '/v1/audit', { headers })
  const actions = body.data.entries.map(({ action }: { action: string }) => action)
  expect(actions.filter((action: string) => action.startsWith('account.two'))).toEqual([
    'account.two_factor_enabled',
    'account.two_factor_disabled',
  ])
})

test('AUT-15 a key works without its owner’s codes', async () => {
  const { email, ...person } = await signUp(app)
  await confirmAddress(app, { email, ...person })
  const { secret } = (await app.request('POST', '/v1/keys', { headers: person.session, body: { name: 'agent' } })).body
    .data
  const browser = await signIn(email)
  const { totpURI } = (await browser.call('POST', 'two-factor/enable', { password })).body
  await browser.call('POST', 'two-factor/verify-totp', { code: toCode(totpURI) })
  expect((await app.request('GET', '/v1/whoami', { key: secret })).status).toBe(200)
})

test('AUT-15 a password chosen by mail leaves the codes of a proven account: who reads the mail has not the phone', async () => {
  const { email, totpURI } = await createGuarded()
  const waiting = await signIn(email)
  const browser = createBrowser()
  await browser.call('POST', 'request-password-reset', { email })
  const token = mailedLink(app, email).searchParams.get('token')
  await browser.call('POST', 'reset-password', { token, newPassword: 'chosen by mail' })
  // A sign-in that waited for a code since the old password was entered has ended.
  expect((await waiting.call('POST', 'two-factor/verify-totp', { code: toNextCode(totpURI) })).status).toBe(401)
  const again = await signIn(email, undefined, 'chosen by mail')
  expect(again.answer.body.twoFactorRedirect).toBe(true)
  expect((await again.call('POST', 'two-factor/verify-totp', { code: toNextCode(totpURI) })).status).toBe(200)
})

test('AUT-15 the codes of who never proved the account end when its owner chooses a password by mail', async () => {
  const { email } = await signUp(app)
  const link = mailedLink(app, email)
  await fetch(app.base + link.pathname + link.search, { redirect: 'manual' })
  const squatter = await signIn(email)
  const { totpURI } = (await squatter.call('POST', 'two-factor/enable', { password })).body
  expect((await squatter.call('POST', 'two-factor/verify-totp', { code: toCode(totpURI) })).status).toBe(200)
  const owner = createBrowser()
  await owner.call('POST', 'request-password-reset', { email })
  const token = mailedLink(app, email).searchParams.get('token')
  await owner.call('POST', 'reset-password', { token, newPassword: 'chosen by the owner' })
  expect(await isSignedIn(await signIn(email, undefined, 'chosen by the owner'))).toBe(true)
  expect(
    await rows('select from "twoFactor" where "userId" = (select id from "user" where email = $1)', [email]),
  ).toEqual([])
})

test('AUT-15 before its address is confirmed an account has no codes', async () => {
  const { session } = await signUp(app)
  const answer = await app.request('POST', '/api/auth/two-factor/enable', { headers: session, body: { password } })
  expect(answer).toMatchObject({ status: 403, body: { code: 'EMAIL_NOT_VERIFIED' } })
})

test('AUT-15 codes are guessed ten times from one network, for any number of password entries, and others continue', async () => {
  const { email, totpURI } = await createGuarded()
  const guess = async (browser: Browser) =>
    (await browser.call('POST', 'two-factor/verify-totp', { code: toWrongCode(totpURI) })).status
  let browser = await signIn(email, '203.0.113.1')
  const statuses: number[] = []
  for (let attempt = 0; attempt < 12; attempt += 1) {
    if (attempt % 4 === 3) browser = await signIn(email, '203.0.113.1')
    statuses.push(await guess(browser))
  }
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
  const right = await browser.call('POST', 'two-factor/verify-totp', { code: toNextCode(totpURI) })
  expect(right).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
  expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0)
  const elsewhere = await signIn(email, '203.0.113.2')
  expect((await elsewhere.call('POST', 'two-factor/verify-totp', { code: toNextCode(totpURI) })).status).toBe(200)
})

test.each(['two-factor/enable', 'two-factor/disable', 'two-factor/generate-backup-codes', 'change-password'])(
  'AUT-15 a stolen session does not guess the password by %s',
  async (path) => {
    const { call } = await createPerson()
    const wrong = { password: 'not the password', currentPassword: 'not the password', newPassword: 'another horse' }
    const statuses: number[] = []
    for (let attempt = 0; attempt < 11; attempt += 1) statuses.push((await call('POST', path, wrong)).status)
    expect(statuses).toEqual([...Array(10).fill(400), 429])
  },
)

test('AUT-15 the provider admits no one past the codes of an account', async () => {
  const { email, totpURI } = await createGuarded()
  provider.people.set('guarded', { email, email_verified: true })
  const browser = createBrowser()
  const body = { provider: 'oidc', callbackURL: `${publicUrl}/`, errorCallbackURL: `${publicUrl}/sign-in` }
  const { pathname, search } = await passProvider(
    (await browser.call('POST', 'sign-in/social', body)).body.url,
    'guarded',
  )
  const cookie = browser.jar.header()
  const back = await fetch(app.base + pathname + search, { redirect: 'manual', headers: { cookie } })
  browser.jar.keep(back.headers)
  expect(back.headers.get('location')).toContain(`${publicUrl}/sign-in?error=two_factor_required`)
  expect(await isSignedIn(browser)).toBe(false)
  expect((await browser.call('POST', 'two-factor/verify-totp', { code: toWrongCode(totpURI) })).status).toBe(401)
  expect((await browser.call('POST', 'two-factor/verify-totp', { code: toNextCode(totpURI) })).status).toBe(200)
  expect(await isSignedIn(browser)).toBe(true)
})

test.each([
  ['verify-totp', { code: '000000', trustDevice: true }],
  ['verify-backup-code', { code: 'x', trustDevice: true }],
  ['verify-backup-code', { code: 'x', disableSession: true }],
])('AUT-15 no device is trusted without codes: %s refuses %j', async (path, body) => {
  const answer = await createBrowser().call('POST', `two-factor/${path}`, body)
  expect(answer).toMatchObject({ status: 400, body: { code: 'NOT_TAKEN' } })
})

test.each(['send-otp', 'verify-otp', 'get-totp-uri'])('AUT-15 /two-factor/%s is closed', async (path) => {
  const { call } = await createPerson()
  expect((await call('POST', `two-factor/${path}`, { password, code: 'x' })).status).toBe(404)
})

test('AUT-15 AUT-19 after the link to a locked account, its owner still needs the password and a code', async () => {
  const { email, totpURI } = await createGuarded()
  for (let guess = 0; guess < 11; guess++) await signIn(email, '203.0.113.7', 'wrong password')
  const locked = await signIn(email, '203.0.113.8', 'wrong password')
  expect(locked.answer.status).toBe(401)
  await locked.call('POST', 'request-sign-in-unlock', { email })
  await app.app.accounts.idle()
  const token = mailedLink(app, email).searchParams.get('unlock')
  const opened = await locked.call('POST', 'unlock-sign-in', { token })
  expect([opened.status, await isSignedIn(locked)]).toEqual([200, false])
  const half = await signIn(email, '203.0.113.8')
  expect(half.answer).toMatchObject({ status: 200, body: { twoFactorRedirect: true } })
  expect(await isSignedIn(half)).toBe(false)
  expect((await half.call('POST', 'two-factor/verify-totp', { code: toWrongCode(totpURI) })).status).toBe(401)
  expect(await isSignedIn(half)).toBe(false)
  expect((await half.call('POST', 'two-factor/verify-totp', { code: toNextCode(totpURI) })).status).toBe(200)
  expect(await isSignedIn(half)).toBe(true)
})
