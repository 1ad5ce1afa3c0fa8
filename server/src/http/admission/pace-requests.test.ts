import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { useApp } from '../../test/harness.ts'
import { paceRequests } from './pace-requests.ts'

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

test('hundreds of connections that are opened at once are all answered, and those that are reset hurt nobody', async () => {
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

test('whoever connects behind hundreds of others is let in before the work is done that those ask for', async () => {
  let begun = 0
  const server = createServer((request, response) => {
    if (request.url === '/work') {
      begun++
      const until = performance.now() + 2
      while (performance.now() < until) Math.sqrt(until)
    }
    response.end(String(begun))
  })
  paceRequests(server, () => 'a tenant')
  await once(server.listen({ port: 0, host: '127.0.0.1', backlog: 1_000 }), 'listening')
  const { port } = server.address() as AddressInfo
  const send = (path: string): Socket => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: noema.test\r\nConnection: close\r\n\r\n`)
    return socket
  }
  try {
    const others = Array.from({ length: 300 }, () => readAll(send('/work')))
    const answer = await readAll(send('/livez'))
    expect(Number(answer.split('\r\n\r\n')[1]?.match(/\d+/g)?.at(-1))).toBeLessThan(150)
    await Promise.all(others)
    expect(begun).toBe(300)
  } finally {
    server.close()
  }
})
