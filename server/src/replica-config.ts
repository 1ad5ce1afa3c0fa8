import type { z } from 'zod'
import type { replicaSettings } from './replica-settings.ts'

/** Where what is read may be read besides the primary, and how many connections each of these gets. */
export type ReplicaConfig = { urls: readonly string[]; pool: number }

type Values = {
  [Name in keyof typeof replicaSettings]: z.output<(typeof replicaSettings)[Name]['schema']>
} & { NOEMA_DATABASE_URL: string | undefined }

/** Reads what the settings say of replicas. Throws what `refuse` makes of replicas of the built-in database. */
export const readReplicas = (values: Values, refuse: (reason: string) => Error): ReplicaConfig => {
  const { NOEMA_DATABASE_REPLICA_URLS: urls, NOEMA_DATABASE_REPLICA_POOL: pool } = values
  if (urls.length > 0 && values.NOEMA_DATABASE_URL === undefined)
    throw refuse('NOEMA_DATABASE_REPLICA_URLS is set without NOEMA_DATABASE_URL, whose replicas these are.')
  return { urls, pool }
}
