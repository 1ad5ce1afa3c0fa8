import {
  createFairLimiter,
  type FairLimiter,
  type Release,
  type ShareLimits,
  type Subject,
} from '../../../shared/concurrency/fair-limiter.ts'
import { type ApiError, rateLimited } from '../../../shared/errors.ts'

// The shares of a node that one key, one organization and one address may have at once, so that none takes it from the
// others.

/** Kinds of resources that stay open for a while, and that a node has a limited number of. */
type OpenKind = 'streams' | 'transfers' | 'files' | 'extractions' | 'code' | 'bodies' | 'tests'

const refusals: Record<OpenKind, { message: string; retryAfterSeconds: number }> = {
  streams: {
    message:
      'This key or organization has reached its maximum number of open event streams. Close some or try again later.',
    retryAfterSeconds: 10,
  },
  tests: {
    message: 'The maximum number of tests is running. Try again when one of them has finished.',
    retryAfterSeconds: 10,
  },
  transfers: {
    message: 'The maximum number of exports and imports is running. Try again when one of them has finished.',
    retryAfterSeconds: 10,
  },
  files: {
    message: 'The maximum number of files is being sent or read. Try again when one of them has finished.',
    retryAfterSeconds: 5,
  },
  extractions: {
    message: 'The text of the maximum number of files is being extracted. Try again when one of them is done.',
    retryAfterSeconds: 10,
  },
  code: {
    message: 'As much code of agents is running as may at once. It is tried again in a moment.',
    retryAfterSeconds: 5,
  },
  bodies: {
    message: 'This key or organization is sending the maximum number of bytes at once. Try again soon.',
    retryAfterSeconds: 1,
  },
}

/** The maximum number of waiting calls of one organization for one kind. */
const maxWaiting = 32

/** The open resources of this node, by their owners. */
export type OpenShares = {
  /** Takes a slot, or so many bytes, and returns how to give it back; throws `rate_limited` if the subject may have no more. */
  take(kind: OpenKind, subject: Subject, amount?: number): Release
  /** Waits for a slot, at most so many milliseconds. */
  wait(kind: OpenKind, subject: Subject, milliseconds: number): Promise<Release>
  /** Takes a slot; undefined if the subject may have no more. */
  tryTake(kind: OpenKind, subject: Subject): Release | undefined
  /** Checks whether an organization waits that has none of this kind. */
  hasNewcomer(kind: OpenKind): boolean
  /** Adds a slot to the node until it is given back; undefined if half as many as its own are added already. */
  addSlot(kind: OpenKind): Release | undefined
  /** The refusal of a call that may have no more of a kind. */
  refuse(kind: OpenKind): ApiError
}

export const createOpenShares = (limits: Record<OpenKind, ShareLimits>): OpenShares => {
  const create = (kind: OpenKind) => createFairLimiter(limits[kind], { maxWaiting })
  const limiters: Record<OpenKind, FairLimiter> = {
    streams: create('streams'),
    transfers: create('transfers'),
    files: create('files'),
    extractions: create('extractions'),
    code: create('code'),
    bodies: create('bodies'),
    tests: create('tests'),
  }
  const refuse = (kind: OpenKind) => {
    const { message, retryAfterSeconds } = refusals[kind]
    // No caller of the API is refused code: a run tries it again.
    if (kind === 'code') return rateLimited(message, { retryAfterSeconds })
    return rateLimited(message, { code: `too_many_${kind}`, retryAfterSeconds })
  }
  const added = new Map<OpenKind, number>()
  const resize = (kind: OpenKind, change: number): void => {
    const count = (added.get(kind) ?? 0) + change
    added.set(kind, count)
    limiters[kind].resize(limits[kind].node + count)
  }
  return {
    refuse,
    hasNewcomer: (kind) => limiters[kind].hasNewcomer(),
    addSlot: (kind) => {
      if ((added.get(kind) ?? 0) >= Math.ceil(limits[kind].node / 2)) return undefined
      resize(kind, 1)
      limiters[kind].startWaiting(1)
      return () => resize(kind, -1)
    },
    tryTake: (kind, subject) => limiters[kind].take(subject),
    take: (kind, subject, amount) => {
      const release = limiters[kind].take(subject, amount)
      if (release) return release
      throw refuse(kind)
    },
    wait: async (kind, subject, maxMilliseconds) => {
      const release = limiters[kind].take(subject) ?? (await limiters[kind].wait(subject, { maxMilliseconds }))
      if (release) return release
      throw refuse(kind)
    },
  }
}
