import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { idleTick } from './idle-tick.ts'

const drainMilliseconds = 25_000
const sweepMilliseconds = 50
/** A connection that sends no byte within this time is closed. */
const firstByteMilliseconds = 500

/** Tracks the open connections of a server, when each was opened, and how many there were in all. */
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

/** Closes a server. It waits for the requests in progress, up to a limit (D-82). */
const createClose = (http: FastifyInstance): (() => Promise<void>) => {
  const { connections, countOpened } = watchConnections(http)
  return async () => {
    const cut = setTimeout(() => http.server.closeAllConnections(), drainMilliseconds)
    // Node does not close connections whose last answer ends after the server began to close, nor those that never sent a request.
    const sweep = setInterval(() => {
      http.server.closeIdleConnections()
      const longAgo = performance.now() - firstByteMilliseconds
      for (const [connection, openedAt] of connections)
        if (connection.bytesRead === 0 && openedAt < longAgo) connection.destroy()
    }, sweepMilliseconds)
    // The system resets connections that were not accepted yet. At the end of an idle tick there are hardly any.
    await idleTick(countOpened)
    http.server.close()
    await http.close()
    clearInterval(sweep)
    clearTimeout(cut)
  }
}

export type Shutdown = {
  /** `leaving` aborts when shutdown is announced, `draining` when the node takes no more requests. */
  leaving: AbortSignal
  draining: AbortSignal
  leave(): void
  drain(): Promise<void>
}

/**
 * Creates the shutdown of a server that does not listen yet. Once shutdown is announced, each answer closes its connection: closing
 * an idle connection could lose a request that is on its way.
 */
export const createShutdown = (http: FastifyInstance): Shutdown => {
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
