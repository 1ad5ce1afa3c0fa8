import { sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../shared/log.ts'
import { withTimeout } from '../shared/timeout.ts'
import { type Db, type OpenDatabase, openDatabase, type ReadSource } from './database.ts'
import { isDatabaseUnavailable } from './database-errors.ts'

// Streaming replicas of the database. A replica replays the primary's commits in the same order with some delay: it shows
// the database as it was a moment ago, never anything else. The reader decides whether that is good enough.

const pollMilliseconds = 2_000
/** Timeout for an answer of a replica, and for opening a connection to it. */
const answerMilliseconds = 3_000

/** The state of a replica, by its number in the settings. */
export type ReplicaReport = { number: number; isUsed: boolean; lagSeconds: number | undefined }

export type Replicas = {
  /** The number of configured replicas. */
  readonly count: number
  /** Returns the replica for reads of this key, while it answers; the same one while the set of replicas is the same. */
  find(key: number): ReadSource | undefined
  /** Records the failure of a read from a replica. A lost replica is not used until it answers again. */
  recordFailure(source: ReadSource, error: unknown): void
  /** Checks all of them now; called every two seconds. */
  poll(): Promise<void>
  report(): ReplicaReport[]
  close(): Promise<void>
}

export type ReplicaOptions = {
  urls: readonly string[]
  pool: number
  statementSeconds: number
  preparesStatements: boolean
}

/** The primary's log position, and the identifier of its database system. */
type Primary = { position: string; system: string }
type Standby = { isStandby: boolean; system: string; lagSeconds: number | null }

const system = sql`(select system_identifier::text from pg_control_system())`

const readPrimary = async (db: Db): Promise<Primary | undefined> => {
  const { rows } = await sql<Primary>`select pg_current_wal_lsn()::text as position, ${system} as system`.execute(db)
  return rows[0]
}

const readStandby = async (db: Db, position: string | null): Promise<Standby | undefined> => {
  const { rows } = await sql<Standby>`
    select pg_is_in_recovery() as "isStandby", ${system} as system,
      case when pg_last_wal_replay_lsn() >= ${position}::pg_lsn then 0
        else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 end as "lagSeconds"`.execute(
    db,
  )
  return rows[0]
}

class Replica {
  readonly number: number
  readonly source: OpenDatabase
  isUsed = false
  lagSeconds: number | undefined
  readonly #log: Log

  constructor(number: number, source: OpenDatabase, log: Log) {
    this.number = number
    this.source = source
    this.#log = log
  }

  async poll(primary: Primary | undefined): Promise<void> {
    try {
      const found = await withTimeout(readStandby(this.source.db, primary?.position ?? null), answerMilliseconds)
      if (!found) throw new Error('It does not answer.')
      if (!found.isStandby) throw new Error('It is no standby: it may have been promoted.')
      if (primary && primary.system !== found.system) throw new Error('It is the standby of another server.')
      this.lagSeconds = found.lagSeconds === null ? undefined : Math.max(0, found.lagSeconds)
      if (!this.isUsed) this.#log.info({ replica: this.number }, 'a replica is read from')
      this.isUsed = true
    } catch (error) {
      this.lose(error)
    }
  }

  lose(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    if (this.isUsed) this.#log.warn({ replica: this.number, reason }, 'a replica is not read from until it answers')
    this.isUsed = false
    this.lagSeconds = undefined
  }
}

const toReplicas = (primary: Db, replicas: readonly Replica[]): Omit<Replicas, 'close'> => {
  const pollAll = async () => {
    // Without an answer of the primary the lag is unknown, and the rest still holds.
    const found = await withTimeout(readPrimary(primary), answerMilliseconds).catch(() => undefined)
    await Promise.all(replicas.map((replica) => replica.poll(found)))
  }
  let looking: Promise<void> | undefined
  return {
    count: replicas.length,
    find: (key) => {
      const used = replicas.filter(({ isUsed }) => isUsed)
      return used[key % used.length]?.source
    },
    recordFailure: (source, error) => {
      const isLost = isDatabaseUnavailable(error) && !(error instanceof pg.DatabaseError)
      if (isLost) replicas.find((replica) => replica.source === source)?.lose(error)
    },
    poll: () => {
      looking ??= pollAll().finally(() => {
        looking = undefined
      })
      return looking
    },
    report: () => replicas.map(({ number, isUsed, lagSeconds }) => ({ number, isUsed, lagSeconds })),
  }
}

/** For code that reads from the primary alone. */
export const noReplicas: Replicas = {
  count: 0,
  find: () => undefined,
  recordFailure: () => undefined,
  poll: async () => undefined,
  report: () => [],
  close: async () => undefined,
}

/** Opens the replicas of a database. The caller closes them. A node starts whether or not they answer. */
export const openReplicas = async (
  primary: Db,
  { urls, pool, ...options }: ReplicaOptions,
  log: Log,
): Promise<Replicas> => {
  if (urls.length === 0) return noReplicas
  const replicas = urls.map((url, index) => {
    const given = { ...options, name: 'noema replica reads', connectMilliseconds: answerMilliseconds }
    return new Replica(index + 1, openDatabase(url, log, pool, given), log)
  })
  const opened = toReplicas(primary, replicas)
  await opened.poll()
  for (const { number, isUsed } of replicas)
    if (!isUsed) log.warn({ replica: number }, 'a replica cannot be read from; the primary is read until it can')
  const timer = setInterval(() => void opened.poll(), pollMilliseconds).unref()
  return {
    ...opened,
    close: async () => {
      clearInterval(timer)
      await Promise.all(replicas.map(({ source }) => source.close()))
    },
  }
}
