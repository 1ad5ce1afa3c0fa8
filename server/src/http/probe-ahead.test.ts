import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createListener, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { paceConnections } from './pace-connections.ts'

const connections = 200

/** Connections on each of which a request has been sent and nothing was read; the last one is a probe. */
const openConnections = async (): Promise<{ sockets: Socket[]; close(): void }> => {
  const accepted: Socket[] = []
  const listener = createListener({ pauseOnConnect: true }, (socket) => accepted.push(socket))
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const { port } = listener.address() as AddressInfo
  const clients: Socket[] = []
  for (let n = 0; n < connections; n++) {
    const client = connect(port, '127.0.0.1').on('error', () => undefined)
    clients.push(client)
    const path = n === connections - 1 ? '/livez' : `/work-${n}`
    client.write(`GET ${path} HTTP/1.1\r\nHost: noema.test\r\nConnection: close\r\n\r\n`)
    while (accepted.length <= n) await once(listener, 'connection')
  }
  const close = () => {
    listener.close()
    for (const client of clients) client.destroy()
  }
  return { sockets: accepted, close }
}

test('a probe on a new connection is answered ahead of the many that came before it, and all are answered', async () => {
  const order: (string | undefined)[] = []
  const done = Promise.withResolvers<void>()
  const server = createServer(({ url }: IncomingMessage, response: ServerResponse) => {
    order.push(url)
    response.end()
    if (order.length === connections) done.resolve()
  })
  paceConnections(server)
  const { sockets, close } = await openConnections()
  for (const socket of sockets) server.emit('connection', socket)
  await done.promise
  expect(order.indexOf('/livez')).toBeLessThan(connections / 2)
  expect(new Set(order).size).toBe(connections)
  close()
})
