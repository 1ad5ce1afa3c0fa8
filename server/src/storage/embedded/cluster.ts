import { join } from 'node:path'
import { type Binaries, installedPackage, prepareBinaries } from './binaries.ts'
import { type DataFolder, openDataFolder } from './data-folder.ts'
import { isRoot } from './run-as.ts'
import { findSocketFolder } from './socket-folder.ts'

export type Log = {
  info(o: object, message: string): void
  warn(o: object, message: string): void
  error(o: object, message: string): void
}

/** Everything that is known of one database before its server runs. */
export type Cluster = DataFolder & {
  binaries: Binaries
  socketFolder: string
  logPath: string
  /** Settings on top of ours, as `postgresql.conf` names them. */
  settings: Record<string, string>
  log: Log
}

/** PostgreSQL's superuser and the database of Noema; the closed folder of the socket is what keeps others out. */
export const databaseUser = 'noema'
export const databaseName = 'noema'

/** The folder in which root keeps files that every user of the machine may read. */
export const sharedFolder = '/var/lib/noema'

/** Finds programs and folders for the database below `dataDir`. */
export async function describeCluster(
  dataDir: string,
  given: { log: Log; settings: Record<string, string>; packageDir?: string; programs?: Binaries },
): Promise<Cluster> {
  const folder = await openDataFolder(dataDir)
  const place = { account: folder.account, cacheDir: isRoot() ? sharedFolder : folder.home }
  const binaries = given.programs ?? (await prepareBinaries(given.packageDir ?? installedPackage(), place))
  return {
    ...folder,
    binaries,
    socketFolder: findSocketFolder(folder),
    logPath: join(folder.home, 'postgres.log'),
    settings: given.settings,
    log: given.log,
  }
}
