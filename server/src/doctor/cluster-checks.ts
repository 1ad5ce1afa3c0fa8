import type { Config } from '../config/config.ts'
import { createLog } from '../shared/log.ts'
import { toHostPort } from '../shared/network/host-port.ts'
import { openClient } from '../storage/backup/client.ts'
import { answerMilliseconds, checkWorker, readIdentities, toWorkerDatabase } from '../storage/check-worker.ts'
import { readBalance, readCitusVersion, readServers } from '../storage/citus-queries.ts'
import { type Db, openDatabase } from '../storage/database.ts'
import type { DatabaseAddress } from '../storage/database-address.ts'
import { findIsDivided, readDivision } from '../storage/distribute.ts'
import { listShards, type WorkerAddress } from '../storage/worker-queries.ts'
import { type Finding, failed, isOk, toReason, warns } from './finding.ts'

const check = 'Cluster'

type Client = Awaited<ReturnType<typeof openClient>>

const checkServers = async (client: Client): Promise<Finding[]> => {
  const servers = await readServers(client)
  return servers.flatMap(({ server, isReached, prepares }) => {
    if (!isReached)
      return failed(
        check,
        `${server} cannot be reached by every server; calls about its Brains return 503.`,
        'Start it, and check the network and pg_hba.conf: select * from citus_check_cluster_node_health()',
      )
    if (!prepares)
      return failed(
        check,
        `${server} allows no prepared transactions, which statements about several Brains need.`,
        'Set max_prepared_transactions to max_connections on every server, and restart them.',
      )
    return []
  })
}

const checkTables = async (client: Client): Promise<Finding> => {
  const tables = await readDivision(client)
  const left = tables.filter(({ isDivided, localBytes }) => !isDivided || localBytes > 0).map(({ table }) => table)
  if (left.length === 0) return isOk(check, `${tables.length} tables are distributed.`)
  if (left.length === tables.length)
    return warns(
      check,
      'The server has Citus, and no table is distributed: the coordinator has all of them.',
      'Stop every node and run: noema distribute',
    )
  return failed(
    check,
    `Not distributed: ${left.slice(0, 5).join(', ')}${left.length > 5 ? ` and ${left.length - 5} more` : ''}. No node starts.`,
    'Run: noema distribute',
  )
}

const checkBalance = async (client: Client): Promise<Finding[]> => {
  const { moves, sizes } = await readBalance(client)
  if (moves === 0) return []
  const shares = sizes.map(({ server, bytes }) => `${server} has ${(bytes / 1e9).toFixed(1)} GB`).join(', ')
  return [
    warns(
      check,
      `The shards are uneven: ${shares}; Citus would move ${moves}.`,
      'Run on the coordinator: select citus_rebalance_start()',
    ),
  ]
}

/** Checks the servers, tables and shards of a Citus cluster; nothing if the database has no Citus. */
export const checkCluster = async (address: DatabaseAddress): Promise<Finding[]> => {
  const client = await openClient(address, 'noema doctor')
  try {
    if ((await readCitusVersion(client)).version === null) return []
    const servers = await checkServers(client)
    const tables = await checkTables(client)
    return [tables, ...servers, ...(servers.length > 0 ? [] : await checkBalance(client))]
  } finally {
    await client.end()
  }
}

const checkWorkerFromHere = async (
  address: DatabaseAddress,
  worker: WorkerAddress,
  identity: string | undefined,
): Promise<Finding[]> => {
  const place = toHostPort(worker)
  const options = { name: 'noema doctor', connectMilliseconds: answerMilliseconds }
  const { db, close } = openDatabase(toWorkerDatabase(address, worker), createLog('silent'), 1, options)
  try {
    await checkWorker(db, identity)
    return []
  } catch (error) {
    return [
      warns(
        'Workers',
        `${place} is used through the coordinator only: ${toReason(error)}`,
        `Check that psql reaches ${place} from here with the user, password and database of the coordinator, or unset NOEMA_DATABASE_WORKER_POOL.`,
      ),
    ]
  } finally {
    await close()
  }
}

/** Checks that each worker answers here as the server that the coordinator knows, if nodes connect to workers. */
export const checkWorkers = async (
  db: Db,
  address: DatabaseAddress,
  { workerPool }: Pick<Config, 'workerPool'>,
): Promise<Finding[]> => {
  if (workerPool === 0) return []
  if (!(await findIsDivided(db)))
    return [
      failed(
        'Workers',
        'NOEMA_DATABASE_WORKER_POOL is set, and the tables are not distributed. No node starts.',
        'Unset it, or run: noema distribute',
      ),
    ]
  const workers = new Map((await listShards(db)).map((worker) => [toHostPort(worker), worker]))
  const identities = await readIdentities(db)
  const checks = [...workers].map(([place, worker]) => checkWorkerFromHere(address, worker, identities.get(place)))
  const unreached = (await Promise.all(checks)).flat()
  if (unreached.length > 0) return unreached
  return [isOk('Workers', `All answer at their addresses from here: ${[...workers.keys()].join(', ')}.`)]
}
