import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { createGapDetector } from './gap-detector.ts'
import { newSecret, sign, unwrap, WebhookVerificationError } from './webhooks.ts'

const now = Date.UTC(2026, 2, 1, 12)
const secret = newSecret()
const event = { cursor: 'c1', type: 'change.staged', occurredAt: '2026-03-01T12:00:00.000Z', data: { change: 'chg_1' } }
const body = JSON.stringify({ webhook: 'whk_1', previousCursor: null, event })
const signed = (text = body, by = secret) => sign(text, by, { id: 'c1', now })

test('D-65 a signed delivery returns its content, from text, bytes and every type of headers', async () => {
  const headers = await signed()
  const delivery = { kind: 'brain', webhook: 'whk_1', previousCursor: null, event }
  const titled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  for (const raw of [body, Buffer.from(body), new TextEncoder().encode(body), new TextEncoder().encode(body).buffer])
    for (const given of [headers, titled, new Headers(headers)])
      expect(await unwrap(raw, given, secret, { now })).toEqual(delivery)
})

test('D-65 a delivery of an organization’s webhook is distinguished', async () => {
  const text = JSON.stringify({
    event: 'run.completed',
    timestamp: '2026-03-01T12:00:00.000Z',
    data: { runId: 'run_1' },
  })
  expect(await unwrap(text, await signed(text), secret, { now })).toMatchObject({
    kind: 'organization',
    event: 'run.completed',
  })
})

test('WHK-06 the signature of the service is the HMAC of the raw body, keyed with the secret as it is shown', async () => {
  const headers = await signed('{"a":"ö"}')
  const expected = createHmac('sha256', secret).update('{"a":"ö"}').digest('hex')
  expect(headers['x-service-signature']).toBe(`sha256=${expected}`)
})

test('D-65 an altered, wrongly signed, old or incomplete delivery is refused', async () => {
  const headers = await signed()
  const refused: Parameters<typeof unwrap>[] = [
    [`${body} `, headers, secret, { now }],
    [body, headers, newSecret(), { now }],
    [body, { ...headers, 'webhook-id': 'c2' }, secret, { now }],
    [body, { ...headers, 'webhook-timestamp': String(now / 1000 + 1) }, secret, { now }],
    [body, { ...headers, 'webhook-timestamp': 'NaN' }, secret, { now }],
    [body, { ...headers, 'webhook-signature': 'v1,' }, secret, { now }],
    [body, { ...headers, 'webhook-signature': 'v1,*** v2,x' }, secret, { now }],
    [body, { ...headers, 'webhook-signature': undefined }, secret, { now }],
    [body, {}, secret, { now }],
    [body, headers, [], { now }],
    [body, headers, secret, { now: now + 301_000 }],
    [body, headers, secret, { now: now - 301_000 }],
    [body, headers, secret, { now: now + 2_000, toleranceSeconds: 1 }],
    ['no json', await signed('no json'), secret, { now }],
  ]
  for (const given of refused) await expect(unwrap(...given)).rejects.toBeInstanceOf(WebhookVerificationError)
})

test('D-65 while a secret is rotated either one verifies, on either side', async () => {
  const next = newSecret()
  const [one, other] = [await signed(), await signed(body, next)]
  const both = { ...one, 'webhook-signature': `${one['webhook-signature']} ${other['webhook-signature']}` }
  for (const known of [secret, next, [newSecret(), next]]) await unwrap(body, both, known, { now })
  await unwrap(body, other, [secret, next], { now })
  await expect(unwrap(body, one, next, { now })).rejects.toBeInstanceOf(WebhookVerificationError)
})

test('a parsed body and an invalid secret are refused with advice', async () => {
  const headers = await signed()
  await expect(unwrap(JSON.parse(body), headers, secret, { now })).rejects.toThrow('raw body')
  await expect(unwrap(undefined as unknown as string, headers, secret, { now })).rejects.toThrow('raw body')
  for (const wrong of ['', 'whsec_', 'hello', 'whsec_***'])
    await expect(unwrap(body, headers, wrong, { now })).rejects.toThrow('whsec_')
})

const stream = Array.from({ length: 9 }, (_, n) => ({ ...event, type: 'change.staged' as const, cursor: `c${n}` }))
const source = {
  events: {
    async *list({ after }: { after: string }) {
      yield* stream.slice(stream.findIndex(({ cursor }) => cursor === after) + 1)
    },
  },
}
const delivery = (n: number, previous = n - 1) =>
  ({
    webhook: 'whk_1',
    previousCursor: previous < 0 ? null : `c${previous}`,
    event: stream[n] ?? event,
  }) as Parameters<ReturnType<typeof createGapDetector>['receive']>[0]

test('D-65 the gap detector passes each event on once and in order, through gaps, repeats and concurrency', async () => {
  const handled: string[] = []
  const detector = createGapDetector(source, { onEvent: ({ cursor }) => void handled.push(cursor) })
  const given = [delivery(0), delivery(1), delivery(1), delivery(0), delivery(4), delivery(2), delivery(8), delivery(5)]
  const counts = await Promise.all(given.map((one) => detector.receive(one)))
  expect(counts).toEqual([1, 1, 0, 7, 0, 0, 0, 0])
  expect(handled).toEqual(stream.map(({ cursor }) => cursor))
})

test('D-65 an event whose handling failed is not counted as handled, and a test is left out', async () => {
  const handled: string[] = []
  let fails = true
  const onEvent = ({ cursor }: { cursor: string }) => {
    if (fails) throw new Error('not now')
    handled.push(cursor)
  }
  const detector = createGapDetector(source, { after: 'c3', onEvent })
  await expect(detector.receive(delivery(4))).rejects.toThrow('not now')
  fails = false
  const test = { ...event, type: 'webhook.test' as const, data: { webhook: 'whk_1' } }
  expect(await detector.receive({ webhook: 'whk_1', previousCursor: null, event: test })).toBe(0)
  expect(await detector.receive(delivery(5))).toBe(2)
  expect(handled).toEqual(['c4', 'c5'])
})
