import type pg from 'pg'
import { quoteName, readTables } from './catalog.ts'

/** Tables that nodes or migrations fill: a database with only these is empty. */
const ownTables = ['schema_migrations', 'nodes', 'rate_buckets', 'vector_spaces', 'auth_rate_limits', 'last_backups']

const findService = async (client: pg.Client): Promise<string | undefined> => {
  const { rows } = await client.query<{ name: string }>(`
    select application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like 'noema%'
      and application_name <> 'noema backup' limit 1`)
  return rows[0] && 'a service is running on it: stop it first'
}

/**
 * Describes why a database is not empty: a table with rows, or a running service on a shared server. Undefined if it is
 * empty.
 */
export const findOccupant = async (client: pg.Client, isShared: boolean): Promise<string | undefined> => {
  const service = isShared ? await findService(client) : undefined
  if (service !== undefined) return service
  for (const { table } of await readTables(client)) {
    if (ownTables.includes(table)) continue
    const { rows } = await client.query(`select 1 from ${quoteName(table)} limit 1`)
    if (rows.length > 0) return `its table ${table} has rows`
  }
  return undefined
}
