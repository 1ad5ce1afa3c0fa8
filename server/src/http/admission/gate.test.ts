import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { useApp } from '../../test/harness.ts'
import { createGate } from './gate.ts'

const app = useApp()

const request = 'GET /livez HTTP/1.1\r\nHost: noema.test\r\nConnection: close\r\n\r\n'

const open = async (): Promise<Socket> => {
  const { hostname, port } = new URL(app.base)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return socket
}

const readAll = async (socket: Socket): Promise<string> => {
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

test('hundreds of connections that open at once are all answered, and reset ones harm no one', async () => {
  const sockets = await Promise.all(Array.from({ length: 400 }, open))
  for (const [place, socket] of sockets.entries()) {
    socket.write(request)
    if (place % 2 === 1) socket.resetAndDestroy()
  }
  const answers = await Promise.all(sockets.filter((_socket, place) => place % 2 === 0).map(readAll))
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect((await app.request('GET', '/livez')).status).toBe(200)
})

test('a request that arrives in pieces, and two on one connection, are read from their first byte', async () => {
  const socket = await open()
  for (const piece of ['GET /liv', 'ez HTTP/1.1\r\nHo', 'st: noema.test\r\n\r\n']) {
    socket.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  socket.write(request)
  expect((await readAll(socket)).match(/HTTP\/1\.1 200 /g)).toHaveLength(2)
})

/** A server whose requests pass a gate and take two milliseconds of the thread each; probes pass by. */
const startGated = async (maxMilliseconds: number) => {
  const server = fastify()
  const gate = createGate({ node: 1_000, organization: 1_000, key: 1_000 }, maxMilliseconds)
  const order: string[] = []
  server.server.on('connection', gate.recordAccepted)
  server.setErrorHandler((_error, _request, reply) => reply.status(503).send())
  server.addHook('onRequest', async (request, reply) => {
    const organization = request.url.slice(0, 5)
    if (request.url !== '/livez') await gate.enter(request, reply, { organization, key: organization })
  })
  server.get('/*', async ({ url }) => {
    order.push(url)
    if (url === '/livez') return 'ok'
    const until = performance.now() + 2
    while (performance.now() < until) Math.sqrt(until)
    return 'done'
  })
  await server.listen({ port: 0, host: '127.0.0.1', backlog: 1_000 })
  const { port } = server.server.address() as AddressInfo
  const send = async (path: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: noema.test\r\nConnection: close\r\n\r\n`)
    return readAll(socket)
  }
  return { order, send, close: () => server.close() }
}

test.each([
  ['a probe', '/livez'],
  ['the only request of a caller', '/else'],
])(
  '%s is answered ahead of the many of another caller that came before it, and all are answered',
  async (_what, path) => {
    const { order, send, close } = await startGated(60_000)
    const others = Array.from({ length: 300 }, (_, n) => send(`/work-${n}`))
    expect(await send(path)).toMatch(/^HTTP\/1\.1 200 /)
    await Promise.all(others)
    expect(order.indexOf(path)).toBeLessThan(150)
    expect(new Set(order).size).toBe(301)
    await close()
  },
)

test('SUR-10 requests that would wait longer than the limit since they arrived are refused within it', async () => {
  const { order, send, close } = await startGated(100)
  const answers = await Promise.all(Array.from({ length: 600 }, (_, n) => send(`/work-${n}`)))
  const refused = answers.filter((answer) => answer.startsWith('HTTP/1.1 503 ')).length
  // 600 of them take 1.2 seconds of the thread; those beyond a tenth of a second did not wait for it.
  expect(refused).toBeGreaterThan(100)
  expect(order.length).toBe(600 - refused)
  await close()
})
