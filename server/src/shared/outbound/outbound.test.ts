import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { testCertificate } from './certificate.fixture.ts'
import { createOutbound, type Outbound, type OutboundSettings } from './outbound.ts'
import type { Resolve } from './resolve.ts'
import {
  allow,
  closeAfterwards,
  closeAll,
  listenHttp as http,
  listenHttps as https,
  listenRaw as raw,
  watchConnections,
} from './servers.fixture.ts'

const limits = { node: 100, organization: 100, host: 100 }
const agents = { allowProviders: [], allowConnectors: [], limits }
const pages = { allow: [], calls: limits, pauseMilliseconds: 0 }
const open = (settings: Partial<OutboundSettings> = {}): Outbound => {
  const outbound = createOutbound({
    ...{ allow: allow('127.0.0.1:*'), ports: [], limits, agents, pages, ca: testCertificate.cert },
    ...settings,
  })
  closeAfterwards(outbound.close)
  return outbound
}
const post = (outbound: Outbound, url: string, organization = 'one') =>
  outbound.post({ url, organization, headers: { 'x-a': 'b' }, body: 'hello' })

test('a call posts the body with its headers and returns the answer and its duration', async () => {
  const got: unknown[] = []
  const { port } = await http(async (request, response) => {
    got.push(
      request.method,
      request.url,
      request.headers['x-a'],
      request.headers.host,
      await request.toArray().then(String),
    )
    response.writeHead(202).end('\u0000taken')
  })
  const outcome = await post(open(), `http://127.0.0.1:${port}/hook?a=b#c`)
  expect(outcome).toEqual({
    status: 202,
    answer: '�taken',
    error: null,
    milliseconds: expect.any(Number),
    isPostponed: false,
    hasRunOut: false,
  })
  expect(got).toEqual(['POST', '/hook?a=b', 'b', `127.0.0.1:${port}`, 'hello'])
})

test('calls to the same address keep their connections', async () => {
  const { port, sockets } = await http((_request, response) => response.end())
  const outbound = open()
  for (let n = 0; n < 10; n++) await post(outbound, `http://127.0.0.1:${port}/`)
  expect(sockets.size).toBeLessThan(3)
})

test('D-67 a name is resolved once for each call, and the connection goes to the checked address', async () => {
  const asked: string[] = []
  const { port } = await https((_request, response) => response.end('secure'))
  const outbound = open({
    resolve: async (host) => {
      asked.push(host)
      return ['127.0.0.1']
    },
  })
  expect(await post(outbound, `https://hooks.noema.dev:${port}/`)).toMatchObject({ status: 200, answer: 'secure' })
  expect(await post(outbound, `https://a.hooks.noema.dev:${port}/`)).toMatchObject({ status: 200 })
  expect(asked).toEqual(['hooks.noema.dev', 'a.hooks.noema.dev'])
})

test('D-67 WHK-02 a name that leads elsewhere since is refused at the next call, also over a kept connection', async () => {
  let calls = 0
  const { port } = await https((_request, response) => {
    calls++
    response.end()
  })
  let addresses = ['127.0.0.1']
  const outbound = open({ resolve: async () => addresses })
  const url = `https://hooks.noema.dev:${port}/`
  expect(await post(outbound, url)).toMatchObject({ status: 200 })
  for (addresses of [
    ['127.0.0.2'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['1.1.1.1', '127.0.0.2'],
    ['127.0.0.1', '::1'],
    [],
  ])
    expect(await post(outbound, url)).toMatchObject({ status: null, error: expect.stringMatching(/address/) })
  await expect(outbound.check(url)).rejects.toMatchObject({ kind: 'validation' })
  expect(calls).toBe(1)
})

test('D-67 WHK-02 creation refuses what leads nowhere or not to the public internet, and waits for no DNS', async () => {
  const failing = (code: string) => async () => {
    throw Object.assign(new Error(code), { code })
  }
  const check = (url: string, resolve: Resolve = async () => ['1.1.1.1']) => open({ allow: [], resolve }).check(url)
  await check('https://hooks.noema.dev/')
  await check('https://hooks.noema.dev/', failing('ESERVFAIL'))
  await check('https://hooks.noema.dev/', failing('ECONNREFUSED'))
  const refused = { kind: 'validation', details: [{ path: ['url'] }] }
  await expect(check('https://hooks.noema.dev/', failing('ENOTFOUND'))).rejects.toMatchObject(refused)
  await expect(check('https://hooks.noema.dev/', async () => ['1.1.1.1', '10.0.0.1'])).rejects.toMatchObject(refused)
  await expect(check('http://hooks.noema.dev/')).rejects.toMatchObject(refused)
  await expect(check('https://[::1]/')).rejects.toMatchObject(refused)
})

test('D-67 a name may lead into an allowed network, and nowhere else', async () => {
  const { port } = await http((_request, response) => response.end())
  let addresses = ['127.0.0.1']
  const outbound = open({ allow: allow('127.0.0.0/8:*'), resolve: async () => addresses })
  expect(await post(outbound, `http://hooks.internal:${port}/`)).toMatchObject({ status: 200 })
  for (addresses of [['127.0.0.1', '1.1.1.1'], ['1.1.1.1'], ['10.0.0.1']])
    expect(await post(outbound, `http://hooks.noema.dev:${port}/`)).toMatchObject({ status: null })
})

test('D-67 an address in the URL is checked as one that DNS gives', async () => {
  const { port, sockets } = await https((_request, response) => response.end())
  const outbound = open({ allow: [] })
  for (const host of ['127.0.0.1', '2130706433', '127.1', '[::ffff:127.0.0.1]', 'localhost'])
    expect(await post(outbound, `https://${host}:${port}/`)).toMatchObject({ status: null, answer: '' })
  expect(sockets.size).toBe(0)
})

test('D-67 a certificate for another name, or of an unknown issuer, is refused before anything is sent', async () => {
  let calls = 0
  const { port } = await https(() => calls++)
  const resolve = async () => ['127.0.0.1']
  const other = await post(open({ resolve }), `https://other.noema.dev:${port}/`)
  expect(other).toMatchObject({ status: null, error: 'The TLS certificate is not for this host.' })
  const unknown = createOutbound({ allow: allow('127.0.0.1:*'), ports: [], limits, agents, pages, resolve })
  expect(await post(unknown, `https://hooks.noema.dev:${port}/`)).toMatchObject({ status: null, error: /^TLS failed/ })
  await unknown.close()
  expect(calls).toBe(0)
})

test('D-67 a redirect is an answer and is not followed', async () => {
  const paths: (string | undefined)[] = []
  const { port } = await http((request, response) => {
    paths.push(request.url)
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  expect(await post(open(), `http://127.0.0.1:${port}/here`)).toMatchObject({ status: 307 })
  expect(paths).toEqual(['/here'])
})

const endless = (socket: Socket, piece: string | Buffer) => {
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', more)
  more()
}

test('D-67 an endless body is cut after 64 KiB, its status and first kilobyte kept, and no more is taken in', async () => {
  const { port } = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    endless(socket, Buffer.alloc(64 * 1024, 'x'))
  })
  const outbound = open()
  const connections = watchConnections(port)
  for (let n = 0; n < 20; n++) {
    const outcome = await post(outbound, `http://127.0.0.1:${port}/`)
    expect(outcome).toMatchObject({ status: 200, error: expect.stringContaining('64 KiB') })
    expect(outcome.answer).toBe('x'.repeat(1024))
  }
  const taken = connections.map(({ bytesRead }) => bytesRead)
  expect(taken).toHaveLength(20)
  expect(Math.max(...taken)).toBeLessThan(256 * 1024)
})

test('D-67 endless headers, interim answers and trailers are cut', async () => {
  const pieces = {
    headers: ['HTTP/1.1 200 OK\r\n', `x-a: ${'b'.repeat(1000)}\r\n`],
    'one long header': ['HTTP/1.1 200 OK\r\nx-a: ', 'b'.repeat(1000)],
    'interim answers': ['', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    trailers: ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', `x-a: ${'b'.repeat(1000)}\r\n`],
  }
  for (const [name, [first = '', piece = '']] of Object.entries(pieces)) {
    const { port } = await raw((socket) => {
      socket.write(first)
      endless(socket, piece)
    })
    const outcome = await post(open(), `http://127.0.0.1:${port}/`)
    expect([name, outcome.error]).toEqual([name, expect.not.stringContaining('seconds')])
  }
})

test('D-67 an answer that is not HTTP, ends early, switches protocols or is refused is reported as a failure', async () => {
  const answers = [
    '',
    'SSH-2.0-OpenSSH_9.6\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  ]
  for (const answer of answers) {
    const { port } = await raw((socket) => socket.end(answer))
    expect(await post(open(), `http://127.0.0.1:${port}/`)).toMatchObject({ status: null, error: expect.any(String) })
  }
  const { port } = await http(() => undefined)
  await closeAll()
  const refused = await post(open(), `http://127.0.0.1:${port}/`)
  expect(refused).toMatchObject({ status: null, error: 'The connection was refused.' })
})

test('D-67 silence, a drip, and a name that is never resolved end when the time is over, 10 seconds in all', async () => {
  const drip = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 100)
    socket.on('close', () => clearInterval(timer))
  })
  const hints = await raw((socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 300)
    socket.on('close', () => clearInterval(timer))
  })
  const extensions = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1')
    const timer = setInterval(() => socket.write(`;${'b'.repeat(10_000)}`), 100)
    socket.on('close', () => clearInterval(timer))
  })
  const silent = await raw(() => undefined)
  const outbound = open({ resolve: () => new Promise(() => undefined), seconds: 2 })
  const urls = [
    ...[drip, extensions, hints, silent].map(({ port }) => `http://127.0.0.1:${port}/`),
    'https://hooks.noema.dev/',
  ]
  const outcomes = await Promise.all(urls.map((url) => post(outbound, url)))
  expect(outcomes.map(({ status }) => status)).toEqual([200, 200, null, null, null])
  for (const { error, milliseconds } of outcomes) {
    expect(error).toEqual(expect.any(String))
    expect(milliseconds).toBeGreaterThan(1_990)
    expect(milliseconds).toBeLessThan(9_000)
  }
})

test('a call without a free slot is not made, and says that it may be tried again', async () => {
  const { port } = await http((_request, response) => response.end())
  const outbound = open({ limits: { node: 8, organization: 8, host: 0 } })
  const outcome = await post(outbound, `http://127.0.0.1:${port}/`)
  expect(outcome).toMatchObject({ status: null, isPostponed: true, hasRunOut: false })
  expect(outcome.error).toContain('as many calls to this host')
})
