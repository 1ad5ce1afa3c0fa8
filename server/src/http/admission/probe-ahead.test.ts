import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createListener, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { paceRequests } from './pace-requests.ts'

const connections = 200

/** Connections on each of which a request has been sent and nothing was read; the last one asks for the path. */
const openConnections = async (last: string): Promise<{ sockets: Socket[]; close(): void }> => {
  const accepted: Socket[] = []
  const listener = createListener({ pauseOnConnect: true }, (socket) => accepted.push(socket))
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const { port } = listener.address() as AddressInfo
  const clients: Socket[] = []
  for (let n = 0; n < connections; n++) {
    const client = connect(port, '127.0.0.1').on('error', () => undefined)
    clients.push(client)
    const path = n === connections - 1 ? last : `/work-${n}`
    client.write(`GET ${path} HTTP/1.1\r\nHost: noema.test\r\nConnection: close\r\n\r\n`)
    while (accepted.length <= n) await once(listener, 'connection')
  }
  const close = () => {
    listener.close()
    for (const client of clients) client.destroy()
  }
  return { sockets: accepted, close }
}

/** The paths in the order in which their requests are begun, where all of them have arrived before. */
const findOrder = async (last: string): Promise<(string | undefined)[]> => {
  const order: (string | undefined)[] = []
  const done = Promise.withResolvers<void>()
  const server = createServer(({ url }: IncomingMessage, response: ServerResponse) => {
    order.push(url)
    response.end()
    if (order.length === connections) done.resolve()
  })
  paceRequests(server, ({ url }) => url?.slice(0, 5) ?? '')
  const { sockets, close } = await openConnections(last)
  for (const socket of sockets) {
    server.emit('connection', socket)
    socket.resume()
  }
  await done.promise
  close()
  return order
}

test.each([
  ['a probe', '/livez'],
  ['the only request of a caller', '/else'],
])('%s is begun ahead of the many of another caller that came before it, and all are begun', async (_what, path) => {
  const order = await findOrder(path)
  expect(order.indexOf(path)).toBeLessThan(connections / 2)
  expect(new Set(order).size).toBe(connections)
})
