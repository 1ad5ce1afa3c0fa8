import type { startCitusCluster } from '../../dev/citus-cluster.ts'
import { createLog } from '../../server/src/shared/log.ts'
import { openDatabase } from '../../server/src/storage/database.ts'
import { distribute } from '../../server/src/storage/distribute.ts'
import { migrateAt } from '../../server/src/storage/migrate.ts'
import { type Noema, startNoema } from '../parts/noema.ts'
import { openServer, type Server } from './servers.ts'

export const sides = ['one server', 'cluster', 'workers'] as const
export type SideName = (typeof sides)[number]

const servers = ['coordinator', 'worker with the Brains', 'other worker'] as const

/**
 * The servers of a side by what they do for the writes that are measured. The node of `cluster` connects to the coordinator only, that
 * of `workers` to the workers, too.
 */
export const roles = {
  'one server': ['server'],
  cluster: servers,
  workers: servers,
} as const satisfies Record<SideName, readonly string[]>

/** A service on a database, the paths to write to, and the servers to count on. */
export type Side = { name: SideName; noema: Noema; paths: string[]; servers: Server[]; stop(): Promise<void> }

type Cluster = Awaited<ReturnType<typeof startCitusCluster>>

const log = createLog('error')
const connections = 2
const maxTriesOfBrain = 10

const databases = { 'one server': 'plain', cluster: 'noema', workers: 'noema' } as const satisfies Record<
  SideName,
  string
>

const open = (cluster: Cluster, at: number, database: string) => {
  const url = new URL(cluster.url.replace('/?', `/${database}?`))
  url.port = String(cluster.ports[at])
  return { ...openDatabase(url.href, log, connections), url: url.href }
}

/** Creates Brains until so many are on the first worker, if the database is divided, and returns the paths of their records. */
const createBrains = async (
  noema: Noema,
  { pool }: ReturnType<typeof open>,
  { prefix, count, port }: { prefix: string; count: number; port: number | undefined },
): Promise<string[]> => {
  const paths: string[] = []
  for (let tried = 0; paths.length < count && tried < maxTriesOfBrain * count; tried++) {
    const { brain } = await noema.call<{ brain: { id: string } }>('PUT', `/v1/brains/${prefix}${tried}`, {})
    const isHere = async () => {
      const { rows } = await pool.query(
        `select nodeport as port from citus_shards where shardid = get_shard_id_for_distribution_column('brains',
          (select brain_id from brain_directory where id = $1))`,
        [brain.id],
      )
      return rows[0]?.port === port
    }
    if (port === undefined || (await isHere())) paths.push(`/v1/brains/${prefix}${tried}/records`)
  }
  return paths
}

export const startSide = async (
  name: SideName,
  cluster: Cluster,
  { brains, shards }: { brains: number; shards: number },
): Promise<Side> => {
  const database = databases[name]
  const isDivided = name !== 'one server'
  if (!isDivided) {
    const admin = open(cluster, 0, 'postgres')
    await admin.pool.query(`create database ${database}`)
    await admin.close()
  }
  const opened = roles[name].map((_, at) => open(cluster, at, database))
  const [main] = opened
  if (!main) throw new Error('no server')
  // Citus creates it on the workers, too.
  await main.pool.query('create extension if not exists pg_stat_statements')
  await migrateAt(main.url, log)
  if (isDivided) await distribute(main.pool, undefined, shards)
  // Indexing would be counted as the work of writes. Clients wait where a busy machine would have them refused.
  const noema = await startNoema(main, undefined, {
    NOEMA_EMBEDDINGS: 'off',
    NOEMA_ROLES: 'http',
    NOEMA_MAX_WAIT: '60000',
    ...(name === 'workers' ? { NOEMA_DATABASE_WORKER_POOL: '10' } : {}),
  })
  const servers: Server[] = []
  for (const [at, role] of roles[name].entries()) servers.push(await openServer(role, opened[at] ?? main))
  const paths = await createBrains(noema, main, {
    ...{ prefix: `${name[0]}`, count: brains, port: isDivided ? cluster.ports[1] : undefined },
  })
  noema.pause()
  return {
    ...{ name, noema, paths, servers },
    stop: async () => {
      await noema.stop()
      for (const { close } of opened) await close()
    },
  }
}
