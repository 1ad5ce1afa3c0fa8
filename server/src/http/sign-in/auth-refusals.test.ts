import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthApp, publicUrl, startAuthApp, unlimited } from './auth-app.fixture.ts'
import { registerAuthRoutes } from './auth-routes.ts'

let auth: AuthApp
beforeAll(async () => {
  auth = await startAuthApp()
})
afterAll(() => auth.close())

let people = 0
const signUp = (headers: Record<string, string>) =>
  auth.app.inject({
    method: 'POST',
    url: '/api/auth/sign-up/email',
    headers,
    payload: { email: `person${++people}@example.com`, password: 'correct horse battery', name: 'Ada' },
  })

test.each([
  ['nothing that a browser adds', {}],
  ['the own origin', { origin: publicUrl }],
  ['the other name of the machine itself', { origin: 'http://127.0.0.1:4100' }],
  [
    'an origin that the operator trusts',
    { origin: 'https://app.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
  ],
  ['a trusted Referer alone', { referer: `${publicUrl}/sign-up`, 'sec-fetch-site': 'same-origin' }],
])('AUT-10 sign-up passes with %s', async (_case, headers) => {
  expect((await signUp(headers)).statusCode).toBe(200)
})

test.each([
  ['a cookie alone', { cookie: 'noema.session_token=x' }],
  ['Sec-Fetch-Site alone', { 'sec-fetch-site': 'same-origin' }],
  ['Sec-Fetch-Mode alone', { 'sec-fetch-mode': 'cors' }],
  ['Sec-Fetch-Dest alone', { 'sec-fetch-dest': 'empty' }],
  ['Origin: null', { origin: 'null' }],
  ['another host', { origin: 'https://evil.example' }],
  ['another port', { origin: 'http://localhost:4101' }],
  ['a trusted Referer beside an untrusted Origin', { origin: 'https://evil.example', referer: `${publicUrl}/` }],
  ['an untrusted Referer', { referer: 'https://evil.example/' }],
])('AUT-10 sign-up with %s is 403 MISSING_OR_NULL_ORIGIN', async (_case, headers) => {
  const refused = await signUp(headers)
  expect(refused.statusCode).toBe(403)
  expect(refused.json()).toEqual({ code: 'MISSING_OR_NULL_ORIGIN', message: expect.stringContaining(publicUrl) })
})

test('AUT-10 the check holds for reading, too', async () => {
  const refused = await auth.app.inject({ url: '/api/auth/get-session', headers: { 'sec-fetch-mode': 'cors' } })
  expect(refused).toMatchObject({ statusCode: 403 })
  expect(refused.json().code).toBe('MISSING_OR_NULL_ORIGIN')
})

test('a link in a mail opens from any mail program, but not from a script of another site', async () => {
  await auth.signUp('reader@example.com')
  const url = `/api/auth${await auth.linkTo('reader@example.com')}`
  const opened = { referer: 'https://mail.example/inbox', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  expect((await auth.app.inject({ url, headers: { origin: 'https://evil.example' } })).statusCode).toBe(403)
  expect((await auth.app.inject({ url, headers: opened })).statusCode).toBe(302)
})

test('a link in a mail does not lead on to a page that is not trusted', async () => {
  const refused = await auth.call('GET', '/verify-email?token=x&callbackURL=https%3A%2F%2Fevil.example')
  expect(refused).toMatchObject({ status: 403, body: { code: 'INVALID_CALLBACK_URL' } })
})

const post = (payload: string | Buffer, contentType?: string) =>
  auth.app.inject({
    method: 'POST',
    url: '/api/auth/sign-up/email',
    headers: { origin: publicUrl, ...(contentType && { 'content-type': contentType }) },
    payload,
  })

test.each([
  ['malformed JSON', 400, 'INVALID_JSON', () => post('{"email":', 'application/json')],
  ['a body of another type', 415, 'UNSUPPORTED_MEDIA_TYPE', () => post('<a/>', 'application/xml')],
  ['a malformed content type', 415, expect.any(String), () => post('{}', 'application;;')],
  ['no body', 400, 'VALIDATION_ERROR', () => post('', 'application/json')],
  ['a JSON array', 400, 'VALIDATION_ERROR', () => post('[]', 'application/json')],
  ['null', 400, 'VALIDATION_ERROR', () => post('null', 'application/json')],
  [
    'a body over 1 MiB',
    413,
    'BODY_TOO_LARGE',
    () => post(JSON.stringify({ name: 'x'.repeat(1_100_000) }), 'application/json'),
  ],
  [
    'a NUL character',
    400,
    'INVALID_TEXT',
    () => post(JSON.stringify({ email: 'nul@example.com', password: 'long enough', name: 'a\0b' }), 'application/json'),
  ],
])('%s is refused as %i in the usual body', async (_case, status, code, request) => {
  const refused = await request()
  expect({ status: refused.statusCode, body: refused.json() }).toEqual({
    status,
    body: { code, message: expect.any(String) },
  })
})

test.each([
  ['GET', '/nothing-here'],
  ['PUT', '/sign-up/email'],
] as const)('an unknown path or method (%s %s) is 404 in the usual body', async (method, path) => {
  expect(await auth.call(method, path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
})

test('SUR-09 while the database is gone every answer is 503, never "no session"', async () => {
  const broken = await startAuthApp()
  const { cookie } = await broken.signUp('stranded@example.com')
  await broken.close()
  const app = fastify()
  registerAuthRoutes(app, {
    accounts: broken.accounts,
    trusted: new Set([publicUrl]),
    log: auth.log,
    open: unlimited,
    basePath: '',
    appUrl: publicUrl,
  })
  const calls = [
    { method: 'GET', url: '/api/auth/get-session' },
    { method: 'GET', url: '/api/auth/organization/list' },
    { method: 'POST', url: '/api/auth/sign-out', payload: {} },
    { method: 'POST', url: '/api/auth/sign-in/email', payload: { email: 'stranded@example.com', password: 'x' } },
  ] as const
  for (const call of calls) {
    const answer = await app.inject({ ...call, headers: { cookie, origin: publicUrl } })
    expect({ url: call.url, status: answer.statusCode, body: answer.json() }).toEqual({
      url: call.url,
      status: 503,
      body: { code: 'UNAVAILABLE', message: expect.any(String) },
    })
    expect(answer.headers['retry-after']).toBe('5')
  }
  await expect(broken.accounts.session(new Headers({ cookie }))).rejects.toThrow()
})

test('the body parser of these routes does not reach others', async () => {
  const app = fastify()
  registerAuthRoutes(app, {
    accounts: auth.accounts,
    trusted: new Set([publicUrl]),
    log: auth.log,
    open: unlimited,
    basePath: '',
    appUrl: publicUrl,
  })
  app.post('/v1/echo', async (request) => ({ body: request.body }))
  const echoed = await app.inject({ method: 'POST', url: '/v1/echo', payload: { a: 1 } })
  expect(echoed.json()).toEqual({ body: { a: 1 } })
  const refused = await app.inject({
    method: 'POST',
    url: '/v1/echo',
    headers: { 'content-type': 'text/xml' },
    payload: '<a/>',
  })
  expect(refused.statusCode).toBe(415)
})

test('AUT-19 a link to a locked account is requested with the same statements before the answer, whether the account exists or not', async () => {
  await auth.signUp('locked@example.com')
  const request = async (email: string): Promise<string[]> => {
    auth.statements.length = 0
    const headers = { origin: publicUrl, 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify({ email }) }
    const { status } = await auth.accounts.handle(
      new Request(`${publicUrl}/api/auth/request-sign-in-unlock`, sent),
      '192.0.2.7',
    )
    const before = [...auth.statements]
    await auth.accounts.idle()
    expect([status, auth.statements.length > before.length]).toEqual([200, true])
    return before
  }
  const mails = (await auth.mailTo('locked@example.com')).length
  await request('first@example.com')
  const known = await request('locked@example.com')
  expect(known).not.toEqual([])
  expect(await request('nobody@example.com')).toEqual(known)
  expect(await auth.mailTo('locked@example.com')).toHaveLength(mails + 1)
  expect(await auth.mailTo('nobody@example.com')).toEqual([])
})
