// Noema's own PostgreSQL, for installations without a server: started on first use, kept running while the service runs,
// taken over after a killed owner, restarted when it dies. One service owns a data folder at a time, by a lock that ends
// with its owner.
import { resolve } from 'node:path'
import type { Binaries } from './binaries.ts'
import { type Cluster, databaseName, databaseUser, describeCluster, type Log, sharedFolder } from './cluster.ts'
import { type Ownership, takeOwnership } from './ownership.ts'
import { firstClosedFolder, serverAccount } from './run-as.ts'
import { keepRunning } from './supervision.ts'

export type EmbeddedPostgres = {
  /** The parameters for `pg`: the folder of the unix socket as host, the port (it names the socket), user, database. */
  connection: { host: string; port: number; user: string; database: string }
  /** Absolute path of the folder that holds the database files. */
  dataPath: string
  /** Stops the server by a fast shutdown and waits for its exit. In shared mode it only disconnects. Idempotent. */
  stop(): Promise<void>
}

export type EmbeddedPostgresOptions = {
  /** Noema's data folder (absolute); the database files go to `<dataDir>/postgres`. */
  dataDir: string
  log: Log
  /** `shared` is for a command that reads while a server may be running: it joins one, or starts its own. */
  ownership: 'exclusive' | 'shared'
  /** More settings of postgresql.conf, which override ours. */
  settings?: Record<string, string>
  /** Other programs than those that come with Noema: of the version that made the files. */
  programs?: Binaries
}

/** Starts, adopts or (shared) joins the PostgreSQL of a data folder; throws DataFolderInUse when another Noema owns it. */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log, settings = {}, ownership, programs } = options
  const cluster = await describeCluster(resolve(options.dataDir), { log, settings, ...(programs ? { programs } : {}) })
  const owned = await takeOwnership(cluster, { ownership, signal: new AbortController().signal })
  log.info({ dataPath: cluster.dataPath, version: cluster.binaries.version }, 'PostgreSQL is ready.')
  return {
    connection: {
      host: owned.postmaster.host,
      port: owned.postmaster.port,
      user: databaseUser,
      database: databaseName,
    },
    dataPath: cluster.dataPath,
    stop: createStop(cluster, owned),
  }
}

function createStop(cluster: Cluster, owned: Ownership): () => Promise<void> {
  const { postmaster, lock } = owned
  if (!lock) return async () => {}
  const supervision = keepRunning(cluster, { postmaster, lock })
  let stopped: Promise<void> | undefined
  return () => {
    stopped ??= supervision.stop()
    return stopped
  }
}

/** The data folder to use when none is set: <cwd>/noema-data, or /var/lib/noema when PostgreSQL's user cannot reach <cwd>. */
export function defaultDataDir(cwd: string): string {
  const beside = resolve(cwd, 'noema-data')
  const account = serverAccount(resolve(beside, 'postgres'))
  return account && firstClosedFolder(account, cwd) !== undefined ? sharedFolder : beside
}
