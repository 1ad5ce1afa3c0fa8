import { buildConnector, Pool } from 'undici'
import type { Target } from './targets.ts'

const connectMilliseconds = 3_000
const maxHeaderBytes = 16 * 1024
// Kept for the next call, but not so long that the far end gives it up at the moment we send.
const keepAliveMilliseconds = 2_000
const maxPools = 256

/** Connections by origin and checked addresses. */
export type Pools = {
  /** The connections to a target at these addresses: one that was made is used again only while the same addresses pass. */
  get(target: Target, addresses: readonly string[]): Pool
  /** Breaks all connections off. */
  close(): Promise<void>
}

/** `ca`: certificates to trust, in place of the usual ones. */
export const createPools = (ca: string | undefined): Pools => {
  const pools = new Map<string, Pool>()
  const open = ({ url }: Target, addresses: readonly string[]) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const connect = buildConnector({
      timeout: connectMilliseconds,
      allowH2: false,
      autoSelectFamily: true,
      ...(ca === undefined ? {} : { ca }),
      // The name is not asked for again between the check and the connection, so no other answer can slip in.
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
      const pool = pools.get(key) ?? open(target, addresses)
      // Put last again, so that the first is the one unused for longest.
      pools.delete(key)
      pools.set(key, pool)
      const [oldest] = pools
      if (pools.size > maxPools && oldest) {
        pools.delete(oldest[0])
        void oldest[1].close()
      }
      return pool
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}
