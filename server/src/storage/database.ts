import { isAbortedTransactionError, Kysely, PostgresDialect, type RawBuilder, type Transaction } from 'kysely'
import pg from 'pg'
import type { Log } from '../shared/log.ts'
import { DatabaseSilent, type HangWatch, watchForHangs } from './hang-watch.ts'
import { toSafePool } from './pooled-connections.ts'

/** The database. Statements are Kysely's `sql` templates, so the row types stand beside each statement. */
export type Db = Kysely<unknown>
export type Tx = Transaction<unknown>
/** Either: a statement that runs by itself or inside a transaction. */
export type Queryable = Db | Tx

/** Where the database is: a URL, or the parts that the embedded PostgreSQL tells. */
export type DatabaseAddress = string | { host: string; port: number; user: string; database: string }

/**
 * Runs a statement that is prepared once for each connection: for the few that every request runs, where parsing and
 * planning would cost more than the work. Only for statements whose text is one of a few.
 */
export type RunPrepared = <Row extends object>(statement: RawBuilder<Row>) => Promise<Row[]>

/**
 * Runs statements without parameters in one message, which makes them one transaction, and answers the rows of the last:
 * for settings that are meant for one statement alone.
 */
export type RunTogether = <Row extends object>(
  settings: readonly RawBuilder<unknown>[],
  last: RawBuilder<Row>,
) => Promise<Row[]>

export type OpenDatabase = {
  db: Db
  pool: pg.Pool
  prepared: RunPrepared
  together: RunTogether
  close(): Promise<void>
}

const bigintOid = 20
const types = {
  // Positions and counts stay far below 2^53, so a bigint is an ordinary number here.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === bigintOid ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

// Nothing waits for ever: not for a lock, not for a statement, not for a database that stopped answering. And no statement takes
// more than one processor: the others are for everybody else's.
const toSessionSettings = (statementSeconds: number) =>
  `-c timezone=UTC -c lock_timeout=${Math.min(5, statementSeconds)}s -c statement_timeout=${statementSeconds}s -c idle_in_transaction_session_timeout=10s -c jit=off -c max_parallel_workers_per_gather=0`

/** Opens a pool of connections, by whose name the database's operator knows them. Whoever opens it closes it. */
export const openDatabase = (
  address: DatabaseAddress,
  log: Log,
  maxConnections: number,
  statementSeconds = 20,
  name = 'noema',
): OpenDatabase => {
  const config = {
    ...(typeof address === 'string' ? { connectionString: address } : { ...address, ssl: false }),
    application_name: name,
  }
  const pool = new pg.Pool({
    ...config,
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    // The database gives a statement up first, and says so.
    query_timeout: statementSeconds * 1_250,
    options: toSessionSettings(statementSeconds),
    types,
  })
  const watch = watchForHangs(pool, config, log)
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ error: error.message }, 'an idle database connection was lost'))
  // One that breaks while in use fails its query, which is how the caller learns of it.
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: toSafePool(pool, watch.check) }),
    // Statements, never their values: these are what tenants keep.
    ...(log.isLevelEnabled('trace')
      ? { log: ({ query, queryDurationMillis }) => log.trace({ sql: query.sql, ms: queryDurationMillis }, 'sql') }
      : {}),
  })
  return {
    ...{ db, pool },
    prepared: createRunPrepared(db, pool, { log, watch }),
    together: createRunTogether(db, pool, watch),
    close: () => {
      watch.stop()
      return db.destroy()
    },
  }
}

const createRunPrepared = (db: Db, pool: pg.Pool, { log, watch }: { log: Log; watch: HangWatch }): RunPrepared => {
  const names = new Map<string, string>()
  return async <Row extends object>(statement: RawBuilder<Row>) => {
    watch.check()
    const { sql: text, parameters } = statement.compile(db)
    const name = names.get(text) ?? `noema_${names.size + 1}`
    names.set(text, name)
    log.trace({ sql: text }, 'prepared sql')
    const { rows } = await pool.query<Row>({ name, text, values: [...parameters] })
    return rows
  }
}

const createRunTogether =
  (db: Db, pool: pg.Pool, watch: HangWatch): RunTogether =>
  async <Row extends object>(settings: readonly RawBuilder<unknown>[], last: RawBuilder<Row>) => {
    watch.check()
    const text = [...settings, last].map((statement) => statement.compile(db).sql).join(';\n')
    // The driver answers a list for several statements, which its types do not tell.
    const results: unknown = await pool.query<Row>(text)
    return (results as pg.QueryResult<Row>[]).at(-1)?.rows ?? []
  }

const passingCodes = new Set([
  '53100', // the disk is full
  '53200', // out of memory
  '53300', // too many connections
  '58030', // the disk failed
  '55P03', // lock timeout
  '57014', // statement timeout
  '40001', // serialization failure
  '40P01', // deadlock
  '25006', // read-only: a standby during a switch-over
  '25P01', // a transaction is gone
  '25P02', // or is of no use after an earlier error
  '25P03', // idle in transaction timeout
  '55000', // the database takes no connections at the moment
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
])
const passingMessages = [
  'Connection terminated',
  'connection timeout',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error',
  'Cannot use a pool after calling end',
  'driver has already been destroyed',
  'Postgres connection has been discarded',
  'Client was closed and is not queryable',
]

/** Whether an error says that a lock was not free in time. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '55P03'

/** Whether an error says that the database cannot be reached or did not answer in time, so that trying later may help. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (isAbortedTransactionError(error) || error instanceof DatabaseSilent) return true
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code.startsWith('08') || code.startsWith('57P') || passingCodes.has(code)) return true
  return passingMessages.some((text) => error.message.includes(text))
}
