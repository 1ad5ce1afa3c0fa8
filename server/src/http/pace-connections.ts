import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createFairQueue } from '../shared/fair-queue.ts'

/** The most new connections whose requests are read in one turn of the event loop. */
const maxInTurn = 16

const ignoreErrors = (): void => undefined

/**
 * Lets the server begin to read so many new connections at a time, callers in turn by their address. Whoever opens thousands
 * at once would otherwise have all of their requests answered in one go, while nobody else is.
 */
export const paceConnections = (server: Server): void => {
  const readers = server.listeners('connection')
  server.removeAllListeners('connection')
  const waiting = createFairQueue<Socket>()
  let isScheduled = false

  const read = (socket: Socket): void => {
    socket.off('error', ignoreErrors)
    // It may have been closed while it waited.
    if (!socket.destroyed) for (const begin of readers) begin.call(server, socket)
  }
  const readSome = (): void => {
    isScheduled = false
    for (let count = 0; count < maxInTurn; count++) {
      const socket = waiting.next()
      if (!socket) return
      read(socket)
    }
    schedule()
  }
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(readSome)
  }
  server.on('connection', (socket: Socket) => {
    // Nobody else listens for its errors yet.
    socket.on('error', ignoreErrors)
    waiting.add(socket.remoteAddress ?? '', socket)
    schedule()
  })
}
