import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { useApp } from '../test/harness.ts'

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
