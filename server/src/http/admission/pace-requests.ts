import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createFairQueue } from '../../shared/concurrency/fair-queue.ts'

/** The most requests that are begun in one turn of the event loop, and in one in which a connection was accepted. */
const maxInTurn = 8
const maxBesideAccepting = 2

/** While connections are accepted, none are begun for so many times as long as the last turn took that began some. */
const restsPerTurn = 2

/** What asks whether the process lives. */
const probe = '/livez'

/**
 * Begins so many requests in a turn of the event loop, callers in turn. One turn may bring the requests of a thousand
 * connections, and nobody else is answered before all of them are begun. New connections are accepted one in a turn, so while many
 * wait for that, most turns begin nothing: a thousand are let in within tenths of a second, whatever they ask for. A probe does
 * not wait in line: it asks whether the process lives, not how much others want of it. `findCaller` tells who is in whose line.
 */
export const paceRequests = (server: Server, findCaller: (request: IncomingMessage) => string): void => {
  const listeners = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[]
  server.removeAllListeners('request')
  const waiting = createFairQueue<() => void>()
  let begun = 0
  /** Connections are being accepted where one was in this turn or in the one before: within a turn either event may come first. */
  let turnsSinceAccepted = 2
  const isAccepting = (): boolean => turnsSinceAccepted < 2
  let isScheduled = false
  /** When the turn that is under way began requests beside accepting. Its end tells how long to begin none. */
  let busySince: number | undefined
  let restUntil = 0

  const countPlaces = (now: number): number => {
    if (busySince !== undefined) restUntil = now + restsPerTurn * (now - busySince)
    busySince = undefined
    if (!isAccepting()) return maxInTurn
    if (now < restUntil) return 0
    busySince = now
    return maxBesideAccepting
  }
  const endTurn = (): void => {
    isScheduled = false
    const places = countPlaces(performance.now())
    turnsSinceAccepted++
    for (begun = 0; begun < places; begun++) {
      const begin = waiting.next()
      if (!begin) break
      begin()
    }
    // The next turn counts its own.
    begun = 0
    if (!waiting.isEmpty() || busySince !== undefined) schedule()
  }
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(endTurn)
  }
  server.on('connection', () => {
    turnsSinceAccepted = 0
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const begin = (): void => {
      // It may have been given up while it waited.
      if (!response.destroyed) for (const listener of listeners) listener.call(server, request, response)
    }
    if (request.url === probe) return begin()
    schedule()
    if (waiting.isEmpty() && !isAccepting() && begun++ < maxInTurn) begin()
    else waiting.add(findCaller(request), begin)
  })
}
