import { expect, test } from 'vitest'
import type { TestApp } from '../../test/app.ts'
import { useBrain, useOwnApp } from '../../test/harness.ts'

const page = 'https://app.example'
const trusted = 'https://other.example'
const stranger = 'https://stranger.example'

const app = useOwnApp({ NOEMA_APP_ORIGIN: page, NOEMA_TRUSTED_ORIGINS: trusted })
const brain = useBrain(app)
const open = useOwnApp({ NOEMA_CORS_ANY: 'true' })

const preflight = ({ base }: Pick<TestApp, 'base'>, path: string, origin: string) =>
  fetch(base + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-organization-id',
    },
  })

/** The headers that a browser evaluates. */
const reported = ({ headers }: Pick<Response, 'headers'>) => ({
  origin: headers.get('access-control-allow-origin'),
  credentials: headers.get('access-control-allow-credentials'),
  vary: headers.get('vary')?.toLowerCase().split(/, */).includes('origin'),
})

const allowed = (origin: string) => ({ origin, credentials: 'true', vary: true })
const refused = { origin: null, credentials: null, vary: true }

test.each(['/v1/brains', '/api/auth/sign-up/email', '/v1/keys'])(
  'D-13c a preflight of %s is answered for the app and trusted origins alone, with what they may send',
  async (path) => {
    for (const origin of [page, trusted]) {
      const answer = await preflight(app, path, origin)
      expect(answer.status).toBe(204)
      expect(reported(answer)).toEqual(allowed(origin))
      expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH')
      expect(answer.headers.get('access-control-allow-headers')).toContain('x-organization-id')
    }
    for (const origin of [stranger, 'null', `${page}.evil.example`, page.toUpperCase()])
      expect(reported(await preflight(app, path, origin)), origin).toEqual(refused)
  },
)

test('D-13c answers and refusals of every sort are read by the page, with the headers that they carry', async () => {
  const path = `${brain.path}/records`
  const cases = [
    ['GET', '/v1/whoami', {}, 401],
    ['GET', path, { authorization: `Bearer ${brain.key}` }, 200],
    ['GET', `${path}?wrong=1`, { authorization: `Bearer ${brain.key}` }, 400],
    ['GET', '/v1/nothing', {}, 404],
    ['GET', `/v1/brains/none`, { authorization: `Bearer ${brain.key}` }, 404],
    ['GET', '/api/auth/get-session', {}, 200],
  ] as const
  for (const [method, url, headers, status] of cases) {
    const answer = await app.request(method, url, { headers: { ...headers, origin: page } })
    expect(answer.status, url).toBe(status)
    expect(reported(answer), url).toEqual(allowed(page))
    const exposed = answer.headers.get('access-control-expose-headers')?.split(', ')
    expect(exposed).toEqual(expect.arrayContaining(['x-request-id', 'retry-after', 'ratelimit']))
  }
})

test('D-13c an untrusted page reads nothing, and a call without an origin gets no CORS headers', async () => {
  const headers = { authorization: `Bearer ${brain.key}` }
  const answer = await app.request('GET', `${brain.path}/records`, { headers: { ...headers, origin: stranger } })
  expect(reported(answer)).toEqual(refused)
  expect(reported(await app.request('GET', `${brain.path}/records`, { headers }))).toEqual(refused)
})

test('D-13c with NOEMA_CORS_ANY a page of any origin calls /v1 with a key, never with a cookie, and accounts stay closed', async () => {
  const anybody = { origin: '*', credentials: null, vary: true }
  expect(reported(await preflight(open, '/v1/brains', stranger))).toEqual(anybody)
  expect(reported(await open.request('GET', '/v1/whoami', { headers: { origin: stranger } }))).toEqual(anybody)
  expect(reported(await preflight(open, '/api/auth/sign-in/email', stranger))).toEqual(refused)
  // The service's own origin is trusted as ever.
  expect(reported(await preflight(open, '/v1/brains', 'http://noema.test'))).toEqual(allowed('http://noema.test'))
})

test('D-13c pages of the console and the probes of operators are no part of it', async () => {
  for (const path of ['/', '/livez'])
    expect(
      (await app.request('GET', path, { headers: { origin: page } })).headers.get('access-control-allow-origin'),
    ).toBeNull()
})
