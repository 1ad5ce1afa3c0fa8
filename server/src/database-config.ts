import type { z } from 'zod'
import type { databaseSettings } from './database-settings.ts'

/** How the database is reached. */
export type DatabaseConfig = {
  databaseUrl: string | undefined
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
const splitPool = (pool: number, preparesStatements: boolean) => {
  const share = Math.floor(pool / 5)
  const heavyDatabasePool = Math.max(2, share)
  const keyedDatabasePool = preparesStatements && pool >= minDividedPool ? Math.max(3, share) : 0
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

/** Reads what the settings say of the database. Throws what `refuse` makes of replicas of the built-in one. */
export const readDatabaseConfig = (values: Values, refuse: (reason: string) => Error): DatabaseConfig => ({
  databaseUrl: values.NOEMA_DATABASE_URL,
  ...splitPool(values.NOEMA_DATABASE_POOL, values.NOEMA_PREPARED_STATEMENTS),
  statementSeconds: values.NOEMA_DATABASE_STATEMENT_SECONDS,
  replicas: readReplicas(values, refuse),
})
