import { createFairLimiter, type FairLimiter, type ShareLimits } from '../concurrency/fair-limiter.ts'

/** Calls under way at once: on this node, of one organization, and to one machine, by its address. */
export type CallLimits = { node: number; organization: number; host: number }

/**
 * The call slots of a node. A machine is counted by its addresses, because many names may lead to it; there, too, no
 * organization takes more than stays free for the others.
 */
export const createCallSlots = ({ node, organization, host }: CallLimits) => {
  const all = createFairLimiter({ node, organization, key: organization } satisfies ShareLimits)
  const hosts = new Map<string, FairLimiter>()

  const takeHost = (address: string, of: string): (() => void) | undefined => {
    const shares = hosts.get(address) ?? createFairLimiter({ node: host, organization: host, key: host })
    const leave = shares.take({ organization: of, key: of })
    if (!leave) return undefined
    hosts.set(address, shares)
    return () => {
      leave()
      if (shares.held() === 0) hosts.delete(address)
    }
  }

  return {
    /** Takes a slot on the node, and returns its release; undefined if there is none for this organization now. */
    take: (of: string): (() => void) | undefined => all.take({ organization: of, key: of }),
    /** Takes a slot at each of the addresses of one machine. */
    takeHost: (addresses: readonly string[], of: string): (() => void) | undefined => {
      const taken: (() => void)[] = []
      const leave = () => {
        for (const one of taken) one()
      }
      for (const address of new Set(addresses)) {
        const one = takeHost(address, of)
        if (!one) {
          leave()
          return undefined
        }
        taken.push(one)
      }
      return leave
    },
  }
}
