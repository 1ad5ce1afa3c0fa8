import { sql } from 'kysely'
import type pg from 'pg'
import type { Queryable } from './database.ts'
import { listTables } from './placements.ts'
import { addTwoPhaseCommits } from './two-phase-commits.ts'

// Divides the tables of Brains over the servers of a Citus cluster, one by one. All others stay on the coordinator.

/** The usual number of shards of a table. Each server can have several, and gives some to servers that are added. */
const usualShards = 32

/** The part of a connection or a pool that statements need. */
type Runs = Pick<pg.ClientBase, 'query'>

/**
 * Prepares tables that are divided: the directory alone gives Brains their numbers and handles, and commits alone write the links of
 * records and the organization of changes. Nodes of the version before cannot write to them.
 */
export const leaveHeadsToDirectory = `
  create sequence brain_numbers;
  select setval('brain_numbers', last_value, is_called) from brains_brain_id_seq;
  alter table brain_directory alter column brain_id set default nextval('brain_numbers');
  alter table brains alter column brain_id drop identity if exists, drop constraint if exists brains_organization_id_fkey;
  drop index if exists brains_handle;
  drop trigger if exists add_brain_directory on brains;
  drop trigger if exists end_brain_directory on brains;
  drop trigger if exists add_organization_of_change on changes;
  drop trigger if exists begin_record_links on record_versions;
  drop trigger if exists end_record_links on record_versions`

/**
 * A table of Brains, and whether it is divided. `bytes`: its size on all servers, with indexes. `localBytes`: rows that are still on
 * the coordinator, also those that were copied to other servers and are not removed yet.
 */
export type DividedTable = { table: string; isDivided: boolean; bytes: number; localBytes: number }

const hasCitus = async (client: Runs): Promise<boolean> => {
  const { rows } = await client.query<{ has: boolean }>(`select to_regclass('pg_dist_partition') is not null as has`)
  return rows[0]?.has === true
}

/** The tables of Brains that a database has, in the order in which they are divided. */
export const readDivision = async (client: Runs): Promise<DividedTable[]> => {
  const isDivided = (await hasCitus(client))
    ? 'exists (select 1 from pg_dist_partition where logicalrelid = class.oid)'
    : 'false'
  const { rows } = await client.query<DividedTable & { bytes: string; localBytes: string }>(
    `select relname as table, is_divided as "isDivided", pg_total_relation_size(oid) as bytes, pg_relation_size(oid) as "localBytes"
     from (select oid, relname, ${isDivided} as is_divided from pg_class as class
       where relnamespace = current_schema()::regnamespace and relname = any($1)) as found
     order by relname <> 'brains', relname`,
    [listTables('brain')],
  )
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes), localBytes: Number(row.localBytes) }))
}

/** Makes the heads of Brains ready to be divided, once. */
const prepareHeads = async (client: Runs): Promise<void> => {
  const { rows } = await client.query<{ isReady: boolean }>(
    `select to_regclass('brain_numbers') is not null as "isReady"`,
  )
  // Several statements in one message are one transaction.
  if (!rows[0]?.isReady) await client.query(leaveHeadsToDirectory)
}

/** Divides a table with its rows, unless it is divided, then removes the rows that stayed on the coordinator. */
const divideTable = async (
  client: Runs,
  { table, isDivided, localBytes }: DividedTable,
  shards: number,
): Promise<void> => {
  const name = `"${table}"`
  if (!isDivided && table === 'brains')
    await client.query(`select create_distributed_table($1, 'brain_id', shard_count => $2)`, [name, shards])
  else if (!isDivided)
    await client.query(`select create_distributed_table($1, 'brain_id', colocate_with => 'brains')`, [name])
  if (localBytes > 0) await client.query('select truncate_local_data_after_distributing_table($1)', [name])
}

/**
 * Divides the tables of Brains that are not divided yet, each in a transaction of its own, and reports each. It may be repeated after
 * it stopped at any moment. No node may run meanwhile. `shards`: how many parts a table has.
 */
export const distribute = async (
  client: Runs,
  report: (done: DividedTable) => Promise<void> | void = () => {},
  shards = usualShards,
): Promise<void> => {
  await prepareHeads(client)
  await addTwoPhaseCommits((text) => client.query(text))
  for (const table of await readDivision(client)) {
    if (table.isDivided && table.localBytes === 0) continue
    await divideTable(client, table, shards)
    await report(table)
  }
}

/** Divides the tables that a migration has added to a divided database. */
export const distributeNew = async (db: Queryable): Promise<void> => {
  for (const table of listTables('brain'))
    await sql`select create_distributed_table(oid::regclass, 'brain_id', colocate_with => 'brains') from pg_class
      where relnamespace = current_schema()::regnamespace and relname = ${table}
        and not exists (select 1 from pg_dist_partition where logicalrelid = pg_class.oid)`.execute(db)
}

/** The division of the tables of Brains over the servers of a Citus cluster: `part` while `noema distribute` runs or after it stopped. */
export type Division = 'none' | 'part' | 'whole'

/** Finds whether the tables of Brains are divided. */
export const findDivision = async (db: Queryable): Promise<Division> => {
  const { rows: found } = await sql<{ has: boolean }>`
    select to_regclass('pg_dist_partition') is not null as has`.execute(db)
  if (!found[0]?.has) return 'none'
  const { rows } = await sql<{ divided: number; all: number }>`
    select count(*) filter (where exists (select 1 from pg_dist_partition where logicalrelid = class.oid)) as divided,
      count(*) as all
    from pg_class as class where relnamespace = current_schema()::regnamespace and relname = any(${[...listTables('brain')]})`.execute(
    db,
  )
  const { divided = 0, all = 0 } = rows[0] ?? {}
  if (divided === 0) return 'none'
  return divided === all ? 'whole' : 'part'
}

/** Checks whether the tables of Brains are divided over the servers of a Citus cluster. */
export const findIsDivided = async (db: Queryable): Promise<boolean> => (await findDivision(db)) === 'whole'
