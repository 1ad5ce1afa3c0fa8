import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createFairQueue } from '../shared/fair-queue.ts'

/** The most requests that are begun in one turn of the event loop, and in one in which a connection was accepted. */
const maxInTurn = 8
const maxBesideAccepting = 2

/** What asks whether the process lives. */
const probe = '/livez'

/**
 * Begins so many requests in a turn of the event loop, callers in turn. One turn may bring the requests of a thousand
 * connections, and nobody else is answered before all of them are begun. New connections are accepted one in a turn, so turns
 * are short while many wait for that. A probe does not wait in line: it asks whether the process lives, not how much others want
 * of it. `findCaller` tells who is in whose line.
 */
export const paceRequests = (server: Server, findCaller: (request: IncomingMessage) => string): void => {
  const listeners = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[]
  server.removeAllListeners('request')
  const waiting = createFairQueue<() => void>()
  let begun = 0
  let isAccepting = false
  let isScheduled = false

  const endTurn = (): void => {
    isScheduled = false
    const places = isAccepting ? maxBesideAccepting : maxInTurn
    isAccepting = false
    for (begun = 0; begun < places; begun++) {
      const begin = waiting.next()
      if (!begin) break
      begin()
    }
    // The next turn counts its own.
    begun = 0
    if (!waiting.isEmpty()) schedule()
  }
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(endTurn)
  }
  server.on('connection', () => {
    isAccepting = true
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const begin = (): void => {
      // It may have been given up while it waited.
      if (!response.destroyed) for (const listener of listeners) listener.call(server, request, response)
    }
    if (request.url === probe) return begin()
    schedule()
    if (waiting.isEmpty() && begun++ < maxInTurn) begin()
    else waiting.add(findCaller(request), begin)
  })
}
