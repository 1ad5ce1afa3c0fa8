import { createShares, type Holder, type ShareLimits, type Shares } from '../../../shared/concurrency/shares.ts'
import { rateLimited } from '../../../shared/errors.ts'

// What one key, one organization and one address may have of a node at once, so that nobody takes it from the others.

/** What is open for a while and of which a node bears only so much. */
type OpenKind = 'streams' | 'transfers' | 'bodies' | 'tests'

type OpenLimits = Record<OpenKind, ShareLimits>

const refusals: Record<OpenKind, { message: string; retryAfterSeconds: number }> = {
  streams: {
    message: 'As many event streams are open as may be at once for this key or organization. Close some, or try later.',
    retryAfterSeconds: 10,
  },
  tests: {
    message: 'As many tests are running as may at once. Try again when one of them has ended.',
    retryAfterSeconds: 10,
  },
  transfers: {
    message: 'As many exports and imports are running as may at once. Try again when one of them has finished.',
    retryAfterSeconds: 10,
  },
  bodies: {
    message:
      'As many bytes of request bodies are under way as may be at once for this key or organization. Try again soon.',
    retryAfterSeconds: 1,
  },
}

/** What is open on this node, and for whom. */
export type OpenShares = {
  /** Takes a place, or so many bytes, and answers how to leave it; throws `rate_limited` where the holder may have no more. */
  take(kind: OpenKind, holder: Holder, amount?: number): () => void
  /** The same, once there is a place, and no later than in so many milliseconds; who came first is served first. */
  await(kind: OpenKind, holder: Holder, milliseconds: number): Promise<() => void>
}

/** The most calls of one organization that wait for a place of one kind. */
const maxWaiting = 32

type Waiting = { holder: Holder; enter: (leave: () => void) => void }

/** A line before places that are taken: whoever leaves one lets in the first who may have it. */
const createLine = (shares: Shares) => {
  const waiting = new Set<Waiting>()
  const letIn = () => {
    for (const one of waiting) {
      const leave = shares.take(one.holder)
      if (leave && waiting.delete(one)) one.enter(leave)
    }
  }
  const isFull = ({ organization }: Holder) =>
    [...waiting].filter(({ holder }) => holder.organization === organization).length >= maxWaiting
  return {
    letIn,
    /** Waits for a place; undefined where none was free in time. */
    stand: (holder: Holder, milliseconds: number): Promise<(() => void) | undefined> => {
      if (isFull(holder)) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const one = { holder, enter: resolve }
        const timer = setTimeout(() => {
          waiting.delete(one)
          resolve(undefined)
        }, milliseconds)
        one.enter = (leave) => {
          clearTimeout(timer)
          resolve(leave)
        }
        waiting.add(one)
      })
    },
  }
}

export const createOpenShares = (limits: OpenLimits): OpenShares => {
  const shares: Record<OpenKind, Shares> = {
    streams: createShares(limits.streams),
    transfers: createShares(limits.transfers),
    bodies: createShares(limits.bodies),
    tests: createShares(limits.tests),
  }
  const lines = {
    streams: createLine(shares.streams),
    transfers: createLine(shares.transfers),
    bodies: createLine(shares.bodies),
    tests: createLine(shares.tests),
  }
  const lettingIn = (kind: OpenKind, leave: () => void) => () => {
    leave()
    lines[kind].letIn()
  }
  const refuse = (kind: OpenKind) => {
    const { message, retryAfterSeconds } = refusals[kind]
    return rateLimited(message, { code: `too_many_${kind}`, retryAfterSeconds })
  }
  return {
    take: (kind, holder, amount) => {
      const leave = shares[kind].take(holder, amount)
      if (leave) return lettingIn(kind, leave)
      throw refuse(kind)
    },
    await: async (kind, holder, milliseconds) => {
      const leave = shares[kind].take(holder) ?? (await lines[kind].stand(holder, milliseconds))
      if (leave) return lettingIn(kind, leave)
      throw refuse(kind)
    },
  }
}
