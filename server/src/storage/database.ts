import { Kysely, PostgresDialect, type PostgresPool, type RawBuilder, type Transaction } from 'kysely'
import pg from 'pg'
import type { Log } from '../shared/log.ts'
import { toConnecting } from './connecting.ts'
import type { DatabaseAddress } from './database-address.ts'
import { createDiskWatch, type DiskWatch } from './disk-watch.ts'
import { type HangWatch, watchForHangs } from './hang-watch.ts'
import { createRunPrepared } from './run-prepared.ts'
import { toConnections } from './run-statements.ts'
import { createRunTogether } from './run-together.ts'
import { toSessionSettings } from './session-settings.ts'
import { createStatementNames } from './statement-names.ts'
import type { BoundStatement } from './statements.ts'
import { CoordinatorDialect } from './two-phase-commits.ts'

/** The database. Statements are Kysely's `sql` templates, with their row types next to them. */
export type Db = Kysely<unknown>
export type Tx = Transaction<unknown>
/** Runs a statement alone or inside a transaction. */
export type Queryable = Db | Tx

/**
 * Runs a statement that each connection prepares once, in the pool or in the given transaction: for the few that every
 * request runs, where parsing and planning would cost more than the work. Only for statements with a fixed set of texts.
 */
export type RunPrepared = <Row extends object>(
  statement: BoundStatement<Row> | RawBuilder<Row>,
  on?: Queryable,
) => Promise<Row[]>

/**
 * Runs statements without parameters in one message, which makes them one transaction, and returns the rows of the last:
 * for settings of one single statement.
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
  disk: DiskWatch
  /** True while the server does not answer. */
  isSilent(): boolean
  close(): Promise<void>
}

const bigintOid = 20
const types = {
  // Positions and counts stay far below 2^53, so a bigint is an ordinary number here.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === bigintOid ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/**
 * A kept plan must suit any later content of the table. A plan for a table without rows reads the whole table, or joins by
 * reading it, unless that is forbidden.
 */
const planningByKeys: Record<string, string> = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}

/**
 * Maximum age of plans on a connection. A plan for an empty table reads the whole table or uses the wrong index, and
 * PostgreSQL notices only after it has counted the rows of the filled table.
 */
const maxPlanMilliseconds = 5_000

/**
 * A statement about many Brains asks each server over one connection, part after part. By itself Citus opens up to sixteen to each server
 * for every connection of a node, most of them where servers are busy and answer late, and they become busier by that.
 */
const dividedSettings = { 'citus.max_adaptive_executor_pool_size': '1' }

/** Of so many connections or more, some are shared by short statements: two that take new ones, and one that is released. */
const minConnectionsToShare = 8
const maxSharedConnections = 3

const toOptions = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

type ClusterRole = 'coordinator' | 'worker'

/**
 * `preparesStatements`: connections may keep statements, which not every pooler allows. `connectMilliseconds`: the timeout
 * of opening a connection. `answerMilliseconds`: the time after which the database counts as silent. `isPooled`: a pooler
 * gives each transaction another connection, so the pooler must make the settings of sessions. `clusterRole`: the server of a cluster that it
 * is, if the tables are on several. Citus finds the one that has a Brain only in plans that are made with the values.
 */
export type DatabaseOptions = {
  statementSeconds?: number
  name?: string
  preparesStatements?: boolean
  connectMilliseconds?: number
  answerMilliseconds?: number
  isPooled?: boolean
  clusterRole?: ClusterRole | undefined
}

/**
 * The functions for reads. `whole`: runs statements that read other tables than those of Brains, if this is a worker of a cluster, which
 * has no others.
 */
export type ReadSource = Pick<OpenDatabase, 'db' | 'prepared' | 'together'> & { whole?: RunPrepared }

/** `planMilliseconds`: how long a plan is kept. */
export type KeyedOptions = { statementSeconds?: number; planMilliseconds?: number; disk?: DiskWatch }

type PoolParts = {
  log: Log
  maxConnections: number
  statementSeconds: number
  name: string
  planning?: Record<string, string>
  connectMilliseconds?: number | undefined
  answerMilliseconds?: number | undefined
  isPooled?: boolean | undefined
  /** The number of connections that short statements share. */
  sharedConnections?: number
}

const openPools = (
  address: DatabaseAddress,
  {
    log,
    maxConnections,
    statementSeconds,
    name,
    planning = {},
    connectMilliseconds = 5_000,
    answerMilliseconds,
    isPooled = false,
    sharedConnections = 0,
  }: PoolParts,
): { pool: pg.Pool; sharedPool: pg.Pool | undefined; watch: HangWatch } => {
  const connecting = toConnecting(address)
  const { Client, primary } = connecting
  const config = { ...connecting.config, application_name: name }
  const open = (max: number, settings: Record<string, string>, pipeline = false) => {
    const pool = new pg.Pool({
      ...{ ...config, Client, max, pipeline },
      connectionTimeoutMillis: connectMilliseconds,
      idleTimeoutMillis: 60_000,
      // The database gives a statement up first, and says so.
      query_timeout: statementSeconds * 1_250,
      ...(isPooled ? {} : { options: toOptions({ ...toSessionSettings(statementSeconds), ...settings }) }),
      types,
    })
    // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
    pool.on('error', (error) => log.warn({ error: error.message }, 'an idle database connection was lost'))
    // One that breaks while in use fails its query, which is how the caller learns of it.
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }
  const pool = open(maxConnections - sharedConnections, planning)
  const sharedPool = sharedConnections > 0 ? open(sharedConnections, planningByKeys, true) : undefined
  const pools = sharedPool ? [pool, sharedPool] : [pool]
  const watch = watchForHangs(pools, { config, Client, primary }, { log, milliseconds: answerMilliseconds })
  return { pool, sharedPool, watch }
}

const openKysely = (log: Log, pool: PostgresPool, isCoordinator = false): Db =>
  new Kysely<unknown>({
    dialect: isCoordinator ? new CoordinatorDialect(pool) : new PostgresDialect({ pool }),
    // Statements, never their values: these are what tenants keep.
    ...(log.isLevelEnabled('trace')
      ? { log: ({ query, queryDurationMillis }) => log.trace({ sql: query.sql, ms: queryDurationMillis }, 'sql') }
      : {}),
  })

/** Opens a pool of connections, with a name for the database's operator. The caller closes it. */
export const openDatabase = (
  address: DatabaseAddress,
  log: Log,
  maxConnections: number,
  { statementSeconds = 20, name = 'noema', preparesStatements = true, clusterRole, ...more }: DatabaseOptions = {},
): OpenDatabase => {
  // Behind a pooler each statement may have another connection, without the settings of the shared ones.
  const isSharing =
    preparesStatements && !clusterRole && more.isPooled !== true && maxConnections >= minConnectionsToShare
  const sharing = isSharing ? { sharedConnections: maxSharedConnections } : {}
  const { pool, sharedPool, watch } = openPools(address, {
    ...{ log, maxConnections, statementSeconds, name },
    ...{ ...more, ...sharing },
    ...(clusterRole ? { planning: dividedSettings } : {}),
  })
  const names = createStatementNames(preparesStatements)
  const disk = createDiskWatch()
  const parts = {
    ...{ watch, disk },
    names,
    preparesAll: false,
    planMilliseconds: preparesStatements ? maxPlanMilliseconds : undefined,
  }
  const connections = toConnections(pool, parts)
  const shared = sharedPool && toConnections(sharedPool, parts)
  const db = openKysely(log, connections, clusterRole === 'coordinator')
  return {
    ...{ db, pool, disk },
    prepared: createRunPrepared({ connections, shared }, { names, log }),
    together: createRunTogether(db, connections),
    isSilent: () => watch.isSilent,
    close: async () => {
      watch.stop()
      await Promise.all([db.destroy(), sharedPool?.end()])
    },
  }
}

/**
 * Opens connections that prepare and plan each statement once, for long, frequent statements with a fixed set of texts that
 * find every row by its key: their plans are the same for any content of the tables. Other statements would get bad plans
 * here.
 */
export const openKeyedDatabase = (
  address: DatabaseAddress,
  log: Log,
  maxConnections: number,
  { statementSeconds = 20, planMilliseconds = maxPlanMilliseconds, disk = createDiskWatch() }: KeyedOptions = {},
): Pick<OpenDatabase, 'db' | 'pool' | 'close'> => {
  const { pool, watch } = openPools(address, {
    log,
    maxConnections,
    statementSeconds,
    name: 'noema by keys',
    planning: planningByKeys,
  })
  const names = createStatementNames(true)
  const db = openKysely(log, toConnections(pool, { watch, disk, names, preparesAll: true, planMilliseconds }))
  return {
    ...{ db, pool },
    close: () => {
      watch.stop()
      return db.destroy()
    },
  }
}
