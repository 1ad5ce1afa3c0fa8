import { resolve } from 'node:path'
import { z } from 'zod'
import { isDatabaseUrl } from '../shared/network/database-url.ts'
import { BadSetting, commaList, type Settings, type ValuesOf, wholeNumber } from './setting.ts'

const databaseUrl = z.string().refine(isDatabaseUrl, 'a postgres:// address')

/** Settings of where the data is: in the built-in database or on a PostgreSQL server. */
export const databaseSettings = {
  NOEMA_DATA_DIR: {
    schema: z.string().min(1).optional(),
    about:
      'Folder of the built-in database and the generated secret. When unset, it is `noema-data` in the current folder.',
    example: './noema-data',
  },
  NOEMA_DATABASE_URL: {
    schema: databaseUrl.optional(),
    about:
      'PostgreSQL server, 15 or newer, to use instead of the built-in one. With several hosts of one database, separated by commas, the service uses the one that accepts writes.',
    example: 'postgres://noema:password@db.example.com/noema',
    secret: true,
  },
  NOEMA_DATABASE_DIRECT_URL: {
    schema: databaseUrl.optional(),
    about:
      'Direct address of the PostgreSQL server when NOEMA_DATABASE_URL leads to a transaction pooler such as PgBouncer. Migrations, notifications between nodes, backups and index builds need a session of their own and use it.',
    example: 'postgres://noema:password@db.example.com/noema',
    secret: true,
  },
  NOEMA_DATABASE_POOL: {
    schema: wholeNumber(4, 500).default(24),
    about:
      'Maximum number of database connections of one node. A fifth of them, at least two, is reserved for large requests. Of eight or more, another fifth, at least three, is reserved for runs.',
    example: '24',
  },
  NOEMA_DATABASE_REPLICA_URLS: {
    schema: commaList
      .pipe(z.array(z.url({ protocol: /^postgres(ql)?$/, error: 'postgres:// addresses, separated by commas' })))
      .default([]),
    about:
      'Streaming replicas of the database, separated by commas, one server per address. Pages of events, searches, contexts, queries and exports are read from them. Data that a replica does not have yet is read from the primary.',
    example: 'postgres://noema:password@replica.example.com/noema',
    secret: true,
  },
  NOEMA_DATABASE_REPLICA_POOL: {
    schema: wholeNumber(1, 500).default(10),
    about: 'Maximum number of connections of one node to each replica.',
    example: '10',
  },
  NOEMA_DATABASE_WORKER_POOL: {
    schema: wholeNumber(0, 500).default(0),
    about:
      'Maximum number of connections of one node to each worker of a Citus cluster. With them, commits and reads of a Brain go to the worker that has it, and not through the coordinator. 0: the node connects to the coordinator only.',
    example: '10',
  },
  NOEMA_PREPARED_STATEMENTS: {
    schema: z
      .enum(['on', 'off'], { error: 'on or off' })
      .default('on')
      .transform((text) => text === 'on'),
    about:
      'Whether database connections keep prepared statements. Turn it off behind a transaction pooler that does not track them, such as PgBouncer before 1.21 or with `max_prepared_statements = 0`.',
    example: 'on',
  },
  NOEMA_DATABASE_STATEMENT_SECONDS: {
    schema: wholeNumber(1, 3_600).default(20),
    about: 'Seconds after which a statement of a request is canceled in the database.',
    example: '20',
  },
} as const satisfies Settings

type Values = ValuesOf<typeof databaseSettings>

/** Smaller pools are not divided for runs. */
const minDividedPool = 8

/** Reserves a fifth of a node's connections for large requests and a fifth for runs, with the minimum that each needs. */
const splitPool = (
  pool: number,
  { preparesStatements, isPooled }: { preparesStatements: boolean; isPooled: boolean },
) => {
  const share = Math.floor(pool / 5)
  const largeRequestPool = Math.max(2, share)
  const keyedDatabasePool = preparesStatements && !isPooled && pool >= minDividedPool ? Math.max(3, share) : 0
  return {
    /** Connections of the main thread, of the one for large requests, and those that use pinned plans (or none). */
    databasePool: Math.max(2, pool - largeRequestPool - keyedDatabasePool),
    largeRequestPool,
    keyedDatabasePool,
    preparesStatements,
  }
}

const readReplicas = (values: Values) => {
  const { NOEMA_DATABASE_REPLICA_URLS: urls, NOEMA_DATABASE_REPLICA_POOL: pool } = values
  if (urls.length > 0 && values.NOEMA_DATABASE_URL === undefined)
    throw new BadSetting(
      'NOEMA_DATABASE_REPLICA_URLS is set without NOEMA_DATABASE_URL, the primary of these replicas.',
    )
  return { urls, pool }
}

const readUrls = (values: Values): { databaseUrl: string | undefined; poolerUrl: string | undefined } => {
  const { NOEMA_DATABASE_URL: url, NOEMA_DATABASE_DIRECT_URL: direct } = values
  if (direct === undefined) return { databaseUrl: url, poolerUrl: undefined }
  if (url === undefined)
    throw new BadSetting('NOEMA_DATABASE_DIRECT_URL is set without NOEMA_DATABASE_URL, the address of the pooler.')
  return { databaseUrl: direct, poolerUrl: url }
}

export const readDatabase = (values: Values, cwd: string) => {
  const urls = readUrls(values)
  const preparesStatements = values.NOEMA_PREPARED_STATEMENTS
  return {
    dataDir: values.NOEMA_DATA_DIR === undefined ? undefined : resolve(cwd, values.NOEMA_DATA_DIR),
    /** The database server, and the transaction pooler in front of it. */
    ...urls,
    ...splitPool(values.NOEMA_DATABASE_POOL, { preparesStatements, isPooled: urls.poolerUrl !== undefined }),
    statementSeconds: values.NOEMA_DATABASE_STATEMENT_SECONDS,
    /** Replicas, and the number of connections to each. */
    replicas: readReplicas(values),
    /** The number of connections to each worker of a cluster; 0 without any. */
    workerPool: values.NOEMA_DATABASE_WORKER_POOL,
  }
}
