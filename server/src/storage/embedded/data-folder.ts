import { chmod, chown, lchown, mkdir, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { toErrorCode } from './file-errors.ts'
import { type Account, firstClosedFolder, isRoot, serverAccount } from './run-as.ts'

/** A data folder that cannot be used as it is; the message says what to do. */
export class UnusableDataFolder extends Error {}

/** The database folder of one service. */
export type DataFolder = {
  /** Noema's data folder, with every symbolic link resolved. */
  home: string
  /** The folder of the database files. */
  dataPath: string
  /** The user who owns the database files and runs PostgreSQL, when that is not simply ourselves. */
  account: Account | undefined
}

/** Makes the data folder if needed, and refuses one that PostgreSQL's user could not reach. */
export async function openDataFolder(dataDir: string): Promise<DataFolder> {
  const account = serverAccount(join(dataDir, 'postgres'))
  refuseUnreachable(account, dataDir)
  await createFolders(dataDir)
  const home = await realpath(dataDir)
  const dataPath = await realpath(join(home, 'postgres')).catch(() => join(home, 'postgres'))
  refuseUnreachable(account, dirname(dataPath))
  return { home, dataPath, account }
}

function refuseUnreachable(account: Account | undefined, folder: string): void {
  if (!account) return
  const closed = firstClosedFolder(account, folder)
  if (closed === undefined) return
  throw new UnusableDataFolder(
    `PostgreSQL runs as the user "${account.name}", because Noema runs as root, and that user cannot reach the data folder ${folder}: set NOEMA_DATA_DIR to another folder such as /var/lib/noema, or allow access with "chmod o+x ${closed}", or run Noema as an ordinary user.`,
  )
}

async function createFolders(dataDir: string): Promise<void> {
  const first = await mkdir(dataDir, { recursive: true })
  if (first === undefined) return
  // Others may pass through but not list it: PostgreSQL's user must reach the folder inside, whatever the umask is.
  const mode = isRoot() ? 0o711 : 0o700
  for (let at = dataDir; ; at = dirname(at)) {
    await chmod(at, mode)
    if (at === first || at === dirname(at)) return
  }
}

/**
 * Checks whether the folder contains a database of this major version; refuses any other folder that is not empty, and does
 * not touch it.
 */
export async function holdsDatabase(dataPath: string, majorVersion: string): Promise<boolean> {
  const names = await readdir(dataPath).catch((error: unknown): string[] => {
    if (toErrorCode(error) === 'ENOENT') return []
    if (toErrorCode(error) !== 'EACCES') throw error
    throw new UnusableDataFolder(
      `The database files in ${dataPath} belong to another user: run Noema as that user or as root, or set NOEMA_DATA_DIR to another folder.`,
    )
  })
  if (names.length === 0) return false
  if (!names.includes('PG_VERSION')) {
    throw new UnusableDataFolder(
      `The folder ${dataPath} is not empty and is not a PostgreSQL database: move its contents elsewhere, or set NOEMA_DATA_DIR to another folder.`,
    )
  }
  const found = (await readFile(join(dataPath, 'PG_VERSION'), 'utf8')).trim()
  if (found === majorVersion) return true
  throw new UnusableDataFolder(
    `The database in ${dataPath} was created by PostgreSQL ${found}, but this version of Noema includes PostgreSQL ${majorVersion}: back up the folder, then run "noema upgrade-database"; or set NOEMA_DATA_DIR to another folder.`,
  )
}

/** Gives the database files the owner and the mode without which PostgreSQL does not start, as after a restored backup. */
export async function claimFiles({ dataPath, account }: DataFolder): Promise<void> {
  const found = await stat(dataPath)
  if (account && found.uid === 0) await giveTo(account, dataPath)
  if ((found.mode & 0o077) !== 0) await chmod(dataPath, 0o700)
}

async function giveTo(account: Account, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await giveTo(account, path)
    else await lchown(path, account.uid, account.gid)
  }
  // Last, so that a crash midway leaves the folder ours and the next start finishes the work.
  await chown(folder, account.uid, account.gid)
}
