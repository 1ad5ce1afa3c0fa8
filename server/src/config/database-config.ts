import type { z } from 'zod'
import type { databaseSettings } from './database-settings.ts'

/** How the database is reached. */
export type DatabaseConfig = {
  /** The server; and a pooler before it, which gives each transaction another connection. */
  databaseUrl: string | undefined
  poolerUrl: string | undefined
  /** Database connections of the main thread, and of the one for heavy calls. */
  databasePool: number
  heavyDatabasePool: number
  /** Connections that plan by keys; none where everything goes by the others. */
  keyedDatabasePool: number
  preparesStatements: boolean
  statementSeconds: number
  /** What is read besides the primary, and how many connections each of these gets. */
  replicas: { urls: readonly string[]; pool: number }
}

type Values = { [Name in keyof typeof databaseSettings]: z.output<(typeof databaseSettings)[Name]['schema']> }

/** So few connections are not divided further. */
const minDividedPool = 8

/** Of the connections of a node a fifth is for heavy calls, and another for runs; neither can do with fewer than these. */
const splitPool = (
  pool: number,
  { preparesStatements, isPooled }: { preparesStatements: boolean; isPooled: boolean },
) => {
  const share = Math.floor(pool / 5)
  const heavyDatabasePool = Math.max(2, share)
  const keyedDatabasePool = preparesStatements && !isPooled && pool >= minDividedPool ? Math.max(3, share) : 0
  return {
    databasePool: Math.max(2, pool - heavyDatabasePool - keyedDatabasePool),
    heavyDatabasePool,
    keyedDatabasePool,
    preparesStatements,
  }
}

const readReplicas = (values: Values, refuse: (reason: string) => Error): DatabaseConfig['replicas'] => {
  const { NOEMA_DATABASE_REPLICA_URLS: urls, NOEMA_DATABASE_REPLICA_POOL: pool } = values
  if (urls.length > 0 && values.NOEMA_DATABASE_URL === undefined)
    throw refuse('NOEMA_DATABASE_REPLICA_URLS is set without NOEMA_DATABASE_URL, whose replicas these are.')
  return { urls, pool }
}

const readUrls = (values: Values, refuse: (reason: string) => Error) => {
  const { NOEMA_DATABASE_URL: url, NOEMA_DATABASE_DIRECT_URL: direct } = values
  if (direct === undefined) return { databaseUrl: url, poolerUrl: undefined }
  if (url === undefined)
    throw refuse('NOEMA_DATABASE_DIRECT_URL is set without NOEMA_DATABASE_URL, the address of the pooler.')
  return { databaseUrl: direct, poolerUrl: url }
}

/** Reads what the settings say of the database. Throws what `refuse` makes of what cannot be meant. */
export const readDatabaseConfig = (values: Values, refuse: (reason: string) => Error): DatabaseConfig => {
  const urls = readUrls(values, refuse)
  const preparesStatements = values.NOEMA_PREPARED_STATEMENTS
  return {
    ...urls,
    ...splitPool(values.NOEMA_DATABASE_POOL, { preparesStatements, isPooled: urls.poolerUrl !== undefined }),
    statementSeconds: values.NOEMA_DATABASE_STATEMENT_SECONDS,
    replicas: readReplicas(values, refuse),
  }
}
