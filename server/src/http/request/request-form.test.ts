import { connect } from 'node:net'
import { errorBody } from '@noema/contracts/errors.ts'
import { expect, test } from 'vitest'
import { useBrain, useOwnApp } from '../../test/harness.ts'
import { rawRequest } from '../../test/raw-request.ts'

const app = useOwnApp({ NOEMA_LOG_LEVEL: 'debug' })
const brain = useBrain(app)

/** Sends bytes as they are, and answers what came back until the server ended the connection. */
const sendBytes = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(app.base)
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('end', () => resolve(received))
    socket.on('error', reject)
  })

const readRefusal = (text: string) => {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  expect(head).toMatch(/\r\nx-request-id: \S+/i)
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), error: errorBody.parse(JSON.parse(body)).error }
}

const ending = 'Connection: close\r\n'

test.each([
  ['two Host headers', `GET /v1/whoami HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n${ending}\r\n`],
  ['no Host header', `GET /v1/whoami HTTP/1.1\r\n${ending}\r\n`],
  ['an expectation that nobody meets', `GET /v1/whoami HTTP/1.1\r\nHost: a\r\nExpect: banana\r\n${ending}\r\n`],
])('SUR-02 SUR-05 a request with %s is 400 in the envelope with an x-request-id', async (_case, bytes) => {
  const { status, error } = readRefusal(await sendBytes(bytes))
  expect({ status, kind: error.kind }).toEqual({ status: 400, kind: 'validation' })
})

test.each(['/v1/brains', '/v1/nothing', '/nothing', '/api/auth/get-session'])(
  'SUR-03 the method QUERY, with or without a body, is an unsupported one at %s: 404',
  async (path) => {
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      const answer = await rawRequest(app.base, { method: 'QUERY', path, headers, body: Buffer.from('{}') })
      expect({ path, status: answer.status }).toEqual({ path, status: 404 })
    }
  },
)

test('SUR-03 a body in another charset than UTF-8 is refused, not misread', async () => {
  const put = (charset: string) =>
    app.request('PUT', brain.path, {
      key: brain.key,
      headers: { 'content-type': `application/json; charset=${charset}` },
      body: JSON.stringify({ name: 'Brain' }),
    })
  expect(await put('utf-16')).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  expect((await put('UTF-8')).status).toBe(200)
  expect((await put('"utf-8"')).status).toBe(200)
})

test('answers of the API are kept by no cache, those with a secret among them', async () => {
  const minted = await app.request('POST', `${brain.path}/keys`, {
    key: brain.key,
    body: { name: 'agent', capabilities: ['read'] },
  })
  expect(minted.body.data.secret).toMatch(/^nbk_/)
  const answers = [
    minted,
    await app.request('GET', '/v1/whoami', { key: brain.key }),
    await app.request('GET', '/v1/x'),
  ]
  for (const { headers } of answers) expect(headers.get('cache-control')).toBe('no-store')
  const document = await app.request('GET', '/v1/openapi.json')
  expect(document.headers.get('cache-control')).toBe('no-cache')
})

test('the log of requests keeps no token of a link', async () => {
  await fetch(`${app.base}/api/auth/reset-password/the-token-of-a-link?callbackURL=/`, { redirect: 'manual' })
  const lines = app.logLines.join('\n')
  expect(lines).toContain('/api/auth/reset-password/…')
  expect(lines).not.toContain('the-token-of-a-link')
})

test('SUR-03 a compressed body is 415, and one that says it is not compressed is read', async () => {
  const put = (encoding: string) =>
    app.request('PUT', brain.path, {
      key: brain.key,
      headers: { 'content-encoding': encoding, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Encoded' }),
    })
  for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip', 'zstd'])
    expect(await put(encoding), encoding).toMatchObject({
      status: 415,
      body: { error: { kind: 'validation', details: [{ path: 'Content-Encoding' }] } },
    })
  expect((await put('identity')).status).toBe(200)
  const signUp = { method: 'POST', path: '/api/auth/sign-up/email', body: Buffer.from('{}') }
  const headers = { origin: app.base, 'content-type': 'application/json', 'content-encoding': 'gzip' }
  expect(await rawRequest(app.base, { ...signUp, headers })).toMatchObject({ status: 415 })
})
