import { request as httpRequest } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { useApp, useBrain } from '../../test/harness.ts'
import { chooseEncoding } from './compression.ts'

const app = useApp()
const brain = useBrain(app)

type Raw = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }

/** A request whose answer is not decoded on its way. */
const send = (
  path: string,
  { method = 'GET', body, ...headers }: Record<string, string> & { method?: string; body?: string } = {},
): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const options = { method, headers: { authorization: `Bearer ${brain.key}`, ...headers } }
    const outgoing = httpRequest(app.base + path, options, async (answer) => {
      const parts: Buffer[] = []
      for await (const part of answer) parts.push(part)
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) })
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })

const decode = { br: brotliDecompressSync, gzip: gunzipSync }

test.each([
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['GZIP', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['identity, gzip;q=0.5', undefined],
  ['identity', undefined],
  ['deflate, zstd', undefined],
  ['br;q=0, gzip;q=0', undefined],
  ['', undefined],
  [undefined, undefined],
])('RFC 9110 of %s the encoding %s is chosen', (header, encoding) => {
  expect(chooseEncoding(header)).toBe(encoding)
})

test('answers of a kibibyte and more are compressed as the caller accepts it, and are the same', async () => {
  await brain.call('PUT', '/records/long', { kind: 'thing', fields: { text: 'some words '.repeat(200) } })
  const path = `${brain.path}/records/long`
  const plain = await send(path)
  expect(plain.headers).toMatchObject({ vary: 'origin, accept-encoding' })
  expect(plain.headers['content-encoding']).toBeUndefined()
  for (const encoding of ['br', 'gzip'] as const) {
    const { headers, body } = await send(path, { 'accept-encoding': encoding })
    expect(headers).toMatchObject({ 'content-encoding': encoding, 'content-length': String(body.length) })
    expect(headers.vary).toBe('origin, accept-encoding')
    expect(body.length).toBeLessThan(plain.body.length / 3)
    expect(decode[encoding](body)).toEqual(plain.body)
  }
})

test('short answers are sent as they are, and say that longer ones would not be', async () => {
  await brain.call('PUT', '/records/short', { kind: 'thing' })
  const { headers } = await send(`${brain.path}/records/short`, { 'accept-encoding': 'br' })
  expect(headers['content-encoding']).toBeUndefined()
  expect(headers.vary).toBe('origin, accept-encoding')
})

test('the OpenAPI document and an export are compressed', async () => {
  for (const path of ['/v1/openapi.json', `${brain.path}/export`]) {
    const plain = await send(path)
    for (const encoding of ['br', 'gzip'] as const) {
      const { headers, body } = await send(path, { 'accept-encoding': encoding })
      expect(headers['content-encoding']).toBe(encoding)
      expect(decode[encoding](body).toString().split('\n')[0]).toBe(plain.body.toString().split('\n')[0])
    }
  }
})

test('a live tail is not compressed, so that each event leaves as it comes', async () => {
  const headers = { authorization: `Bearer ${brain.key}`, accept: 'text/event-stream', 'accept-encoding': 'br, gzip' }
  const gone = new AbortController()
  const response = await fetch(`${app.base}${brain.path}/events`, { headers, signal: gone.signal })
  expect(response.headers.get('content-encoding')).toBeNull()
  const reader = response.body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain(': connected')
  gone.abort()
})

test('an answer with a secret in it is never compressed, however long it is', async () => {
  const body = JSON.stringify({ name: 'n'.repeat(200), capabilities: ['read'] })
  const type = { 'content-type': 'application/json', 'accept-encoding': 'br, gzip' }
  const minted = await send(`${brain.path}/keys`, { method: 'POST', body, ...type })
  expect(minted.status).toBe(201)
  expect(minted.headers['content-encoding']).toBeUndefined()
  expect(minted.headers.vary ?? '').not.toContain('accept-encoding')
  expect(JSON.parse(minted.body.toString()).data.secret).toMatch(/^nbk_/)
  const hook = JSON.stringify({ url: `http://127.0.0.1:9/${'long'.repeat(400)}` })
  const created = await send(`${brain.path}/webhooks`, { method: 'POST', body: hook, ...type })
  expect(created.status).toBe(201)
  expect(created.headers['content-encoding']).toBeUndefined()
})
