import { sql } from 'kysely'

/** The condition that a key, a row called `key`, is neither revoked nor expired at a time. */
export const worksAt = (now: Date | string) =>
  sql<boolean>`key.revoked_at is null and (key.expires_at is null or key.expires_at > ${now})`
