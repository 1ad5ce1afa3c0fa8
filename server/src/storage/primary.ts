import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

// A database may be on several hosts, of which one accepts writes at a time: the primary. If it is unknown or in doubt, the
// node asks the hosts themselves. Of two hosts that claim to be primary, the one with the later timeline is right: the
// other was left behind by a promotion, and writes to it would be lost.

/** A host, as the driver knows it. */
type Host = { host: string; port: number }

const askMilliseconds = 1_500
/** Pause after a search without a result: there are as many searches as requests. */
const restMilliseconds = 100

/** None of the hosts takes writes at the moment. */
export class NoPrimary extends Error {
  constructor() {
    super('No host of the database takes writes.')
    this.name = 'NoPrimary'
  }
}

export type Primary = {
  /** The host that takes writes. Throws NoPrimary in a bounded time where there is none. */
  find(): Promise<Host>
  /** Asks the hosts before the next connection is opened. */
  suspect(): void
  /** Asks the hosts in the background: a host that froze, and woke after a promotion, breaks no connection. */
  askAgain(): Promise<void>
  /** Calls when another host than before was found. */
  onChange(listener: (host: Host) => void): void
}

/** A host that takes writes, and which history it is in: each promotion of a standby begins a new one. */
type Writable = Host & { timeline: number }

const statement = `select case when not pg_is_in_recovery() and not current_setting('transaction_read_only')::boolean
  then ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer end as timeline`

/** Asks one host; undefined if it accepts no writes, or does not answer in time. */
const askHost = async (config: pg.ClientConfig): Promise<Writable | undefined> => {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: askMilliseconds, query_timeout: askMilliseconds })
  client.on('error', () => {})
  const ask = async () => {
    await client.connect()
    const { rows } = await client.query<{ timeline: number | null }>(statement)
    const timeline = rows[0]?.timeline ?? undefined
    return timeline === undefined ? undefined : { host: client.host, port: client.port, timeline }
  }
  try {
    return await Promise.race([ask().catch(() => undefined), delay(askMilliseconds, undefined, { ref: false })])
  } finally {
    void client.end().catch(() => {})
  }
}

/** Finds the primary among hosts. */
export const createPrimary = (configs: readonly pg.ClientConfig[]): Primary => {
  const listeners = new Set<(host: Host) => void>()
  let known: Writable | undefined
  /** The last that was found, also while it is suspected. */
  let last: Writable | undefined
  let asking: Promise<Writable> | undefined
  let restsUntil = 0
  const note = (found: Writable): void => {
    const isChanged = last !== undefined && (last.host !== found.host || last.port !== found.port)
    known = found
    last = found
    if (isChanged) for (const listener of listeners) listener(found)
  }
  const ask = async (): Promise<Writable> => {
    const answers = await Promise.all(configs.map(askHost))
    const writable = answers.filter((one) => one !== undefined).sort((one, two) => two.timeline - one.timeline)
    const [found] = writable
    if (!found || found.timeline < (last?.timeline ?? 0)) {
      restsUntil = performance.now() + restMilliseconds
      throw new NoPrimary()
    }
    note(found)
    return found
  }
  const askOnce = (): Promise<Writable> => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
  return {
    find: async () => {
      if (known) return known
      if (performance.now() < restsUntil) throw new NoPrimary()
      return askOnce()
    },
    askAgain: async () => {
      await askOnce().catch(() => undefined)
    },
    suspect: () => {
      known = undefined
    },
    onChange: (listener) => void listeners.add(listener),
  }
}
