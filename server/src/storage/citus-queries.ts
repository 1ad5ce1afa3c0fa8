import type pg from 'pg'
import { validation } from '../shared/errors.ts'

// The state of a Citus cluster, by its documented functions and views.

type Runs = Pick<pg.ClientBase, 'query'>

/** A server of a cluster; `isReached` by every other, `prepares` the two-phase commits of statements about several Brains. */
export type ClusterServer = { server: string; hasShards: boolean; isReached: boolean; prepares: boolean }

/** The version of Citus in this database, null if it is not created; `isOffered`: the server has it installed. */
export const readCitusVersion = async (client: Runs): Promise<{ version: string | null; isOffered: boolean }> => {
  const { rows } = await client.query<{ version: string | null; isOffered: boolean }>(`
    select (select extversion from pg_extension where extname = 'citus') as version,
      exists (select 1 from pg_available_extensions where name = 'citus') as "isOffered"`)
  return rows[0] ?? { version: null, isOffered: false }
}

/** Checks whether this server is the coordinator. */
const isCoordinator = async (client: Runs): Promise<boolean> => {
  const { rows } = await client.query<{ is: boolean }>('select citus_is_coordinator() as is')
  return rows[0]?.is === true
}

/** Refuses a worker of a cluster: it has no accounts, keys and agents, and migrations would create those tables a second time. */
export const refuseWorker = async (client: Runs): Promise<void> => {
  const { version } = await readCitusVersion(client)
  if (version === null || (await isCoordinator(client))) return
  throw validation(
    'The database server is a worker of a Citus cluster. Set NOEMA_DATABASE_URL to the coordinator, and NOEMA_DATABASE_DIRECT_URL if you use it.',
  )
}

/** The servers of the cluster, the coordinator first. */
export const readServers = async (client: Runs): Promise<ClusterServer[]> => {
  const { rows } = await client.query<Omit<ClusterServer, 'prepares'>>(`
    select nodename || ':' || nodeport as server, shouldhaveshards as "hasShards",
      not exists (select 1 from citus_check_cluster_node_health() where to_nodename = nodename and to_nodeport = nodeport
        and result is not true) as "isReached"
    from pg_dist_node where isactive and noderole = 'primary' order by groupid`)
  if (rows.some(({ isReached }) => !isReached)) return rows.map((row) => ({ ...row, prepares: true }))
  const { rows: set } = await client.query<{ server: string; value: string }>(`
    select nodename || ':' || nodeport as server, result as value
    from run_command_on_all_nodes('show max_prepared_transactions') as answer join pg_dist_node using (nodeid)`)
  const unprepared = set.filter(({ value }) => value === '0').map(({ server }) => server)
  return rows.map((row) => ({ ...row, prepares: !unprepared.includes(row.server) }))
}

/** The number of shards that Citus would move for an even distribution, and the bytes of each server. */
export const readBalance = async (
  client: Runs,
): Promise<{ moves: number; sizes: { server: string; bytes: number }[] }> => {
  const { rows: moves } = await client.query<{ count: string }>(
    'select count(*) as count from get_rebalance_table_shards_plan()',
  )
  const { rows: sizes } = await client.query<{ server: string; bytes: string }>(`
    select nodename || ':' || nodeport as server, sum(shard_size) as bytes from citus_shards
    where citus_table_type = 'distributed' group by 1 order by 1`)
  return {
    moves: Number(moves[0]?.count ?? 0),
    sizes: sizes.map(({ server, bytes }) => ({ server, bytes: Number(bytes) })),
  }
}

/** The names of other programs that are connected to this database, some of many. Citus and Patroni keep connections and write no rows. */
export const listConnected = async (client: Runs): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(`
    select distinct coalesce(nullif(application_name, ''), 'unnamed') as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
      and application_name not like 'citus_%' and application_name not like 'Patroni%'
    order by 1 limit 5`)
  return rows.map(({ name }) => name)
}

/** Makes nodes that start wait until this connection ends: they migrate first. False if another holds it. */
export const holdMigrations = async (client: Runs, key: number): Promise<boolean> => {
  const { rows } = await client.query<{ holds: boolean }>('select pg_try_advisory_lock($1) as holds', [key])
  return rows[0]?.holds === true
}
