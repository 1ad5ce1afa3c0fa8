import { LRUCache } from 'lru-cache'
import { buildConnector, Pool } from 'undici'
import type { Target } from './targets.ts'

const connectMilliseconds = 3_000
const maxHeaderBytes = 16 * 1024
// Kept for the next call, but closed before the far end closes it while we send.
const keepAliveMilliseconds = 2_000
const maxPools = 256

/** Connections by origin and checked addresses. */
export type Pools = {
  /** The connections to a target at these addresses. They are reused only while the checked addresses stay the same. */
  get(target: Target, addresses: readonly string[]): Pool
  /** Destroys all connections. */
  close(): Promise<void>
}

/** `ca`: certificates to trust instead of the usual ones. */
export const createPools = (ca: string | undefined): Pools => {
  const pools = new LRUCache<string, Pool>({
    max: maxPools,
    // Lets the calls in progress finish.
    dispose: (pool) => void pool.close(),
  })
  const open = ({ url }: Target, addresses: readonly string[]) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const connect = buildConnector({
      timeout: connectMilliseconds,
      allowH2: false,
      autoSelectFamily: true,
      ...(ca === undefined ? {} : { ca }),
      // The name is not resolved again between the check and the connection, so no other address can slip in.
      lookup: (_host, options, done) =>
        options.all ? done(null, found) : done(null, found[0]?.address ?? '', found[0]?.family),
    })
    return new Pool(url.origin, {
      connect,
      pipelining: 1,
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: keepAliveMilliseconds,
      keepAliveMaxTimeout: keepAliveMilliseconds,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }
  return {
    get: (target, addresses) => {
      const key = [target.url.origin, ...addresses.toSorted()].join(' ')
      const found = pools.get(key)
      if (found) return found
      const opened = open(target, addresses)
      pools.set(key, opened)
      return opened
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}
