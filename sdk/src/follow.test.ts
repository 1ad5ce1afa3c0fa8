import { expect, test } from 'vitest'
import { type ClientOptions, createClient } from './client.ts'
import { ConflictError, ConnectionError, NoemaError, UnavailableError } from './errors.ts'
import { closedUrl, startScriptedServer } from './test/scripted-server.ts'
import { testTiming } from './test/test-timing.ts'

const event = (cursor: string) => ({
  cursor,
  type: 'change.staged',
  occurredAt: '2026-03-01T12:00:00.000Z',
  data: { change: `chg_${cursor}` },
})
const message = (cursor: string) => `id: ${cursor}\nevent: change.staged\ndata: ${JSON.stringify(event(cursor))}\n\n`

const followEvents = async (script: Parameters<typeof startScriptedServer>[0], options: ClientOptions = {}) => {
  const { url, requests } = await startScriptedServer(script)
  const test = testTiming()
  return {
    events: createClient({ baseUrl: url, timing: test.timing, ...options }).brain('crm').events,
    requests,
    ...test,
  }
}

/** Reads `count` events, then stops reading. */
const take = async (stream: AsyncIterable<{ cursor: string }>, count: number) => {
  const cursors: string[] = []
  for await (const { cursor } of stream) {
    cursors.push(cursor)
    if (cursors.length === count) break
  }
  return cursors
}

test('events arrive as sent, complete, from the requested position', async () => {
  const { events, requests } = await followEvents([{ stream: [': hi\n\n', message('c1')], ending: 'stay' }])
  for await (const found of events.follow({ after: 'c0', types: ['change.staged', 'change.decided'] })) {
    expect(found).toEqual(event('c1'))
    break
  }
  expect(requests[0]).toMatchObject({
    url: '/v1/brains/crm/events?after=c0&types=change.staged%2Cchange.decided',
    headers: { accept: 'text/event-stream', 'last-event-id': 'c0' },
  })
})

test('a broken stream is taken up after the last whole event, without loss or repeats', async () => {
  const { events, requests } = await followEvents([
    { stream: [message('c1'), message('c2'), message('c3').slice(0, 40)], ending: 'break' },
    'break',
    { status: 503, error: { kind: 'unavailable', message: 'Restarting.' }, headers: { 'retry-after': '90' } },
    { stream: [message('c3')], ending: 'end' },
    { stream: [message('c4')], ending: 'stay' },
  ])
  expect(await take(events.follow(), 4)).toEqual(['c1', 'c2', 'c3', 'c4'])
  expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'c2', 'c2', 'c2', 'c3'])
  expect(requests.map(({ url }) => url.split('?')[1])).toEqual([
    undefined,
    'after=c2',
    'after=c2',
    'after=c2',
    'after=c3',
  ])
})

test('reconnecting backs off while nothing comes, heeds Retry-After, and starts over once bytes came', async () => {
  const { events, delays } = await followEvents([
    { stream: [message('c1')], ending: 'end' },
    'break',
    'break',
    { status: 503, error: { kind: 'unavailable', message: 'Restarting.' }, headers: { 'retry-after': '90' } },
    { stream: [': beat\n\n'], ending: 'end' },
    { stream: [message('c2')], ending: 'stay' },
  ])
  await take(events.follow(), 2)
  expect(delays).toEqual([250, 500, 1000, 90_000, 250])
})

test('an id without data moves the place past events that were left out', async () => {
  const { events, requests } = await followEvents([
    { stream: ['id: c9\n\n'], ending: 'end' },
    { stream: [message('c10')], ending: 'stay' },
  ])
  expect(await take(events.follow(), 1)).toEqual(['c10'])
  expect(requests[1]?.headers['last-event-id']).toBe('c9')
})

test('an event split over network pieces at every byte arrives once and whole', async () => {
  const pieces = [...new TextEncoder().encode(message('c1') + message('é'))].map((byte) => Uint8Array.of(byte))
  const { events } = await followEvents([{ stream: pieces, ending: 'stay' }])
  expect(await take(events.follow(), 2)).toEqual(['c1', 'é'])
})

test('an abort ends the iteration quietly, and later events of the same piece are not given', async () => {
  const { events } = await followEvents([{ stream: [message('c1') + message('c2')], ending: 'stay' }])
  const controller = new AbortController()
  const cursors: string[] = []
  for await (const { cursor } of events.follow({ signal: controller.signal })) {
    cursors.push(cursor)
    controller.abort()
  }
  expect(cursors).toEqual(['c1'])
})

test('an abort while the stream is silent ends the iteration', async () => {
  const controller = new AbortController()
  const { events } = await followEvents(() => {
    setImmediate(() => controller.abort())
    return { stream: [': hi\n\n'], ending: 'stay' }
  })
  expect(await take(events.follow({ signal: controller.signal }), 1)).toEqual([])
})

test('a stream that falls silent for the time of a timeout is taken up again', async () => {
  const { events, requests, elapse } = await followEvents([
    { stream: [message('c1')], ending: 'stay' },
    { stream: [message('c2')], ending: 'stay' },
  ])
  const cursors: string[] = []
  for await (const { cursor } of events.follow()) {
    cursors.push(cursor)
    if (cursor === 'c2') break
    setImmediate(elapse)
  }
  expect(cursors).toEqual(['c1', 'c2'])
  expect(requests[1]?.headers['last-event-id']).toBe('c1')
})

test('an error that does not pass ends the iteration, on any connection', async () => {
  const gone = { status: 409, error: { kind: 'conflict', message: 'The Brain was recreated.' } }
  const first = await followEvents([gone])
  await expect(take(first.events.follow({ after: 'c1' }), 1)).rejects.toThrow(ConflictError)
  const second = await followEvents([{ stream: [message('c1')], ending: 'end' }, gone])
  await expect(take(second.events.follow(), 2)).rejects.toThrow(ConflictError)
})

test('a first connection fails as any call does, after the retries', async () => {
  const { events, requests } = await followEvents(() => ({
    status: 503,
    error: { kind: 'unavailable', message: 'Down.' },
  }))
  await expect(take(events.follow(), 1)).rejects.toThrow(UnavailableError)
  expect(requests).toHaveLength(3)
  const { timing } = testTiming()
  const nowhere = createClient({ baseUrl: await closedUrl(), timing }).brain('crm')
  await expect(take(nowhere.events.follow(), 1)).rejects.toThrow(ConnectionError)
})

test('an answer that is no event stream, or a message that is no JSON, is an error', async () => {
  const page = await followEvents([{ data: { events: [] } }])
  await expect(take(page.events.follow(), 1)).rejects.toThrow('without an event stream')
  const broken = await followEvents([{ stream: ['id: c1\ndata: {\n\n'] }])
  await expect(take(broken.events.follow(), 1)).rejects.toThrow(NoemaError)
})
