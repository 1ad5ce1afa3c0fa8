import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createFairQueue } from '../shared/fair-queue.ts'

/** The most new connections whose requests are read in one turn of the event loop. */
const maxInTurn = 8

/** How the request of whoever looks whether the process lives begins. */
const probe = Buffer.from('GET /livez ')

const ignoreErrors = (): void => undefined

/** Whether what has arrived on a connection is a probe. It is left there. */
const isProbe = (socket: Socket): boolean => {
  const arrived: Buffer | null = socket.read()
  if (!arrived) return false
  socket.unshift(arrived)
  return arrived.subarray(0, probe.length).equals(probe)
}

/**
 * Lets the server begin to read so many new connections at a time, callers in turn by their address. Whoever opens thousands
 * at once would otherwise have all of their requests answered in one go, while nobody else is. A probe does not wait in line:
 * it asks whether the process lives, not how much others want of it.
 */
export const paceConnections = (server: Server): void => {
  const readers = server.listeners('connection')
  server.removeAllListeners('connection')
  const waiting = createFairQueue<() => void>()
  let isScheduled = false

  const readSome = (): void => {
    isScheduled = false
    for (let count = 0; count < maxInTurn; count++) {
      const read = waiting.next()
      if (!read) return
      read()
    }
    schedule()
  }
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(readSome)
  }
  server.on('connection', (socket: Socket) => {
    let isWaiting = true
    const look = (): void => {
      if (isProbe(socket)) read()
    }
    const read = (): void => {
      if (!isWaiting) return
      isWaiting = false
      socket.off('error', ignoreErrors).off('readable', look)
      // It may have been closed while it waited.
      if (!socket.destroyed) for (const begin of readers) begin.call(server, socket)
    }
    // Nobody else listens for its errors yet.
    socket.on('error', ignoreErrors).once('readable', look)
    waiting.add(socket.remoteAddress ?? '', read)
    schedule()
  })
}
