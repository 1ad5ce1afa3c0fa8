import type { FastifyReply, FastifyRequest } from 'fastify'
import { createShares, type Holder, type ShareLimits } from '../../shared/concurrency/shares.ts'
import { unavailable } from '../../shared/errors.ts'

// How many requests are worked on at once. The others wait before anything is done for them, organizations in turn, so that
// the main thread stays free for what asks whether the process lives; and what would wait for about a second is refused.

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives back the place of a request whose answer goes on for long. */
    leave: () => void
  }
}

type Waiting = { holder: Holder; since: number; enter: (leave: () => void) => void; refuse: (error: Error) => void }
/** The requests of an organization that wait, and how long the last that was let in had waited. */
type Line = { waiting: Waiting[]; lastWait: number }

const sweepMilliseconds = 50

const busy = () =>
  unavailable('More requests are under way than this node answers in a second. Send this one again in a moment.', {
    code: 'overloaded',
    retryAfterSeconds: 1,
  })

/** Places for requests, and lines of those that wait for one. */
const createPlaces = (limits: ShareLimits, maxWaitMilliseconds: number) => {
  const shares = createShares(limits)
  const lines = new Map<string, Line>()
  const take = (holder: Holder): (() => void) | undefined => {
    const leave = shares.take(holder)
    return (
      leave &&
      (() => {
        leave()
        letIn()
      })
    )
  }
  /** Lets in the first of as many lines as there are places for. Whose turn it was goes to the end. */
  const letIn = (): void => {
    for (const [organization, line] of lines) {
      const [first] = line.waiting
      const leave = first && take(first.holder)
      if (!first || !leave) continue
      line.waiting.shift()
      line.lastWait = performance.now() - first.since
      lines.delete(organization)
      if (line.waiting.length > 0) lines.set(organization, line)
      first.enter(leave)
      return
    }
  }
  const wait = (holder: Holder): Promise<() => void> =>
    new Promise((enter, refuse) => {
      const line = lines.get(holder.organization) ?? { waiting: [], lastWait: 0 }
      // As long as the last one had to wait, this one would have to as well.
      if (line.lastWait > maxWaitMilliseconds * 0.8) return refuse(busy())
      line.waiting.push({ holder, since: performance.now(), enter, refuse })
      lines.set(holder.organization, line)
    })
  const sweep = (): void => {
    const late = performance.now() - maxWaitMilliseconds
    for (const [organization, { waiting }] of lines) {
      while (waiting[0] && waiting[0].since < late) waiting.shift()?.refuse(busy())
      if (waiting.length === 0) lines.delete(organization)
    }
  }
  return { take, wait, sweep }
}

export type InFlight = {
  /** Waits for a place for a request, which it has until it is answered; throws where that would take too long. */
  enter(holder: Holder, request: FastifyRequest, reply: FastifyReply): Promise<void>
  close(): void
}

export const createInFlight = (limits: ShareLimits, maxWaitMilliseconds: number): InFlight => {
  const places = createPlaces(limits, maxWaitMilliseconds)
  const timer = setInterval(places.sweep, sweepMilliseconds).unref()
  return {
    enter: async (holder, request, reply) => {
      const leave = places.take(holder) ?? (await places.wait(holder))
      request.leave = leave
      // Who went away while waiting needs no place.
      if (reply.raw.destroyed) leave()
      else reply.raw.once('close', leave)
    },
    close: () => clearInterval(timer),
  }
}
