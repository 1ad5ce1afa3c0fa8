import { rateLimited } from '../../../shared/errors.ts'
import { createShares, type Holder, type ShareLimits, type Shares } from '../../../shared/shares.ts'

// What one key, one organization and one address may have of a node at once, so that nobody takes it from the others.

/** What is open for a while and of which a node bears only so much. */
type OpenKind = 'streams' | 'transfers' | 'tests'

type OpenLimits = Record<OpenKind, ShareLimits>

const refusals: Record<OpenKind, { message: string; retryAfterSeconds: number }> = {
  streams: {
    message: 'As many event streams are open as may be at once for this key or organization. Close some, or try later.',
    retryAfterSeconds: 10,
  },
  tests: {
    message: 'As many tests of webhooks are running as may at once. Try again when one of them has ended.',
    retryAfterSeconds: 10,
  },
  transfers: {
    message: 'As many exports and imports are running as may at once. Try again when one of them has finished.',
    retryAfterSeconds: 10,
  },
}

/** What is open on this node, and for whom. */
export type OpenShares = {
  /** Takes a place and answers how to leave it; throws `rate_limited` where the holder may have no more now. */
  take(kind: OpenKind, holder: Holder): () => void
}

export const createOpenShares = (limits: OpenLimits): OpenShares => {
  const shares: Record<OpenKind, Shares> = {
    streams: createShares(limits.streams),
    transfers: createShares(limits.transfers),
    tests: createShares(limits.tests),
  }
  return {
    take: (kind, holder) => {
      const leave = shares[kind].take(holder)
      if (leave) return leave
      const { message, retryAfterSeconds } = refusals[kind]
      throw rateLimited(message, { code: `too_many_${kind}`, retryAfterSeconds })
    },
  }
}
