import type { FastifyReply, FastifyRequest } from 'fastify'
import { createFairLimiter, type Held, type ShareLimits, type Subject } from '../../shared/concurrency/fair-limiter.ts'
import { unavailable } from '../../shared/errors.ts'

// Limits how many requests a node works on at once, and how many it starts in one turn of the event loop. The others wait before
// any work is done for them, organizations in turn: one turn may bring the requests of a thousand connections, and without this
// limit all of them would start before anyone else is answered. The wait is measured from the arrival of the request. A request
// that would wait longer than NOEMA_MAX_WAIT is refused.

declare module 'fastify' {
  interface FastifyRequest {
    /** Releases the slot of a request whose answer is a long stream. */
    leave: Held
  }
}

/** At most this many requests start in one turn of the event loop, and in one in which a connection was accepted. */
const maxInTurn = 8
const maxNextToAccepting = 2

/** While connections are accepted, no request starts for this many times the duration of the last turn that started some. */
const restsPerTurn = 2

/** The `Retry-After` of a request that gets no slot in time. */
const retryAfterSeconds = 1

export const overloaded = () =>
  unavailable('This node has more requests than it can answer in time. Try again in a moment.', {
    code: 'overloaded',
    retryAfterSeconds,
  })

/**
 * Counts the requests that may start in each turn. Node accepts one connection in a turn, so while many wait for that, most turns
 * start nothing: a thousand connections are accepted within tenths of a second, whatever they ask for.
 */
const createTurns = (start: (max: number) => void, hasWaiting: () => boolean) => {
  /** Connections are being accepted if one was in this turn or in the one before: within a turn either event may come first. */
  let turnsSinceAccepted = 2
  let startedInTurn = 0
  let isScheduled = false
  /** When the turn began that starts requests while connections are accepted. Its duration decides how long to start none. */
  let busySince: number | undefined
  let restUntil = 0
  const countStarts = (): number => {
    if (turnsSinceAccepted >= 2 && busySince === undefined) return maxInTurn
    const now = performance.now()
    if (busySince !== undefined) restUntil = now + restsPerTurn * (now - busySince)
    busySince = undefined
    if (turnsSinceAccepted >= 2) return maxInTurn
    if (now < restUntil) return 0
    busySince = now
    return maxNextToAccepting
  }
  const endTurn = (): void => {
    isScheduled = false
    startedInTurn = 0
    const starts = countStarts()
    turnsSinceAccepted++
    if (hasWaiting()) start(starts)
    if (hasWaiting() || busySince !== undefined) schedule()
  }
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(endTurn)
  }
  return {
    schedule,
    /** True if a request that just arrived may start in this turn. */
    mayStart: (): boolean => {
      schedule()
      return turnsSinceAccepted >= 2 && startedInTurn++ < maxInTurn
    },
    recordAccepted: (): void => {
      turnsSinceAccepted = 0
    },
  }
}

export type Gate = {
  /** Waits for a slot, which the request holds until it is answered; throws `overloaded` if that would take too long. */
  enter(request: FastifyRequest, reply: FastifyReply, subject: Subject): void | Promise<void>
  /** Checks whether requests of other organizations are in progress. */
  isShared(organization: string): boolean
  /** Call this for each connection that the server accepts. */
  recordAccepted(): void
}

export const createGate = (limits: ShareLimits, maxMilliseconds: number): Gate => {
  const limiter = createFairLimiter(limits, { onFree: () => turns.schedule() })
  let waiting = 0
  const turns = createTurns(limiter.startWaiting, () => waiting > 0)
  const hold = (request: FastifyRequest, reply: FastifyReply, release: Held): void => {
    request.leave = release
    // A client that went away while it waited needs no slot.
    if (reply.raw.destroyed) release()
    else reply.raw.once('close', release)
  }
  const wait = async (request: FastifyRequest, reply: FastifyReply, subject: Subject): Promise<void> => {
    waiting++
    const since = performance.now() - reply.elapsedTime
    const release = await limiter.wait(subject, { maxMilliseconds, since }).finally(() => waiting--)
    if (!release) throw overloaded()
    hold(request, reply, release)
  }
  return {
    enter: (request, reply, subject) => {
      const release = turns.mayStart() && waiting === 0 ? limiter.take(subject) : undefined
      return release ? hold(request, reply, release) : wait(request, reply, subject)
    },
    isShared: limiter.isShared,
    recordAccepted: turns.recordAccepted,
  }
}
