import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthApp, startAuthApp } from './auth-app.fixture.ts'

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

test('attempts are counted anew once their window has ended', async () => {
  await auth.pool.query(`update auth_rate_limits set resets_at = now() - interval '1 second'`)
  expect((await auth.call('POST', '/sign-in/email', { body })).status).toBe(401)
  expect((await auth.pool.query('select count(*)::integer as count from auth_rate_limits')).rows).toEqual([
    { count: 1 },
  ])
})

test('reading the session is not limited', async () => {
  for (let count = 1; count <= 12; count++) expect((await auth.call('GET', '/get-session')).status).toBe(200)
})
