import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthApp, startAuthApp } from '../sign-in/auth-app.fixture.ts'

let auth: AuthApp
beforeAll(async () => {
  auth = await startAuthApp({ rateLimit: { windowSeconds: 60, max: 5 } })
})
afterAll(() => auth.close())

const body = { email: 'guess@example.com', password: 'guess after guess' }

test('SUR-04 too many attempts from one address are 429 with Retry-After, whatever proxy they claim', async () => {
  const attempt = (address: string) =>
    auth.call('POST', '/sign-in/email', {
      body,
      headers: { 'x-forwarded-for': address, 'x-noema-client-address': address },
    })
  for (let count = 1; count <= 5; count++) expect((await attempt(`10.0.0.${count}`)).status).toBe(401)
  const refused = await attempt('10.0.0.6')
  expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
})

test('the count of attempts restarts after its window', async () => {
  await auth.pool.query(`update auth_rate_limits set resets_at = now() - interval '1 second'`)
  expect((await auth.call('POST', '/sign-in/email', { body })).status).toBe(401)
  const ended = await auth.pool.query('select key from auth_rate_limits where resets_at <= now()')
  expect(ended.rows).toEqual([])
})

test('reading the session is not limited', async () => {
  for (let count = 1; count <= 12; count++) expect((await auth.call('GET', '/get-session')).status).toBe(200)
})

const guess = (auth: AuthApp, email: string, { password = 'guess after guess', address = '192.0.2.1' } = {}) =>
  auth.callFrom(address, 'POST', '/sign-in/email', { body: { email, password } })

const password = 'correct horse battery'

describe('attempts to sign in to one account', () => {
  let open: AuthApp
  beforeAll(async () => {
    open = await startAuthApp({ rateLimit: { windowSeconds: 60, max: 100_000 } })
  })
  afterAll(() => open.close())

  test('SUR-04 from one network are bounded, whether the account exists or not, and those of others stay free', async () => {
    await open.verifiedUser('owner@example.com')
    for (const email of ['owner@example.com', 'nobody@example.com']) {
      for (let count = 1; count <= 10; count++) expect((await guess(open, email)).status).toBe(401)
      const refused = await guess(open, email, { password })
      expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(900)
    }
    expect((await guess(open, 'owner@example.com', { password, address: '192.0.2.2' })).status).toBe(200)
    expect((await guess(open, 'another@example.com')).status).toBe(401)
  })

  test('SUR-04 from one IPv6 network count together, and many at once are no way around', async () => {
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, index) => guess(open, 'six@example.com', { address: `2001:db8::${index + 1}` })),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15)
  })

  test('a success clears the failures before it', async () => {
    const email = 'forgetful@example.com'
    await open.verifiedUser(email)
    for (let round = 1; round <= 2; round++) {
      for (let count = 1; count <= 9; count++) expect((await guess(open, email)).status).toBe(401)
      expect((await guess(open, email, { password })).status).toBe(200)
    }
  })

  test('SUR-04 from very many networks are bounded too, and the owner still signs in from where they are', async () => {
    const email = 'famous@example.com'
    await open.verifiedUser(email)
    const home = '198.51.100.7'
    expect((await guess(open, email, { password, address: home })).status).toBe(200)
    // The attempts before, as the table keeps them: trying them out would be a hundred passwords to hash.
    await open.pool.query(`update auth_rate_limits set count = 100 where key like 'sign-in|all|%'`)
    expect((await guess(open, email, { password, address: '203.0.113.9' })).status).toBe(429)
    expect((await guess(open, email, { password, address: home })).status).toBe(200)
  })
})

let chooser: AuthApp
beforeAll(async () => {
  chooser = await startAuthApp()
})
afterAll(() => chooser.close())

test.each([
  'password',
  'PASSWORD1',
  '12345678',
  '87654321',
  '        ',
  'aaaaaaaa',
  '1234567890',
  'ada@example.com',
  'lovelace.ada',
])('the password %j is refused wherever one is chosen', async (chosen) => {
  const email = chosen.startsWith('lovelace') ? 'lovelace.ada@example.com' : 'ada@example.com'
  const refusal = { status: 400, body: { code: 'PASSWORD_TOO_COMMON' } }
  expect(await chooser.signUp(email, { password: chosen })).toMatchObject(refusal)
  if (chosen === 'password')
    for (const path of ['/change-password', '/reset-password'])
      expect(
        await chooser.call('POST', path, { body: { newPassword: chosen, currentPassword: 'x', token: 'x' } }),
      ).toMatchObject(refusal)
})
