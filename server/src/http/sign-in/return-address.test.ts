import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthApp, publicUrl, startAuthApp } from './auth-app.fixture.ts'
import { isTrustedAddress } from './return-address.ts'

let auth: AuthApp
beforeAll(async () => {
  auth = await startAuthApp()
})
afterAll(() => auth.close())

const elsewhere = [
  '/.//evil.example/login',
  '/..//evil.example',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  'https://evil.example/',
  'https://app.example@evil.example/',
  'https://app.example.evil.example/',
  'javascript:alert(1)',
  'data:text/html,x',
  'evil.example',
]

test.each(elsewhere)('no link of /api/auth leads to %j', async (address) => {
  const query = `callbackURL=${encodeURIComponent(address)}`
  for (const path of [`/verify-email?token=x&${query}`, `/reset-password/x?${query}`]) {
    const answer = await auth.call('GET', path)
    expect({ path, status: answer.status, location: answer.headers.location }).toEqual({ path, status: 403 })
  }
  const email = 'somebody@example.com'
  for (const [path, body] of [
    ['/sign-up/email', { email, password: 'correct horse battery', name: 'S', callbackURL: address }],
    ['/send-verification-email', { email, callbackURL: address }],
    ['/request-password-reset', { email, redirectTo: address }],
  ] as const)
    expect((await auth.call('POST', path, { body })).status).toBe(403)
  expect(await auth.mailTo(email)).toEqual([])
})

test.each(['/', '/brains/x?tab=events', 'https://app.example/welcome'])(
  'a link of /api/auth leads back to %s',
  async (address) => {
    const answer = await auth.call('GET', `/verify-email?token=x&callbackURL=${encodeURIComponent(address)}`)
    expect(answer.status).toBe(302)
    expect(String(answer.headers.location)).toContain('error=INVALID_TOKEN')
  },
)

test('a browser that follows any trusted address stays on a trusted origin', () => {
  const trusted = new Set([publicUrl, 'https://app.example'])
  const part = fc.constantFrom(
    '/',
    '//',
    '\\',
    '.',
    '..',
    '@',
    ':',
    'evil.example',
    'https://app.example',
    '%2f',
    ' ',
    '\t',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const address = parts.join('')
      if (!isTrustedAddress(address, trusted)) return
      // As a Location of this service, and once more as the path that another program makes of it.
      const first = new URL(address, `${publicUrl}/api/auth/verify-email`)
      expect([publicUrl, 'https://app.example']).toContain(first.origin)
      expect([publicUrl, 'https://app.example']).toContain(new URL(first.pathname, first).origin)
    }),
    { numRuns: 5_000 },
  )
})

test('there is no page of errors that shows the text of a link, and nothing of /api/auth is framed', async () => {
  expect((await auth.call('GET', '/error?error=x&error_description=call+us')).status).toBe(404)
  const { headers } = await auth.call('GET', '/ok')
  expect(headers['content-security-policy']).toContain("default-src 'none'")
})

test('a path of /api/auth that is longer than any is 404', async () => {
  expect((await auth.call('GET', `/${'x'.repeat(10_000)}`)).status).toBe(404)
})
