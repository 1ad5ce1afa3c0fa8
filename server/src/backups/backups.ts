import { createHmac } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Config, readConfig } from '../config/config.ts'
import { conflict, notFound, validation } from '../shared/errors.ts'
import { createLog, type Log } from '../shared/log.ts'
import { readServiceVersion } from '../shared/service-version.ts'
import { readMigrations } from '../storage/backup/catalog.ts'
import { openClient } from '../storage/backup/client.ts'
import { type BackupHead, type BackupTotals, backupFormat, dumpDatabase } from '../storage/backup/dump.ts'
import { forgetBaseBackup, recordBackup } from '../storage/backup/last-backups.ts'
import { loadBackup, type OpenBackup, openBackup, verifyFrames } from '../storage/backup/load.ts'
import { findOccupant } from '../storage/backup/occupants.ts'
import { countStoredFiles, type StoredFiles } from '../storage/backup/stored-files.ts'
import { defaultDataDir } from '../storage/embedded/embedded-postgres.ts'
import { migrateAt, readMigrationChecksums } from '../storage/migrate.ts'
import { findDataFolder, openStorage, type Storage } from '../storage/open-storage.ts'

// A backup is one file with every row at one moment, the version that wrote it, and a checksum. It can be restored into an empty
// database of any server, built-in or not.

type Request = { file: string; cwd: string; env: Readonly<Record<string, string | undefined>> }

type Backup = BackupTotals & {
  file: string
  place: string
  bytes: number
  createdAt: string
  hasSecret: boolean
  /** True if the database has a record of it. */
  noted: boolean
  /** Files whose bytes are in the operator's store, and not in the backup. */
  elsewhere: StoredFiles
}

/** Identifies a secret without revealing it. */
const toFingerprint = (secret: string): string =>
  createHmac('sha256', secret).update('noema backup').digest('hex').slice(0, 32)

const checkDataExists = (config: Config, cwd: string): void => {
  const folder = findDataFolder(config, cwd)
  if (folder === undefined || existsSync(join(folder, 'postgres'))) return
  throw notFound(
    `There is no data in ${folder}. Run this where the service runs, or with its NOEMA_DATA_DIR or NOEMA_DATABASE_URL.`,
  )
}

const syncFile = async (file: string): Promise<number> => {
  const handle = await open(file, 'r')
  try {
    await handle.sync()
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

/**
 * Writes a backup of the database of these settings, whether the service runs or not. The file gets its name when it is complete and
 * on disk. Only its owner can read it, because it holds the secret of the data folder.
 */
export const backUp = async ({ file, cwd, env }: Request): Promise<Backup> => {
  const config = readConfig(env, cwd)
  checkDataExists(config, cwd)
  if (existsSync(file)) throw conflict(`${file} already exists. Choose another file.`)
  if (!existsSync(dirname(file)))
    throw validation(`The folder of ${file} does not exist. Create it first, or choose another.`)
  const log = createLog('error')
  const storage = await openStorage(config, { log, cwd, ownership: 'shared' })
  const partial = `${file}.${process.pid}.part`
  try {
    const hasSecret = config.secret === undefined
    const about = {
      version: readServiceVersion(),
      createdAt: new Date().toISOString(),
      ...(hasSecret ? { secret: storage.secret } : {}),
      secretFingerprint: toFingerprint(storage.secret),
    }
    const client = await openClient(storage.address)
    try {
      const totals = await dumpDatabase(client, createWriteStream(partial, { flags: 'wx', mode: 0o600 }), about)
      const bytes = await syncFile(partial)
      await rename(partial, file)
      const noted = await recordBackup(client, { kind: 'file', madeAt: new Date(about.createdAt), bytes })
      const elsewhere = await countStoredFiles(client)
      return { ...totals, file, bytes, hasSecret, noted, elsewhere, place: storage.place, createdAt: about.createdAt }
    } finally {
      await client.end()
    }
  } finally {
    await rm(partial, { force: true })
    await storage.close()
  }
}

const openFile = (file: string): Promise<OpenBackup> => {
  if (!existsSync(file)) throw notFound(`There is no file ${file}.`)
  return openBackup(createReadStream(file))
}

type Verified = BackupTotals & {
  file: string
  version: string
  createdAt: string
  postgres: string
  migrations: number
}

/** Reads a whole backup and checks it, without a database. */
export const verifyBackup = async ({ file }: Pick<Request, 'file'>): Promise<Verified> => {
  const backup = await openFile(file)
  const { version, createdAt, postgres, migrations } = backup.head
  const totals = await verifyFrames(backup)
  return { ...totals, file, version, createdAt, postgres, migrations: migrations.length }
}

/** Refuses a backup of a newer or unknown version. */
const checkVersion = async ({ noemaBackup, version, migrations }: BackupHead): Promise<number> => {
  const known = await readMigrationChecksums()
  const isNewer = noemaBackup > backupFormat || migrations.some(({ number }) => !known.has(number))
  if (isNewer)
    throw conflict(
      `This backup is of Noema ${version}, which is newer than this one (${readServiceVersion()}). Restore it with that version or a newer one.`,
    )
  const changed = migrations.find(({ number, checksum }) => known.get(number) !== checksum)
  if (changed)
    throw conflict(
      `This backup is of another build of Noema: its migration ${changed.number} differs. Restore it with the build that wrote it.`,
    )
  return migrations.at(-1)?.number ?? 0
}

const checkSecret = ({ secret, secretFingerprint }: BackupHead, config: Config): void => {
  if (config.secret === undefined && secret === undefined)
    throw validation(
      'The secret is not in this backup, because NOEMA_SECRET was set. Set NOEMA_SECRET to the same value as then.',
    )
  if (config.secret !== undefined && toFingerprint(config.secret) !== secretFingerprint)
    throw validation(
      secret === undefined
        ? 'NOEMA_SECRET is not the secret of this backup: what it encrypts could not be read. Set it to what it was.'
        : 'NOEMA_SECRET is set, and the backup has a secret of its own. Unset it, or set it to that of the backup.',
    )
}

const writeSecret = async (config: Config, folder: string, { secret }: BackupHead): Promise<void> => {
  if (config.secret !== undefined || secret === undefined) return
  await mkdir(folder, { recursive: true, mode: 0o711 })
  await writeFile(join(folder, 'secret'), secret, { mode: 0o600 })
}

const checkEmpty = async (storage: Storage, isShared: boolean): Promise<void> => {
  const client = await openClient(storage.address)
  try {
    const occupant = await findOccupant(client, isShared)
    if (occupant === undefined) return
    throw conflict(
      `${storage.place} is not empty (${occupant}). Restore into a new data folder (NOEMA_DATA_DIR) or an empty database.`,
    )
  } finally {
    await client.end()
  }
}

const fill = async (
  storage: Storage,
  backup: OpenBackup,
  { upTo, bytes, log }: { upTo: number; bytes: number; log: Log },
) => {
  await migrateAt(storage.address, log, upTo)
  const client = await openClient(storage.address)
  try {
    const applied = await readMigrations(client)
    if (applied.at(-1)?.number !== upTo)
      throw conflict(`${storage.place} has the tables of another version already. Restore into an empty database.`)
    const totals = await loadBackup(client, backup)
    await migrateAt(storage.address, log)
    // A backup has no record of itself, and base backups of other files do not apply here.
    await forgetBaseBackup(client)
    await recordBackup(client, { kind: 'file', madeAt: new Date(backup.head.createdAt), bytes })
    await client.query('analyze')
    return { ...totals, elsewhere: await countStoredFiles(client) }
  } finally {
    await client.end()
  }
}

/**
 * Restores a backup into the empty database of these settings and migrates it to this version, in one transaction. Refuses a database
 * with data or a running service, and a backup of a newer version.
 */
export const restoreBackup = async ({
  file,
  cwd,
  env,
}: Request): Promise<BackupTotals & { place: string; version: string; createdAt: string; elsewhere: StoredFiles }> => {
  const config = readConfig(env, cwd)
  const backup = await openFile(file)
  const upTo = await checkVersion(backup.head)
  checkSecret(backup.head, config)
  const log = createLog('error')
  const dataDir = config.dataDir ?? defaultDataDir(cwd)
  const storage = await openStorage(config, { log, cwd, ownership: 'exclusive' })
  try {
    await checkEmpty(storage, config.databaseUrl !== undefined)
    const totals = await fill(storage, backup, { upTo, bytes: (await stat(file)).size, log })
    await writeSecret(config, dataDir, backup.head)
    const { version, createdAt } = backup.head
    return { ...totals, place: storage.place, version, createdAt }
  } finally {
    await storage.close()
  }
}
