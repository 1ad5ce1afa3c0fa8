import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { trustedOrigins, untrustedOrigin } from './origin.ts'

const own = 'http://localhost:4100'
const trusted = trustedOrigins({
  publicUrl: own,
  appUrl: 'https://app.example',
  trustedOrigins: ['https://b.example'],
})

describe('AUT-10 trusted origins', () => {
  test('the public URL, the app and what the operator added; on loopback, both names of the machine', () => {
    expect([...trusted].sort()).toEqual(['http://127.0.0.1:4100', own, 'https://app.example', 'https://b.example'])
  })

  test('nothing at port 0, which the system replaces', () => {
    const settings = { publicUrl: 'http://127.0.0.1:0', appUrl: 'http://127.0.0.1:0', trustedOrigins: ['http://a:0'] }
    expect([...trustedOrigins(settings)]).toEqual([])
  })

  test('away from loopback, the public URL has one name', () => {
    const settings = { publicUrl: 'https://noema.example/', appUrl: 'https://noema.example', trustedOrigins: [] }
    expect([...trustedOrigins(settings)]).toEqual(['https://noema.example'])
  })
})

test.each([
  ['a request without any of the headers', {}],
  ['a key alone', { authorization: 'Bearer nsk_x', 'x-api-key': 'nsk_x' }],
  ['the own origin', { origin: own }],
  ['the own origin beside a foreign Referer', { origin: own, referer: 'https://evil.test/' }],
  ['a cookie with a trusted origin', { cookie: 'a=b', origin: 'https://app.example' }],
  ['a trusted Referer', { referer: `${own}/settings?tab=keys` }],
  ['a Referer cut to its origin', { 'sec-fetch-mode': 'cors', referer: `${own}/` }],
])('AUT-10 %s passes', (_case, headers) => {
  expect(untrustedOrigin(headers, trusted)).toBeUndefined()
})

test.each([
  ['a cookie alone', { cookie: 'a=b' }],
  ['an empty cookie', { cookie: '' }],
  ['Sec-Fetch-Site: same-origin alone', { 'sec-fetch-site': 'same-origin' }],
  ['Sec-Fetch-Mode alone', { 'sec-fetch-mode': 'cors' }],
  ['Sec-Fetch-Dest alone', { 'sec-fetch-dest': 'empty' }],
  ['Origin: null', { origin: 'null' }],
  ['an empty Origin', { origin: '' }],
  ['an untrusted Origin beside a trusted Referer', { origin: 'https://evil.test', referer: `${own}/` }],
  ['an untrusted Referer', { referer: 'https://evil.test/' }],
])('AUT-10 %s is refused', (_case, headers) => {
  const said = untrustedOrigin(headers, trusted)
  expect(said).toMatch(/trusted are http:\/\/localhost:4100/)
  expect(said).toContain('NOEMA_TRUSTED_ORIGINS')
})

test.each([
  'http://localhost',
  'http://localhost:4101',
  'https://localhost:4100',
  'HTTP://LOCALHOST:4100',
  'http://localhost:4100/',
  'http://localhost:4100.evil.test',
  'http://localhost:4100@evil.test',
  'http://localhost.evil.test:4100',
  'http://evil.test#http://localhost:4100',
  'http://localhost:4100, http://evil.test',
  'http://[::1]:4100',
  'https://sub.app.example',
  'https://app.example.',
  'not an origin',
])('AUT-10 Origin %s is refused, and so is a page of it as Referer', (origin) => {
  expect(untrustedOrigin({ origin }, trusted)).toContain(origin)
  if (origin !== 'http://localhost:4100/') expect(untrustedOrigin({ referer: `${origin}/` }, trusted)).toContain(origin)
})

const nearlyTrusted = fc
  .tuple(fc.constantFrom(...trusted), fc.nat(30), fc.string({ maxLength: 5 }), fc.nat(3))
  .map(([origin, at, extra, cut]) => origin.slice(0, at) + extra + origin.slice(at + cut))

test('AUT-10 no Origin passes that is not exactly a trusted one', () => {
  fc.assert(
    fc.property(fc.oneof(nearlyTrusted, fc.string(), fc.webUrl()), (origin) => {
      expect(untrustedOrigin({ origin }, trusted) === undefined).toBe(trusted.has(origin))
    }),
    { numRuns: 2000 },
  )
})

test('AUT-10 no Referer passes whose origin, as a browser reads it, is not a trusted one', () => {
  fc.assert(
    fc.property(fc.oneof(nearlyTrusted, fc.webUrl()), fc.string(), (start, end) => {
      const referer = `${start}${end}`
      if (untrustedOrigin({ referer }, trusted) === undefined) expect(trusted).toContain(new URL(referer).origin)
    }),
    { numRuns: 2000 },
  )
})
