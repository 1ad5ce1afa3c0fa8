import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { useOwnApp } from '../../test/harness.ts'

const app = useOwnApp({ NOEMA_MAX_CONNECTIONS: '9/3' })

const open = async (localAddress: string, { base } = app): Promise<Socket> => {
  const { hostname, port } = new URL(base)
  const socket = connect({ host: hostname, port: Number(port), localAddress })
  await once(socket, 'connect')
  return socket
}

const request = 'GET /livez HTTP/1.1\r\nHost: noema.test\r\nConnection: close\r\n\r\n'

/** The answer on a connection; empty if the service closes it. */
const ask = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(text))
    socket.write(request)
  })

test('SUR-04 a network has a share of the connections: one more is closed, and others are served', async () => {
  const idle = [await open('127.0.0.7'), await open('127.0.0.7'), await open('127.0.0.7')]
  expect(await ask(await open('127.0.0.7'))).toBe('')
  expect(await ask(await open('127.0.0.8'))).toMatch(/^HTTP\/1\.1 200 /)
  // A connection that ends makes room for another.
  for (const socket of idle) expect(await ask(socket)).toMatch(/^HTTP\/1\.1 200 /)
  await expect.poll(async () => ask(await open('127.0.0.7'))).toMatch(/^HTTP\/1\.1 200 /)
})

const proxied = useOwnApp({ NOEMA_MAX_CONNECTIONS: '9/1', NOEMA_TRUSTED_PROXIES: '127.0.0.7' })

test('SUR-04 a proxy that the operator trusts has as many connections as it needs', async () => {
  const sockets = [await open('127.0.0.7', proxied), await open('127.0.0.7', proxied), await open('127.0.0.7', proxied)]
  for (const socket of sockets) expect(await ask(socket)).toMatch(/^HTTP\/1\.1 200 /)
})
