import type { AddressInfo, Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { Log } from '../../shared/log.ts'
import type { HostPort } from '../../shared/network/host-port.ts'
import { openMessages } from '../../shared/network/message-socket.ts'
import type { LargeCall } from '../large-requests/messages.ts'
import { type FromNode, maxMessageBytes, type ToNode } from './messages.ts'
import type { nodeTls } from './node-tls.ts'
import type { PeerAnswer } from './peer.ts'

// Answers the calls that other nodes send to this one.

const maxConnections = 500
const handshakeTimeout = 5_000
/** Other nodes have this long to send what they have begun to send, when this one stops. */
const leaveMilliseconds = 2_000

type Answering = { answer(call: LargeCall): Promise<PeerAnswer>; tls: ReturnType<typeof nodeTls>; log: Log }

/** Answers the calls of one connection, and returns how to end it without losing any. */
const serve = (socket: TLSSocket, { answer, log }: Pick<Answering, 'answer' | 'log'>) => {
  const calls = new Set<Promise<void>>()
  const { promise: isLast, resolve: noMore } = Promise.withResolvers<void>()
  const work = async (id: number, call: LargeCall): Promise<void> => {
    messages.send({ id, answer: await answer(call) } satisfies FromNode)
  }
  const receive = (message: ToNode): void => {
    if ('isProbe' in message) return
    if ('isLast' in message) {
      noMore()
      return
    }
    const call = work(message.id, message.call)
      .catch((error) => {
        log.error({ err: error }, 'a call of another node failed')
        socket.destroy()
      })
      .finally(() => calls.delete(call))
    calls.add(call)
  }
  const messages = openMessages(socket, { maxBytes: maxMessageBytes, receive, acknowledges: true })
  socket.setNoDelay(true)
  socket.once('close', () => noMore())
  return {
    leave: async (): Promise<void> => {
      messages.send({ isLeaving: true } satisfies FromNode)
      const late = setTimeout(noMore, leaveMilliseconds)
      await isLast
      clearTimeout(late)
      while (calls.size > 0) await Promise.all(calls)
      socket.end(() => socket.destroy())
    },
  }
}

/** Listens for other nodes at a host and port, and returns the address; port 0 is any. */
export const openListener = async (
  { host, port }: HostPort,
  { answer, tls, log }: Answering,
): Promise<{ port: number; close(): Promise<void> }> => {
  const served = new Set<ReturnType<typeof serve>>()
  const sockets = new Set<Socket>()
  const server = createServer({ ...tls.server, handshakeTimeout }, (socket) => {
    const one = serve(socket, { answer, log })
    served.add(one)
    socket.on('error', (error) => log.debug({ error: error.message }, 'the connection of another node was lost'))
    socket.once('close', () => served.delete(one))
  })
  server.maxConnections = maxConnections
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', (error) =>
    log.debug({ error: error.message }, 'a connection was refused that is not of a node'),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await Promise.all([...served].map((one) => one.leave()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
