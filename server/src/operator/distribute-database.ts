import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '../config/config.ts'
import { conflict, validation } from '../shared/errors.ts'
import { createLog } from '../shared/log.ts'
import { openClient } from '../storage/backup/client.ts'
import { holdMigrations, listConnected, readCitusVersion, readServers } from '../storage/citus-queries.ts'
import type { DatabaseAddress } from '../storage/database-address.ts'
import { type DividedTable, distribute, readDivision } from '../storage/distribute.ts'
import { lockKey, migrateAt } from '../storage/migrate.ts'
import { openStorage, type Storage } from '../storage/open-storage.ts'

// `noema distribute`: divides the tables of Brains over the servers of a Citus cluster. It refuses what it cannot do before it changes
// anything, and repeating it continues where it stopped.

const minCitus = 13
/** Bytes with their indexes that are copied in a second: a guess from tables of less than a megabyte. */
const bytesPerSecond = 8_000_000
/** A table without rows takes as long, for its shards. */
const secondsPerTable = 0.5

const maxWaitMilliseconds = 5_000
const pollMilliseconds = 200

type Client = Awaited<ReturnType<typeof openClient>>

const maxShards = 1_024

type Request = {
  dryRun: boolean
  /** The number of shards of each table, from 1 to 1,024; 32 by default. It counts where no table is divided yet. */
  shards?: number | undefined
  /** Called before a table is divided and after it. */
  report?: (table: PlannedTable & { seconds: number }) => Promise<void> | void
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

/** A table of Brains; `estimatedSeconds` is 0 if nothing is left to do. */
export type PlannedTable = { table: string; isDistributed: boolean; bytes: number; estimatedSeconds: number }

/** The result: `isDone` is false after a dry run that found something to do. */
type Distributed = { place: string; servers: string[]; tables: PlannedTable[]; isDone: boolean }

const checkCitus = async (client: Client): Promise<void> => {
  const { version, isOffered } = await readCitusVersion(client)
  if (version === null)
    throw validation(
      isOffered
        ? 'Citus is not part of this database. Run `create extension citus` in it, on every server of the cluster.'
        : 'The server has no Citus. Install the package, add citus to shared_preload_libraries on every server, and run `create extension citus` in the database on each.',
    )
  if (Number.parseFloat(version) < minCitus)
    throw validation(`Citus ${version} is too old. Use Citus ${minCitus} or newer on every server.`)
}

const checkServers = async (client: Client): Promise<string[]> => {
  const servers = await readServers(client)
  const lost = servers.find(({ isReached }) => !isReached)
  if (lost)
    throw conflict(
      `${lost.server} cannot be reached by every server of the cluster. Start it, and check pg_hba.conf and the firewall between the servers: select * from citus_check_cluster_node_health()`,
    )
  if (!servers.some(({ hasShards }) => hasShards))
    throw validation("The cluster has no server for shards. Add one: select citus_add_node('<host>', 5432)")
  const unprepared = servers.find(({ prepares }) => !prepares)
  if (unprepared)
    throw validation(
      `${unprepared.server} allows no prepared transactions, which statements about several Brains need. Set max_prepared_transactions to max_connections on every server and restart them.`,
    )
  return servers.filter(({ hasShards }) => hasShards).map(({ server }) => server)
}

/** Refuses a database that others use. Connections of a node that has just stopped take a moment to end. */
const checkUnused = async (client: Client): Promise<void> => {
  const deadline = performance.now() + maxWaitMilliseconds
  let connected = await listConnected(client)
  while (connected.length > 0 && performance.now() < deadline) {
    await delay(pollMilliseconds)
    connected = await listConnected(client)
  }
  if (connected.length > 0)
    throw conflict(
      `Stop every node first, of this version and of others. Programs are connected to this database: ${connected.join(', ')}.`,
    )
}

const toPlan = ({ table, isDivided, bytes, localBytes }: DividedTable): PlannedTable => {
  const isDistributed = isDivided && localBytes === 0
  // Rows that are copied already are only removed.
  const seconds = isDivided ? 0.1 : secondsPerTable + bytes / bytesPerSecond
  return { table, isDistributed, bytes, estimatedSeconds: isDistributed ? 0 : Number(seconds.toFixed(1)) }
}

const readPlan = async (client: Client): Promise<PlannedTable[]> => (await readDivision(client)).map(toPlan)

const isAllDistributed = (tables: readonly PlannedTable[]): boolean =>
  tables.length > 0 && tables.every(({ isDistributed }) => isDistributed)

const divide = async (client: Client, address: DatabaseAddress, { report, shards }: Request): Promise<void> => {
  await migrateAt(address, createLog('silent'))
  // Nodes and other commands migrate first, and so wait until this one has ended.
  if (!(await holdMigrations(client, lockKey)))
    throw conflict('Another process migrates or distributes this database. Wait until it has finished.')
  await checkUnused(client)
  let from = performance.now()
  const reportTable = async (table: DividedTable): Promise<void> => {
    await report?.({ ...toPlan(table), isDistributed: true, seconds: (performance.now() - from) / 1_000 })
    from = performance.now()
  }
  await distribute(client, reportTable, shards)
}

const runOn = async ({ address, place }: Storage, request: Request): Promise<Distributed> => {
  const client = await openClient(address, 'noema distribute')
  try {
    await checkCitus(client)
    const servers = await checkServers(client)
    const before = await readPlan(client)
    // Nodes may run if nothing is left to do.
    if (isAllDistributed(before)) return { place, servers, tables: before, isDone: true }
    await checkUnused(client)
    if (!request.dryRun) await divide(client, address, request)
    const tables = await readPlan(client)
    return { place, servers, tables, isDone: isAllDistributed(tables) }
  } finally {
    await client.end()
  }
}

/** Divides the tables of Brains over the servers of a Citus cluster; a dry run only reports what it would do. */
export const distributeDatabase = async (request: Request): Promise<Distributed> => {
  const { cwd, env, shards } = request
  if (shards !== undefined && (!Number.isInteger(shards) || shards < 1 || shards > maxShards))
    throw validation(`Tables can have 1 to ${maxShards} shards.`)
  const config = readConfig(env, cwd)
  if (config.databaseUrl === undefined)
    throw validation(
      'The built-in database is one server. Set NOEMA_DATABASE_URL to the coordinator of a Citus cluster.',
    )
  const storage = await openStorage(config, { log: createLog('silent'), cwd, ownership: 'shared' })
  try {
    return await runOn(storage, request)
  } finally {
    await storage.close()
  }
}
