import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { Queryable } from './database.ts'
import { listTables } from './placements.ts'

// Divides a database over the servers of a Citus cluster, table by table.

/**
 * Prepares tables that are divided: the directory alone gives Brains their numbers and handles, and commits alone write the links of
 * records and the organization of changes. Nodes of the version before can not write to them.
 */
export const leaveHeadsToDirectory = `
  create sequence brain_numbers;
  alter table brain_directory alter column brain_id set default nextval('brain_numbers');
  alter table brains alter column brain_id drop identity, drop constraint brains_organization_id_fkey;
  drop index brains_handle;
  drop trigger add_brain_directory on brains;
  drop trigger end_brain_directory on brains;
  drop trigger add_organization_of_change on changes;
  drop trigger begin_record_links on record_versions;
  drop trigger end_record_links on record_versions`

/** Divides the tables of Brains over the servers of a Citus cluster. All others stay on the coordinator. The database is empty. */
export const distribute = async (pool: Pool): Promise<void> => {
  await pool.query(leaveHeadsToDirectory)
  await pool.query(`select create_distributed_table('brains', 'brain_id', shard_count => 32)`)
  for (const table of listTables('brain'))
    if (table !== 'brains')
      await pool.query(`select create_distributed_table($1, 'brain_id', colocate_with => 'brains')`, [`"${table}"`])
}

/** Checks whether the tables of Brains are divided over the servers of a Citus cluster. */
export const findIsDivided = async (db: Queryable): Promise<boolean> => {
  const { rows: found } = await sql<{
    has: boolean
  }>`select to_regclass('pg_dist_partition') is not null as has`.execute(db)
  if (!found[0]?.has) return false
  const { rows } = await sql<{ is: boolean }>`
    select exists (select from pg_dist_partition where logicalrelid = 'brains'::regclass) as is`.execute(db)
  return rows[0]?.is === true
}
