import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '../../shared/log.ts'
import { toClientNetwork } from '../../shared/network/client-network.ts'

// The connections that a node keeps, and the share of one network. Without the share, one machine could hold them all for a
// minute without sending a byte. A proxy that the operator trusts has as many as it needs.

/** Connections that a node keeps at once, and those of one network: an IPv4 address, or a /64 of IPv6. */
export type ConnectionLimits = { node: number; network: number }

const logMilliseconds = 60_000

/** Limits the connections of a server, all of them and those of one network. */
export const limitConnections = (
  server: Server,
  limits: ConnectionLimits,
  { isTrustedProxy, log }: { isTrustedProxy: (address: string) => boolean; log: Log },
): void => {
  const open = new Map<string, number>()
  let loggedAt = Number.NEGATIVE_INFINITY
  const refuse = (socket: Socket, network: string): void => {
    socket.destroy()
    if (performance.now() - loggedAt < logMilliseconds) return
    loggedAt = performance.now()
    log.warn({ network, limit: limits.network }, 'a network has its share of the connections, and more are closed')
  }
  server.maxConnections = limits.node
  const isRefused = (socket: Socket): boolean => {
    const { remoteAddress } = socket
    // It went away before it was accepted.
    if (remoteAddress === undefined) return false
    const network = toClientNetwork(remoteAddress)
    const count = open.get(network) ?? 0
    if (count >= limits.network && !isTrustedProxy(remoteAddress)) {
      refuse(socket, network)
      return true
    }
    open.set(network, count + 1)
    socket.once('close', () => {
      const left = (open.get(network) ?? 0) - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    })
    return false
  }
  // Node makes a parser for each connection that its listener sees: refused ones stay cheap.
  const accept = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket) => {
    if (!isRefused(socket)) for (const listener of accept) listener.call(server, socket)
  })
}
