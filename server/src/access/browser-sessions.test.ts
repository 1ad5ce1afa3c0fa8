import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { signUp } from '../test/app.ts'
import { useBrain, useOwnApp } from '../test/harness.ts'
import { rawRequest } from '../test/raw-request.ts'

const app = useOwnApp({ NOEMA_TRUSTED_ORIGINS: 'https://app.example' })
const brain = useBrain(app)

const get = async (path: string, headers: Record<string, string>) => {
  const { status, text } = await rawRequest(app.base, { method: 'GET', path, headers })
  return { status, error: JSON.parse(text).error }
}

const bySession = (path: string, headers: Record<string, string>) => {
  const { cookie, organizationId } = brain
  return get(path, { cookie, 'x-organization-id': organizationId, ...headers })
}

test.each([
  ['no Origin at all', {}],
  ['Origin: null', { origin: 'null' }],
  ['another host', { origin: 'https://evil.example' }],
  ['a trusted host by another scheme', { origin: 'https://noema.test' }],
  ['a trusted host as a prefix', { origin: 'http://noema.test.evil.example' }],
  ['a trusted Referer beside another Origin', { origin: 'https://evil.example', referer: 'http://noema.test/' }],
  ["another host's Referer", { referer: 'https://evil.example/http://noema.test/' }],
  ['Sec-Fetch headers alone', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }],
] as const)(
  'AUT-10 a session request with %s is 403 MISSING_OR_NULL_ORIGIN in the error envelope',
  async (_case, headers) => {
    for (const path of ['/v1/keys', '/v1/whoami'])
      expect(await bySession(path, headers)).toEqual({
        status: 403,
        error: { kind: 'forbidden', code: 'MISSING_OR_NULL_ORIGIN', message: expect.stringContaining('Origin') },
      })
  },
)

test.each([
  ['the own origin', { origin: 'http://noema.test' }],
  ['an origin that the operator trusts', { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }],
  ['a trusted Referer', { referer: 'http://noema.test/keys' }],
])('AUT-10 a session request with %s passes', async (_case, headers) => {
  expect((await bySession('/v1/keys', headers)).status).toBe(200)
})

test.each([
  ['Sec-Fetch-Mode, as fetch in Node sends it', { 'sec-fetch-mode': 'cors' }],
  ['a foreign Origin', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['Origin: null', { origin: 'null' }],
])('AUT-10 a request with a key passes with %s', async (_case, headers) => {
  const keys = [brain.key, await brain.mintKey(['read'])]
  for (const key of keys)
    expect((await get(brain.path, { authorization: `Bearer ${key}`, ...headers })).status).toBe(200)
})

test('AUT-10 a write by a session without a trusted origin mints nothing', async () => {
  const { cookie, organizationId } = brain
  const headers = { cookie, 'x-organization-id': organizationId, origin: 'https://evil.example' }
  const refused = await app.request('POST', '/v1/keys', { headers, body: { name: 'stolen' } })
  expect(refused.body.error.code).toBe('MISSING_OR_NULL_ORIGIN')
  const { body } = await app.request('GET', '/v1/keys', { headers: brain.session })
  expect(body.data.keys.map((key: { name: string }) => key.name)).toEqual(['test'])
})

test('AUT-11 the session of a sign-up mints a management key at once', async () => {
  const { session, organizationId } = await signUp(app)
  const minted = await app.request('POST', '/v1/keys', { headers: session, body: { name: 'first' } })
  expect(minted).toMatchObject({ status: 201, body: { data: { key: { organizationId, status: 'active' } } } })
})

test('AUT-05 a session that ended is 401', async () => {
  const { session } = await signUp(app)
  await app.request('POST', '/api/auth/sign-out', { headers: session, body: {} })
  expect((await app.request('GET', '/v1/keys', { headers: session })).status).toBe(401)
  const forged = { ...session, cookie: 'noema.session_token=forged.signature' }
  expect((await app.request('GET', '/v1/keys', { headers: forged })).status).toBe(401)
})

test('AUT-10 D-83 with NOEMA_PORT=0 the pages of the port that the system chose are trusted, and none of port 0', async () => {
  const node = await app.startNode({ NOEMA_PUBLIC_URL: '' })
  const { port } = new URL(node.base)
  const signUp = async (origin: string) => {
    const body = {
      email: `${randomBytes(5).toString('hex')}@example.com`,
      password: 'correct horse battery',
      name: 'A',
    }
    return (await node.request('POST', '/api/auth/sign-up/email', { headers: { origin }, body })).status
  }
  const origins = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, 'http://127.0.0.1:0', 'http://localhost:0']
  const statuses = []
  for (const origin of origins) statuses.push(await signUp(origin))
  expect(statuses).toEqual([200, 200, 403, 403])
  await node.close()
})
