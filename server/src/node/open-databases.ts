import type { AppDeps } from '../api/app-deps.ts'
import { BadSetting } from '../config/setting.ts'
import type { Lifecycle } from '../lifecycle.ts'
import { type BrainServers, noBrainServers, openBrainServers } from '../storage/brain-servers.ts'
import { refuseWorker } from '../storage/citus-queries.ts'
import { type Db, type OpenDatabase, openDatabase, openKeyedDatabase } from '../storage/database.ts'
import { createDuePolls } from '../storage/due-polls.ts'
import { findMissingSettings } from '../storage/session-settings.ts'
import type { NodeParts } from './open-deps.ts'

// The pools of a node besides its main one, each for statements that the others should not wait for.

/** The pool with pinned plans, or the main pool if the settings give it no connections or the tables are on several servers. */
export const openKeyed = (
  { config, address, log }: NodeParts,
  { db, disk }: OpenDatabase,
  { lifecycle, isDivided }: { lifecycle: Lifecycle; isDivided: boolean },
): Db => {
  const { keyedDatabasePool, statementSeconds } = config
  // Citus plans statements that go to several servers with their values.
  if (keyedDatabasePool === 0 || isDivided) return db
  const opened = openKeyedDatabase(address, log, keyedDatabasePool, { statementSeconds, disk })
  return lifecycle.open('database by keys', opened, ({ close }) => close()).db
}

/** Refuses to start on a worker of a cluster, and on a pooler whose connections lack required session settings. */
export const checkPooler = async (
  { db, pool }: OpenDatabase,
  { statementSeconds }: NodeParts['config'],
): Promise<void> => {
  await refuseWorker(pool)
  const missing = await findMissingSettings(db, statementSeconds)
  if (missing === undefined) return
  throw new BadSetting(
    `NOEMA_DATABASE_URL leads to a pooler whose connections lack settings. Let it run this on each: connect_query = '${missing.replaceAll("'", "''")}'`,
  )
}

/** Connects to the workers of a cluster if the settings say so. Refuses to start where there is none. */
export const openServers = (
  { address, config, log }: NodeParts,
  { database, isDivided }: { database: OpenDatabase; isDivided: boolean },
): Promise<BrainServers> | BrainServers => {
  const { workerPool: pool, statementSeconds, preparesStatements } = config
  if (pool === 0) return noBrainServers(database)
  if (!isDivided)
    throw new BadSetting(
      'NOEMA_DATABASE_WORKER_POOL is set, and the tables are not distributed over a Citus cluster. Unset it, or run `noema distribute` first.',
    )
  return openBrainServers({ primary: database, address, options: { pool, statementSeconds, preparesStatements }, log })
}

/**
 * The dependencies of background work. Its statements ask all servers of a cluster, so one that hangs keeps its connections: it has its own
 * there, and requests about the Brains of other servers go on.
 */
export const openWorkDeps = ({ config, address, log }: NodeParts, lifecycle: Lifecycle, deps: AppDeps): AppDeps => {
  const { keyedDatabasePool, statementSeconds, preparesStatements } = config
  if (!deps.isDivided || keyedDatabasePool === 0) return deps
  const options = { statementSeconds, preparesStatements, clusterRole: 'coordinator', name: 'noema work' } as const
  const opened = openDatabase(address, log, keyedDatabasePool, options)
  const { db, prepared } = lifecycle.open('database of workers', opened, ({ close }) => close())
  return { ...deps, db, prepared, keyedDb: db, findDueKeys: createDuePolls(db, true) }
}
