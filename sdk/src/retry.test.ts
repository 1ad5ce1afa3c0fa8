import { expect, test } from 'vitest'
import { type ClientOptions, createClient } from './client.ts'
import { ConnectionError, RateLimitedError, SecretLostError, TimeoutError, UnavailableError } from './errors.ts'
import { backoffMs, retryAfterSeconds } from './retry.ts'
import { closedUrl, startScriptedServer } from './test/scripted-server.ts'
import { testTiming } from './test/test-timing.ts'

const scriptedClient = async (script: Parameters<typeof startScriptedServer>[0], options: ClientOptions = {}) => {
  const { url, requests } = await startScriptedServer(script)
  const test = testTiming()
  return {
    client: createClient({ baseUrl: url, apiKey: 'nsk_test', timing: test.timing, ...options }),
    requests,
    ...test,
  }
}

const failing = (status: number, kind: string, headers: Record<string, string> = {}) => ({
  status,
  error: { kind, message: `${kind}.` },
  headers,
})
const busy = failing(503, 'unavailable')

test('a call that keeps failing with 503 is sent three times, and its error is the last answer', async () => {
  const { client, requests, delays } = await scriptedClient(() => busy)
  await expect(client.whoami()).rejects.toThrow(UnavailableError)
  expect(requests).toHaveLength(3)
  expect(delays).toEqual([250, 500])
})

test.each([
  [429, 'rate_limited'],
  [500, 'internal'],
  [503, 'unavailable'],
  [502, 'proxy'],
])('%i passes: the next attempt gives the answer', async (status, kind) => {
  const { client, requests } = await scriptedClient([failing(status, kind), { data: { kind: 'brain' } }])
  expect(await client.whoami()).toEqual({ kind: 'brain' })
  expect(requests).toHaveLength(2)
})

test.each([
  [400, 'validation'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
])('%i is never sent again', async (status, kind) => {
  const { client, requests } = await scriptedClient(() => failing(status, kind))
  await expect(client.brain('crm').batch({ operations: [] })).rejects.toMatchObject({ status, kind })
  expect(requests).toHaveLength(1)
})

test('Retry-After wins over the backoff, as seconds and as a date', async () => {
  const date = 'Sun, 01 Mar 2026 00:00:07 GMT'
  const { client, delays } = await scriptedClient([
    failing(429, 'rate_limited', { 'retry-after': '3' }),
    failing(429, 'rate_limited', { 'retry-after': date }),
    { data: {} },
  ])
  await client.whoami()
  expect(delays).toEqual([3000, 7000])
})

test('a Retry-After of more than a minute is left to the caller, who learns its seconds', async () => {
  const { client, requests } = await scriptedClient(() => failing(429, 'rate_limited', { 'retry-after': '36000' }))
  const error = await client.whoami().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(RateLimitedError)
  expect(error).toMatchObject({ retryAfterSeconds: 36000 })
  expect(requests).toHaveLength(1)
})

test('maxRetries of a call wins over that of the client', async () => {
  const { client, requests } = await scriptedClient(() => busy, { maxRetries: 5 })
  await expect(client.whoami({ maxRetries: 0 })).rejects.toThrow(UnavailableError)
  expect(requests).toHaveLength(1)
})

test('every attempt of a write carries the same idempotency key, and the next call another', async () => {
  const { client, requests } = await scriptedClient([busy, 'break', { data: {} }, { data: {} }])
  const brain = client.brain('crm')
  await brain.records.create({ kind: 'person' })
  await brain.records.create({ kind: 'person' })
  const keys = requests.map(({ headers }) => headers['idempotency-key'])
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(keys.slice(1, 3)).toEqual([keys[0], keys[0]])
  expect(keys[3]).not.toBe(keys[0])
})

test('a read carries no idempotency key', async () => {
  const { client, requests } = await scriptedClient([{ data: {} }])
  await client.brain('crm').records.get('rec_1')
  expect(requests[0]?.headers['idempotency-key']).toBeUndefined()
})

test('a mint carries its key in the body, the same at every attempt', async () => {
  const { client, requests } = await scriptedClient([
    busy,
    { status: 201, data: { key: { id: 'key_1' }, secret: 'nbk_1' } },
  ])
  const minted = await client.brain('crm').keys.mint({ name: 'reader', capabilities: ['read'] })
  expect(minted.secret).toBe('nbk_1')
  const [first, second] = requests.map(({ body }) => JSON.parse(body).idempotencyKey)
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(second).toBe(first)
  expect(requests[0]?.headers['idempotency-key']).toBeUndefined()
})

test('a mint whose first answer was lost says to revoke that key and mint again', async () => {
  const { client } = await scriptedClient(['break', { status: 200, data: { key: { id: 'key_1' }, secret: null } }])
  const error = await client.keys.mint({ name: 'ci' }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(SecretLostError)
  expect(error).toMatchObject({ keyId: 'key_1', message: expect.stringContaining('revoke key_1 and mint another') })
})

test('a replay that the caller requested returns the key with a null secret', async () => {
  const { client } = await scriptedClient([{ status: 200, data: { key: { id: 'key_1' }, secret: null } }])
  expect((await client.keys.mint({ name: 'ci' }, { idempotencyKey: 'mine' })).secret).toBeNull()
})

test('a broken connection is tried again for reads, also those with a body, and addressed writes', async () => {
  const { client, requests } = await scriptedClient(
    Array.from({ length: 4 }, () => ['break', { data: {} }] as const).flat(),
  )
  await client.whoami()
  await client.brains.put('crm')
  await client.brain('crm').context({ query: 'who?' })
  await client.brain('crm').query({ kind: 'person' })
  expect(requests).toHaveLength(8)
})

test('a POST without an idempotency key is not repeated after a broken connection, but is after 503', async () => {
  const { client, requests } = await scriptedClient(['break', busy, { status: 201, data: {} }])
  const keys = client.brain('crm').keys
  await expect(keys.rotate('key_1')).rejects.toThrow(ConnectionError)
  expect(requests).toHaveLength(1)
  await keys.rotate('key_1')
  expect(requests).toHaveLength(3)
})

test('a service that cannot be reached is a ConnectionError', async () => {
  const { timing } = testTiming()
  await expect(createClient({ baseUrl: await closedUrl(), timing }).whoami()).rejects.toThrow(ConnectionError)
})

test('an attempt without an answer in time is a TimeoutError', async () => {
  const hanging = await scriptedClient(() => {
    queueMicrotask(() => hanging.elapse())
    return 'hang'
  })
  await expect(hanging.client.whoami()).rejects.toThrow(TimeoutError)
  expect(hanging.requests).toHaveLength(3)
  expect(hanging.running.size).toBe(0)
})

test('an abort during a request or a wait rejects with the reason of the signal', async () => {
  const reason = new Error('enough')
  const during = new AbortController()
  const hanging = await scriptedClient(() => {
    during.abort(reason)
    return 'hang'
  })
  await expect(hanging.client.whoami({ signal: during.signal })).rejects.toBe(reason)
  expect(hanging.requests).toHaveLength(1)
  const waiting = new AbortController()
  const failed = await scriptedClient(() => busy, { logger: { debug: () => {}, warn: () => waiting.abort(reason) } })
  await expect(failed.client.whoami({ signal: waiting.signal })).rejects.toBe(reason)
  expect(failed.requests).toHaveLength(1)
})

test('the logger hears of each retry, and never the key', async () => {
  const heard: unknown[] = []
  const logger = { debug: () => {}, warn: (...said: unknown[]) => void heard.push(said) }
  const { client } = await scriptedClient([busy, { data: {} }], { logger })
  await client.whoami()
  expect(heard).toEqual([
    ['request failed, trying again', { method: 'GET', path: '/v1/whoami', reason: 'unavailable.', delayMs: 250 }],
  ])
})

test('backoff doubles from half a second to eight, with full jitter', () => {
  expect([0, 1, 2, 3, 4, 5, 40].map((retry) => backoffMs(retry, () => 1))).toEqual([
    500, 1000, 2000, 4000, 8000, 8000, 8000,
  ])
  expect(backoffMs(4, () => 0)).toBe(0)
})

test('a Retry-After that is neither seconds nor a date counts as none, and a past date as no wait', () => {
  expect(['', 'soon', null].map((header) => retryAfterSeconds(header, 0))).toEqual([undefined, undefined, undefined])
  expect(retryAfterSeconds('Thu, 01 Jan 1970 00:00:00 GMT', 5000)).toBe(0)
})
