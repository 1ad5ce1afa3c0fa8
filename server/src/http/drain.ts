import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const drainMilliseconds = 25_000
const sweepMilliseconds = 50

/** The connections of a server that are open at any time. */
const watchConnections = (http: FastifyInstance): ReadonlySet<Socket> => {
  const connections = new Set<Socket>()
  http.server.on('connection', (connection: Socket) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
  })
  return connections
}

/** How a server that does not listen yet is ended: requests under way are waited for, but not for ever (D-82). */
export const createDrain = (http: FastifyInstance): (() => Promise<void>) => {
  const connections = watchConnections(http)
  return async () => {
    const cut = setTimeout(() => http.server.closeAllConnections(), drainMilliseconds)
    // Nobody else closes a connection whose last answer ends after the server began to close, or one that never asked.
    const sweep = setInterval(() => {
      http.server.closeIdleConnections()
      for (const connection of connections) if (connection.bytesRead === 0) connection.destroy()
    }, sweepMilliseconds)
    await http.close()
    clearInterval(sweep)
    clearTimeout(cut)
  }
}
