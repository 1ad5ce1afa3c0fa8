import { sql } from 'kysely'
import type { Db } from './database.ts'

// Which worker of a Citus cluster has which Brains, by its documented tables and functions. All but the last ask the coordinator.

/** A worker's address, as the servers of the cluster know it. */
export type WorkerAddress = { host: string; port: number }

/** The shards of the heads of Brains, each with the worker that has it. Every table of Brains is divided in the same way. */
export const listShards = async (db: Db): Promise<(WorkerAddress & { shard: number })[]> => {
  const { rows } = await sql<WorkerAddress & { shard: number }>`
    select shardid as shard, nodename as host, nodeport as port
    from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
    where logicalrelid = 'brains'::regclass and groupid > 0 and noderole = 'primary' and isactive and metadatasynced
    order by shardid limit 10000`.execute(db)
  return rows
}

/** The shards of Brains, in their order. */
export const findShards = async (db: Db, brainIds: readonly number[]): Promise<number[]> => {
  const { rows } = await sql<{ shard: number }>`
    select get_shard_id_for_distribution_column('brains', brain_id) as shard
    from unnest(${[...brainIds]}::bigint[]) with ordinality as requested (brain_id, number) order by number`.execute(db)
  return rows.map(({ shard }) => shard)
}

/** The identity of each worker. Fails or waits where the coordinator does not reach one of them. */
export const listIdentities = async (db: Db): Promise<(WorkerAddress & { identity: string })[]> => {
  const { rows } = await sql<WorkerAddress & { identity: string }>`
    select nodename as host, nodeport as port, result as identity
    from run_command_on_workers('select system_identifier from pg_control_system()') where success`.execute(db)
  return rows
}

/** True if the coordinator reaches a worker. Takes as long as a new connection may take it. */
export const isReached = async (db: Db, { host, port }: WorkerAddress): Promise<boolean> => {
  const { rows } = await sql<{ isReached: boolean }>`
    select citus_check_connection_to_node(${host}, ${port}::integer) as "isReached"`.execute(db)
  return rows[0]?.isReached === true
}

/** The identity of a worker, asked by a connection to it. */
export const readIdentity = async (db: Db): Promise<string | undefined> => {
  const { rows } = await sql<{ identity: string }>`
    select system_identifier::text as identity from pg_control_system()`.execute(db)
  return rows[0]?.identity
}
