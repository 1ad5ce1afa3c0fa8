import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { quietTurn } from './quiet-turn.ts'

const drainMilliseconds = 25_000
const sweepMilliseconds = 50
/** Within which a connection brings the beginning of a request, or never will. */
const firstByteMilliseconds = 500

/** The connections of a server that are open at any time, when each was opened, and how many there were in all. */
const watchConnections = (http: FastifyInstance) => {
  const connections = new Map<Socket, number>()
  let opened = 0
  http.server.on('connection', (connection: Socket) => {
    opened++
    connections.set(connection, performance.now())
    connection.once('close', () => connections.delete(connection))
  })
  return { connections, countOpened: () => opened }
}

/** Ends a server: requests under way are waited for, but not for ever (D-82). */
const createClose = (http: FastifyInstance): (() => Promise<void>) => {
  const { connections, countOpened } = watchConnections(http)
  return async () => {
    const cut = setTimeout(() => http.server.closeAllConnections(), drainMilliseconds)
    // Nobody else closes a connection whose last answer ends after the server began to close, or one that never asked.
    const sweep = setInterval(() => {
      http.server.closeIdleConnections()
      const longAgo = performance.now() - firstByteMilliseconds
      for (const [connection, openedAt] of connections)
        if (connection.bytesRead === 0 && openedAt < longAgo) connection.destroy()
    }, sweepMilliseconds)
    // What has connected and was not taken up yet is reset by the system: hardly anything has at the end of a quiet turn.
    await quietTurn(countOpened)
    http.server.close()
    await http.close()
    clearInterval(sweep)
    clearTimeout(cut)
  }
}

export type Ending = {
  /** Ended as soon as the node is about to end, and once it takes no more requests. */
  leaving: AbortSignal
  draining: AbortSignal
  leave(): void
  drain(): Promise<void>
}

/**
 * How a server that does not listen yet is ended. While it is left, each answer says that its connection closes: one that was
 * merely closed while nothing was asked on it might meet a request that is on its way.
 */
export const createEnding = (http: FastifyInstance): Ending => {
  const close = createClose(http)
  const leaving = new AbortController()
  const draining = new AbortController()
  http.addHook('onSend', (_request, reply, _payload, done) => {
    if (leaving.signal.aborted) reply.header('connection', 'close')
    done()
  })
  return {
    ...{ leaving: leaving.signal, draining: draining.signal },
    leave: () => leaving.abort(),
    drain: () => {
      leaving.abort()
      draining.abort()
      return close()
    },
  }
}
