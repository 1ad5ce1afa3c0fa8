import { sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../shared/log.ts'
import { withTimeout } from '../shared/timeout.ts'
import { type Db, type OpenDatabase, openDatabase, type ReadSource } from './database.ts'
import { isDatabaseUnavailable } from './database-errors.ts'

// Streaming replicas of the database. A replica replays what the primary has committed, in the same order and some time later:
// it shows the database as it was a moment ago, never anything else. What of that is good enough is for whoever reads to say.

const lookMilliseconds = 2_000
/** How long a replica may take to answer, and to accept a connection. */
const answerMilliseconds = 3_000

/** How a replica was found, by its number among those of the settings. */
export type ReplicaReport = { number: number; isUsed: boolean; lagSeconds: number | undefined }

export type Replicas = {
  /** How many the settings name. */
  readonly count: number
  /** The replica that what belongs to this key is read from, while it answers; the same one as long as the same ones do. */
  find(key: number): ReadSource | undefined
  /** Notes what a read from a replica failed with. One that is lost is not read until it answers again. */
  noteFailure(source: ReadSource, error: unknown): void
  /** Looks at all of them now, which is done every two seconds. */
  look(): Promise<void>
  report(): ReplicaReport[]
  close(): Promise<void>
}

export type ReplicaOptions = {
  urls: readonly string[]
  pool: number
  statementSeconds: number
  preparesStatements: boolean
}

/** Where the primary's log has come to, and which database system it is. */
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

  async look(primary: Primary | undefined): Promise<void> {
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
  const lookAtAll = async () => {
    // Without an answer of the primary nothing is known of how far a replica is behind, and all else holds.
    const found = await withTimeout(readPrimary(primary), answerMilliseconds).catch(() => undefined)
    await Promise.all(replicas.map((replica) => replica.look(found)))
  }
  let looking: Promise<void> | undefined
  return {
    count: replicas.length,
    find: (key) => {
      const used = replicas.filter(({ isUsed }) => isUsed)
      return used[key % used.length]?.source
    },
    noteFailure: (source, error) => {
      const isLost = isDatabaseUnavailable(error) && !(error instanceof pg.DatabaseError)
      if (isLost) replicas.find((replica) => replica.source === source)?.lose(error)
    },
    look: () => {
      looking ??= lookAtAll().finally(() => {
        looking = undefined
      })
      return looking
    },
    report: () => replicas.map(({ number, isUsed, lagSeconds }) => ({ number, isUsed, lagSeconds })),
  }
}

/** For whoever reads from the primary alone. */
export const noReplicas: Replicas = {
  count: 0,
  find: () => undefined,
  noteFailure: () => undefined,
  look: async () => undefined,
  report: () => [],
  close: async () => undefined,
}

/** Opens the replicas of a database. Whoever opens them closes them. A node starts whether or not they answer. */
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
  await opened.look()
  for (const { number, isUsed } of replicas)
    if (!isUsed) log.warn({ replica: number }, 'a replica cannot be read from; the primary is read until it can')
  const timer = setInterval(() => void opened.look(), lookMilliseconds).unref()
  return {
    ...opened,
    close: async () => {
      clearInterval(timer)
      await Promise.all(replicas.map(({ source }) => source.close()))
    },
  }
}
