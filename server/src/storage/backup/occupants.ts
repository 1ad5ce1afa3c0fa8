import type pg from 'pg'
import { quoteName, readTables } from './catalog.ts'

/** What nodes write by themselves, or migrations bring: a database with no more than that is empty. */
const ownTables = ['schema_migrations', 'nodes', 'rate_buckets', 'vector_spaces', 'auth_rate_limits', 'last_backups']

const findService = async (client: pg.Client): Promise<string | undefined> => {
  const { rows } = await client.query<{ name: string }>(`
    select application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like 'noema%'
      and application_name <> 'noema backup' limit 1`)
  return rows[0] && 'a service is running on it: stop it first'
}

/** What makes a database not empty: a table with rows, or a service on a server that others reach. Undefined where it is. */
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
