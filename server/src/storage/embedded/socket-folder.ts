import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DataFolder } from './data-folder.ts'
import { toErrorCode } from './file-errors.ts'
import { canReach, isRoot } from './run-as.ts'

type Place = DataFolder & { socketFolder: string }

// The port only names the socket. 100 bytes is what every system's 104 to 108 leave after the terminator and some reserve.
export const socketPort = 5432
const maxSocketPathBytes = 100

/** The folder for the socket: the data path itself, or a short one where that is too long for a socket. */
export function findSocketFolder({ dataPath, account }: DataFolder): string {
  if (fitsSocket(dataPath)) return dataPath
  const name = `noema-${createHash('sha256').update(dataPath).digest('hex').slice(0, 16)}`
  const shared = [tmpdir(), '/tmp'].find((place) => fitsSocket(join(place, name)) && canReach(account, place))
  return join(shared ?? '/tmp', name)
}

const fitsSocket = (folder: string): boolean =>
  Buffer.byteLength(join(folder, `.s.PGSQL.${socketPort}`)) <= maxSocketPathBytes

/** Makes the socket's folder, closed to everyone but PostgreSQL's user. */
export async function openSocketFolder({ socketFolder, dataPath, account }: Place): Promise<void> {
  if (socketFolder === dataPath) return
  await mkdir(socketFolder, { mode: 0o700 }).catch((error: unknown) => {
    if (toErrorCode(error) !== 'EEXIST') throw error
  })
  const found = await lstat(socketFolder)
  const owner = account ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  // Anyone can make a folder of this name in the shared folder first, and would then own the way to the database.
  if (!found.isDirectory() || (found.uid !== owner.uid && !(isRoot() && found.uid === 0))) {
    throw new Error(
      `The folder ${socketFolder} belongs to someone else: remove it, or set NOEMA_DATA_DIR to a shorter path.`,
    )
  }
  await chmod(socketFolder, 0o700)
  if (found.uid !== owner.uid) await chown(socketFolder, owner.uid, owner.gid)
}

/** Removes the socket's folder if it is separate and empty. */
export async function removeSocketFolder({ socketFolder, dataPath }: Place): Promise<void> {
  // A folder that is not empty already serves a successor.
  if (socketFolder !== dataPath) await rmdir(socketFolder).catch(() => {})
}
