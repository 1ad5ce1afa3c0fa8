import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { CallFailure } from './call-failure.ts'
import { testCertificate } from './certificate.fixture.ts'
import { createOutbound, type OutboundSettings } from './outbound.ts'
import {
  allow,
  closeAfterwards,
  closeAll,
  listenHttp as http,
  listenHttps as https,
  listenRaw as raw,
  watchConnections,
} from './servers.fixture.ts'
import type { StreamingFetchFor } from './streaming-fetch.ts'

const slots = { node: 100, organization: 100, host: 100 }
const open = ({
  allow: allowed = allow('127.0.0.1:*'),
  limits = slots,
  ...settings
}: Partial<OutboundSettings> = {}) => {
  const agents = { allowProviders: allowed, allowConnectors: [], limits }
  const pages = { allow: allowed, calls: limits, pauseMilliseconds: 0 }
  const outbound = createOutbound({
    allow: [],
    ports: [],
    limits: slots,
    agents,
    pages,
    ca: testCertificate.cert,
    ...settings,
  })
  closeAfterwards(outbound.close)
  return outbound
}
const usual = { organization: 'one', idleSeconds: 5, totalSeconds: 10, maxBytes: 1024 * 1024 }
const fetchWith = (settings: Partial<OutboundSettings> = {}, request: Partial<StreamingFetchFor> = {}) =>
  open(settings).fetch('provider', { ...usual, ...request })

/** The error of a call, and whether it is retryable. */
const failure = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => new Error('It did not fail.'),
    (thrown: CallFailure) => thrown,
  )
  const { name, message, isRetryable, isPostponed } = error as CallFailure
  return { name, message, isRetryable, isPostponed }
}
const text = async (response: Promise<Response>) => (await response).text()

test('a call is sent as fetch sends it, and its body is read while it comes', async () => {
  const got: unknown[] = []
  let more = (): void => undefined
  const { port } = await http(async (request, response) => {
    got.push(request.method, request.url, request.headers['x-a'], request.headers['content-type'])
    got.push(String(Buffer.concat(await request.toArray())), request.headers['accept-encoding'])
    response.writeHead(201, { 'x-b': 'c' }).write('first ')
    more = () => response.end('second')
  })
  const response = await fetchWith()(new URL(`http://127.0.0.1:${port}/v1/chat?a=b`), {
    method: 'POST',
    headers: { 'x-a': 'b', 'content-type': 'application/json', connection: 'close' },
    body: '{"hello":"world"}',
  })
  expect([response.status, response.headers.get('x-b')]).toEqual([201, 'c'])
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader.read()).value).toBe('first ')
  more()
  expect((await reader.read()).value).toBe('second')
  expect((await reader.read()).done).toBe(true)
  expect(got).toEqual(['POST', '/v1/chat?a=b', 'b', 'application/json', '{"hello":"world"}', 'identity'])
})

test('an answer without a body, and one to GET, are answers', async () => {
  const { port } = await http((_request, response) => response.writeHead(204).end())
  const response = await fetchWith()(`http://127.0.0.1:${port}/`)
  expect([response.status, response.body]).toEqual([204, null])
})

test('D-67 D-78 providers are at public addresses, for any URL or name, and only the operator makes exceptions', async () => {
  let calls = 0
  const { port } = await http((_request, response) => {
    calls++
    response.end('inside')
  })
  const refused = fetchWith({ allow: [], resolve: async () => ['127.0.0.1'] })
  for (const host of ['127.0.0.1', '2130706433', '127.1', '[::ffff:127.0.0.1]', 'localhost', '169.254.169.254'])
    expect(await failure(refused(`https://${host}:${port}/`))).toMatchObject({
      name: 'CallFailure',
      isRetryable: false,
    })
  for (const url of [`http://api.noema.dev:${port}/`, `https://api.noema.dev:${port}/`, 'file:///etc/passwd'])
    expect(await failure(refused(url))).toMatchObject({ name: 'CallFailure', isRetryable: false })
  expect(calls).toBe(0)
  expect(await text(fetchWith()(`http://127.0.0.1:${port}/`))).toBe('inside')
  const connectors = open().fetch('connector', usual)
  expect(await failure(connectors(`http://127.0.0.1:${port}/`))).toMatchObject({ name: 'CallFailure' })
  expect(calls).toBe(1)
})

test('D-67 a name that leads elsewhere at the connection, or at the next call, reaches no server', async () => {
  let calls = 0
  const { port } = await https((_request, response) => response.end(`call ${++calls}`))
  const asked: string[] = []
  let addresses = ['127.0.0.1']
  const fetchIt = fetchWith({
    resolve: async (host) => {
      asked.push(host)
      return addresses
    },
  })
  const url = `https://hooks.noema.dev:${port}/`
  expect(await text(fetchIt(url))).toBe('call 1')
  expect(asked).toEqual(['hooks.noema.dev'])
  for (addresses of [['127.0.0.2'], ['10.0.0.1'], ['169.254.169.254'], ['1.1.1.1', '127.0.0.2'], []])
    expect(await failure(fetchIt(url))).toMatchObject({ message: expect.stringMatching(/address/), isRetryable: false })
  expect(calls).toBe(1)
})

test('D-67 a redirect is an answer and is not followed', async () => {
  const paths: (string | undefined)[] = []
  const { port } = await http((request, response) => {
    paths.push(request.url)
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  const response = await fetchWith()(`http://127.0.0.1:${port}/here`, { redirect: 'follow' })
  expect([response.status, response.headers.get('location'), paths]).toEqual([307, '/elsewhere', ['/here']])
})

test('a signal that aborts closes the connection at once: before the answer, and in its midst', async () => {
  const closed: Promise<unknown>[] = []
  let arrived = Promise.withResolvers<void>()
  const { port } = await http((request, response) => {
    closed.push(once(response, 'close'))
    if (request.url === '/half') response.write('half')
    arrived.resolve()
  })
  const fetchIt = fetchWith()
  const before = new AbortController()
  const early = failure(fetchIt(`http://127.0.0.1:${port}/`, { signal: before.signal }))
  await arrived.promise
  before.abort()
  expect(await early).toMatchObject({ name: 'AbortError' })
  arrived = Promise.withResolvers()
  const midst = new AbortController()
  const response = await fetchIt(`http://127.0.0.1:${port}/half`, { signal: midst.signal })
  const late = failure(response.text())
  midst.abort()
  expect(await late).toMatchObject({ name: 'AbortError' })
  await Promise.all(closed)
  expect(closed).toHaveLength(2)
  expect(await failure(fetchIt(`http://127.0.0.1:${port}/`, { signal: midst.signal }))).toMatchObject({
    name: 'AbortError',
  })
})

test('canceling a body closes its connection, too', async () => {
  const gone = Promise.withResolvers<void>()
  const { port } = await http((_request, response) => {
    response.on('close', gone.resolve).write('half')
  })
  const response = await fetchWith()(`http://127.0.0.1:${port}/`)
  await response.body?.cancel()
  await gone.promise
})

/** Waits until a connection is closed, with or without an error: a writer to a closed connection may get the error first. */
const untilClosed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

test('silence before the answer or in its midst, a drip without end, and a name that is never resolved end in their time', async () => {
  const silent = await raw(() => undefined)
  const stuck = await raw((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nx'))
  const drip = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 50)
    socket.on('close', () => clearInterval(timer))
  })
  const fetchIt = fetchWith({}, { idleSeconds: 2, totalSeconds: 4 })
  const outcomes = await Promise.all(
    [silent, stuck, drip].map(({ port }) => failure(text(fetchIt(`http://127.0.0.1:${port}/`)))),
  )
  const idle = { message: 'Nothing came of the response for 2 seconds.', isRetryable: true }
  const whole = { message: 'There was no complete response within 4 seconds.', isRetryable: false }
  expect(outcomes).toMatchObject([idle, idle, whole])
  await Promise.all(
    [silent, stuck, drip].flatMap(({ sockets }) => [...sockets]).map((one) => one.closed || untilClosed(one)),
  )
  const never = new AbortController()
  const unresolved = failure(
    fetchWith({ resolve: () => new Promise(() => undefined) })('https://api.noema.dev/', { signal: never.signal }),
  )
  never.abort()
  expect(await unresolved).toMatchObject({ name: 'AbortError' })
})

test('an endless body is cut where it has too many bytes, and no more of one is taken in than a reader wants', async () => {
  const { port } = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const piece = Buffer.alloc(64 * 1024, 'x')
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    }
    socket.on('drain', more)
    more()
  })
  const connections = watchConnections(port)
  const cut = await failure(text(fetchWith()(`http://127.0.0.1:${port}/`)))
  expect(cut).toMatchObject({ message: 'The response is longer than 1048576 bytes.', isRetryable: false })
  const fetchIt = fetchWith({}, { maxBytes: Number.MAX_SAFE_INTEGER, idleSeconds: 1.5, totalSeconds: 2.5 })
  const unread = await Promise.all(Array.from({ length: 10 }, () => fetchIt(`http://127.0.0.1:${port}/`)))
  // The reader is the slow side, so the total time ends these calls.
  const outcomes = await Promise.all(
    unread.map(async (response) => {
      const reader = response.body?.getReader()
      await reader?.closed.catch(() => undefined)
      return failure(reader?.read() ?? Promise.resolve())
    }),
  )
  expect(new Set(outcomes.map(({ message }) => message))).toEqual(
    new Set(['There was no complete response within 2.5 seconds.']),
  )
  const taken = connections.map(({ bytesRead }) => bytesRead)
  expect(taken).toHaveLength(11)
  expect(taken[0]).toBeLessThan(1024 * 1024 + 256 * 1024)
  expect(Math.max(...taken.slice(1))).toBeLessThan(512 * 1024)
})

test('an answer that is compressed, not HTTP, cut off, refused or has too many headers is described in a sentence', async () => {
  const answers: [string, string, boolean][] = [
    ['SSH-2.0-OpenSSH_9.6\r\n', 'The response is not HTTP.', false],
    ['HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n', 'The response is compressed (gzip), unasked.', false],
    [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 'The headers of the response are too long.', false],
    ['HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n', 'The response is not HTTP.', false],
    ['HTTP/1.1 103 Hint\r\n\r\n'.repeat(9), 'There were too many interim responses.', false],
    ['', 'The connection was closed before the response was complete.', true],
    [
      'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf',
      'The connection was closed before the response was complete.',
      true,
    ],
  ]
  for (const [answer, message, isRetryable] of answers) {
    const { port } = await raw((socket) => socket.end(answer))
    expect(await failure(text(fetchWith()(`http://127.0.0.1:${port}/`)))).toMatchObject({ message, isRetryable })
  }
  const { port } = await http(() => undefined)
  await closeAll()
  const refused = await failure(fetchWith()(`http://127.0.0.1:${port}/`))
  expect(refused).toMatchObject({ message: 'The connection was refused.', isRetryable: true })
  const nowhere = fetchWith({ resolve: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })) })
  expect(await failure(nowhere('https://api.noema.dev/'))).toMatchObject({
    ...{ message: 'The host could not be resolved.', isRetryable: false },
  })
})

test('calls of agents have their own slots, each releases its slot however it ends, and webhooks keep theirs', async () => {
  const { port } = await http((request, response) => {
    if (request.url === '/end') response.end('done')
    else response.write('half')
  })
  const outbound = open({ limits: { node: 4, organization: 4, host: 4 } })
  const fetchAs = (organization: string) => outbound.fetch('provider', { ...usual, organization })
  const url = `http://127.0.0.1:${port}`
  const held = [await fetchAs('one')(url), await fetchAs('one')(url)]
  const full = await failure(fetchAs('one')(url))
  expect(full).toMatchObject({ isPostponed: true, isRetryable: true })
  expect(full.message).toContain('as many calls of this organization')
  // Another organization finds a slot, and releases it whether its call ends, fails, is aborted or is not read to its end.
  for (let n = 0; n < 5; n++) {
    expect(await text(fetchAs('two')(`${url}/end`))).toBe('done')
    expect(await failure(fetchAs('two')('http://10.0.0.1/'))).toMatchObject({ isPostponed: false })
    expect(await failure(fetchAs('two')(`${url}/\u0000`))).toMatchObject({ isPostponed: false })
    const over = new AbortController()
    const response = await fetchAs('two')(url, { signal: over.signal })
    over.abort()
    expect(await failure(response.text())).toMatchObject({ name: 'AbortError' })
    await (await fetchAs('two')(url)).body?.cancel()
  }
  const posted = await outbound.post({ url: `${url}/end`, organization: 'one', headers: {}, body: '' })
  expect(posted).toMatchObject({ isPostponed: false })
  for (const response of held) await response.body?.cancel()
  expect(await text(fetchAs('one')(`${url}/end`))).toBe('done')
})
