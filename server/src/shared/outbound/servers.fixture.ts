import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { testCertificate } from './certificate.fixture.ts'
import { type Allowed, parseAllowed } from './targets.ts'

// Remote servers for single tests.

const closers: (() => Promise<unknown>)[] = []
/** Closes all that a test opened, as is done after it. */
export const closeAll = async (): Promise<void> => {
  await Promise.all(closers.splice(0).map((close) => close()))
}

/** Has something closed after the test. */
export const closeAfterwards = (close: () => Promise<unknown>): void => {
  closers.push(close)
  onTestFinished(closeAll)
}

/** Starts a server, and returns its port and connections. */
const listen = async (server: Server) => {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closeAfterwards(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

export const listenHttp = (handler: RequestListener) => listen(createHttp(handler))
export const listenHttps = (handler: RequestListener) => listen(createHttps(testCertificate, handler))
/** A server that writes raw bytes after a request has arrived. */
export const listenRaw = (speak: (socket: Socket) => void) =>
  listen(createTcp((socket) => socket.on('error', () => undefined).once('data', () => speak(socket))))

/** Lists the connections that this process makes to a port from now on: `bytesRead` of each counts the received bytes. */
export const watchConnections = (port: number): Socket[] => {
  const made: Socket[] = []
  const opened = channel('net.client.socket')
  const note = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.once('connect', () => socket.remotePort === port && made.push(socket))
  }
  opened.subscribe(note)
  closeAfterwards(async () => void opened.unsubscribe(note))
  return made
}

/** The parsed form of an allow-list with these entries. */
export const allow = (...entries: string[]): Allowed[] =>
  entries.map(parseAllowed).filter((allowed) => allowed !== undefined)
