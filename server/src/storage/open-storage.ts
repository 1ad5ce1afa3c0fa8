import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Log } from '../shared/log.ts'
import { toPlace } from '../shared/network/database-url.ts'
import type { DatabaseAddress } from './database-address.ts'
import { defaultDataDir, openEmbeddedPostgres } from './embedded/embedded-postgres.ts'
import { prepareArchive, toArchiveSettings } from './embedded/wal-archive.ts'

/** The storage of a node: its database, and the secret that signs sessions. */
export type Storage = {
  address: DatabaseAddress
  secret: string
  /** The location of the data, for the operator. */
  place: string
  close(): Promise<void>
}

// Other users may pass through the folder (the built-in database runs as one of them) and read nothing of it.
const dataDirMode = 0o711

/** The secret of the data folder, made at the first start. */
const keptSecret = async (dataDir: string): Promise<string> => {
  const path = join(dataDir, 'secret')
  const made = randomBytes(48).toString('base64url')
  // Fails where the file exists, so that of two starts at once one makes it and both read it.
  await writeFile(path, made, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return (await readFile(path, 'utf8')).trim()
}

const prepareDataDir = async (dataDir: string): Promise<void> => {
  const made = await mkdir(dataDir, { recursive: true, mode: dataDirMode })
  if (made !== undefined) await chmod(dataDir, dataDirMode)
}

/** The folder that a node of these settings keeps its data in; undefined where a database server has it. */
export const findDataFolder = (config: Config, cwd: string): string | undefined =>
  config.databaseUrl === undefined ? (config.dataDir ?? defaultDataDir(cwd)) : undefined

/** Opens the database that the settings name, or the built-in one of the data folder. */
export const openStorage = async (
  config: Config,
  { log, cwd, ownership }: { log: Log; cwd: string; ownership: 'exclusive' | 'shared' },
): Promise<Storage> => {
  const dataDir = config.dataDir ?? defaultDataDir(cwd)
  if (config.databaseUrl === undefined || config.secret === undefined) await prepareDataDir(dataDir)
  const secret = config.secret ?? (await keptSecret(dataDir))
  if (config.databaseUrl !== undefined) {
    if (config.secret === undefined)
      log.warn({ dataDir }, 'NOEMA_SECRET is unset: several nodes on one database must share one')
    return { address: config.databaseUrl, secret, place: toPlace(config.databaseUrl), close: async () => {} }
  }
  const { walArchive } = config
  if (walArchive && 'folder' in walArchive) await prepareArchive(walArchive.folder, join(dataDir, 'postgres'))
  const settings = walArchive ? toArchiveSettings(walArchive) : {}
  const postgres = await openEmbeddedPostgres({ dataDir, log, ownership, settings })
  return { address: postgres.connection, secret, place: dataDir, close: () => postgres.stop() }
}
