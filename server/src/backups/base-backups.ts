import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { type Config, readConfig } from '../config/config.ts'
import { conflict, notFound, unavailable, validation } from '../shared/errors.ts'
import { createLog } from '../shared/log.ts'
import { readServiceVersion } from '../shared/service-version.ts'
import { openClient } from '../storage/backup/client.ts'
import { recordBackup } from '../storage/backup/last-backups.ts'
import { countStoredFiles, type StoredFiles } from '../storage/backup/stored-files.ts'
import { copyDataFiles, restoreDataFiles, writeLabels } from '../storage/embedded/base-backup.ts'
import { defaultDataDir, openEmbeddedPostgres } from '../storage/embedded/embedded-postgres.ts'
import { findBaseFolder, toRestoreCommand } from '../storage/embedded/wal-archive.ts'
import { openStorage } from '../storage/open-storage.ts'

// Point-in-time recovery of the built-in database: base backups of its files, and an archive of its write-ahead log that replays a
// base backup forward to any later moment.

type Environment = Readonly<Record<string, string | undefined>>

const manifestName = 'noema-base.json'
const manifest = z.object({
  version: z.string(),
  postgres: z.string(),
  startedAt: z.string(),
  stoppedAt: z.string(),
  secret: z.string().optional(),
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
})
type Manifest = z.infer<typeof manifest>

/** Maximum wait of a base backup at its end for the archive to receive the log. */
const archivingMilliseconds = 120_000

const requireBuiltIn = (config: Config): void => {
  if (config.databaseUrl === undefined) return
  throw validation(
    'Base backups are of the built-in database. Use the tools of your PostgreSQL server, such as pg_basebackup or pgBackRest.',
  )
}

const toName = (date: Date): string => date.toISOString().replaceAll(/[-:]|\.\d+/g, '')

const findTarget = (config: Config, given: string | undefined, now: Date): string => {
  if (given !== undefined) return given
  if (config.walArchive !== undefined && 'folder' in config.walArchive)
    return join(findBaseFolder(config.walArchive.folder), toName(now))
  throw validation('Give the folder of the base backup: noema backup --base <folder>.')
}

const keep = async (made: Manifest, { partial, target }: { partial: string; target: string }): Promise<void> => {
  await writeFile(join(partial, manifestName), JSON.stringify(made), { mode: 0o600, flush: true })
  await rename(partial, target)
}

type Made = {
  folder: string
  bytes: number
  files: number
  stoppedAt: string
  noted: boolean
  elsewhere: StoredFiles
}

/** Copies the files of the running database into a folder that gets its name when it is complete, and records it in the database. */
const copyRunning = async (
  config: Config,
  cwd: string,
  folders: { partial: string; target: string },
): Promise<Made> => {
  const { partial, target } = folders
  const startedAt = new Date().toISOString()
  const storage = await openStorage(config, { log: createLog('error'), cwd, ownership: 'shared' })
  try {
    const client = await openClient(storage.address)
    try {
      const { rows: servers } = await client.query<{ version: string; folder: string }>(
        "select current_setting('server_version') as version, current_setting('data_directory') as folder",
      )
      const [server = { version: '', folder: '' }] = servers
      await client.query("select pg_backup_start('noema', true)")
      const files = await copyDataFiles(server.folder, join(partial, 'data'))
      await client.query(`set statement_timeout = ${archivingMilliseconds}`)
      const { rows } = await client
        .query<{ label: string; map: string }>('select labelfile as label, spcmapfile as map from pg_backup_stop(true)')
        .catch(() => {
          throw unavailable(
            'The write-ahead log does not arrive in its archive. See postgres.log in the data folder, and NOEMA_WAL_ARCHIVE.',
          )
        })
      files.push(...(await writeLabels(join(partial, 'data'), rows[0]?.label ?? '', rows[0]?.map ?? '')))
      const secret = config.secret === undefined ? { secret: storage.secret } : {}
      const stoppedAt = new Date().toISOString()
      const about = { version: readServiceVersion(), postgres: server.version, startedAt, stoppedAt, ...secret, files }
      await keep(about, folders)
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      const noted = await recordBackup(client, { kind: 'base', madeAt: new Date(startedAt), bytes })
      const elsewhere = await countStoredFiles(client)
      return { folder: target, bytes, files: files.length, stoppedAt, noted, elsewhere }
    } finally {
      await client.end()
    }
  } finally {
    await storage.close()
  }
}

/** Copies the files of the built-in database while it runs. The folder gets its name when it is complete. */
export const makeBaseBackup = async ({
  folder,
  cwd,
  env,
}: {
  folder?: string | undefined
  cwd: string
  env: Environment
}): Promise<Made> => {
  const config = readConfig(env, cwd)
  requireBuiltIn(config)
  if (config.walArchive === undefined)
    throw validation(
      'A base backup is of no use without the log that follows it: set NOEMA_WAL_ARCHIVE, and start the service with it.',
    )
  const dataDir = config.dataDir ?? defaultDataDir(cwd)
  if (!existsSync(join(dataDir, 'postgres')))
    throw notFound(`There is no data in ${dataDir}. Run this where the service runs.`)
  const target = findTarget(config, folder, new Date())
  if (existsSync(target)) throw conflict(`${target} already exists. Choose another folder.`)
  const partial = `${target}.${process.pid}.part`
  try {
    await mkdir(partial, { recursive: true, mode: 0o700 })
    return await copyRunning(config, cwd, { partial, target })
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

const readManifest = async (folder: string): Promise<Manifest | undefined> => {
  const text = await readFile(join(folder, manifestName), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : manifest.parse(JSON.parse(text))
}

/** The base backup in a folder, or the newest one in an archive that was finished before a moment. */
const findBase = async (place: string, to: Date | undefined): Promise<{ folder: string; base: Manifest }> => {
  const own = await readManifest(place)
  const names = own ? [] : await readdir(findBaseFolder(place)).catch(() => [])
  const found = own ? [{ folder: place, base: own }] : []
  for (const name of names) {
    const folder = join(findBaseFolder(place), name)
    const base = await readManifest(folder)
    if (base) found.push({ folder, base })
  }
  if (found.length === 0) throw notFound(`There is no base backup in ${place}.`)
  const usable = found.filter(({ base }) => to === undefined || Date.parse(base.stoppedAt) <= to.getTime())
  const newest = usable.sort((one, other) => one.base.stoppedAt.localeCompare(other.base.stoppedAt)).at(-1)
  if (newest) return newest
  const first = found.map(({ base }) => base.stoppedAt).sort()[0]
  throw validation(`The first base backup was finished at ${first}: restore to that moment or a later one.`)
}

/** A time in the format of PostgreSQL's settings. */
const toServerTime = (time: Date): string => time.toISOString().replace('T', ' ').replace('Z', '+00')

const parseTime = (given: string | undefined): Date | undefined => {
  if (given === undefined) return undefined
  const time = z.iso.datetime({ offset: true }).safeParse(given)
  if (time.success) return new Date(time.data)
  throw validation('--to is an ISO 8601 time with Z or an offset, such as 2026-03-01T12:00:00Z.')
}

type RecoverRequest = {
  base: string
  to?: string | undefined
  /** The `pg_wal` folder that is left of a lost server. */
  wal?: string | undefined
  cwd: string
  env: Environment
}

/** Starts the restored files once, until they have replayed the log to the requested moment. */
const recover = async (dataDir: string, settings: Record<string, string>, to: Date | undefined): Promise<void> => {
  try {
    const postgres = await openEmbeddedPostgres({ dataDir, log: createLog('silent'), ownership: 'exclusive', settings })
    await postgres.stop()
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    if (text.includes('recovery ended before configured recovery target was reached'))
      throw validation(
        `The archive does not reach ${to?.toISOString()}. Restore to an earlier moment, or leave --to out for its end.`,
      )
    throw error
  }
}

/**
 * Restores the built-in database into an empty data folder as of a moment, from the newest base backup before it and the log up to
 * it. Without a moment it replays the whole log.
 */
export const recoverDatabase = async ({ base: given, to: when, wal, cwd, env }: RecoverRequest) => {
  const config = readConfig(env, cwd)
  requireBuiltIn(config)
  const to = parseTime(when)
  const place = resolve(cwd, given)
  const dataDir = config.dataDir ?? defaultDataDir(cwd)
  const target = join(dataDir, 'postgres')
  if (existsSync(target)) throw conflict(`${dataDir} has a database already. Set NOEMA_DATA_DIR to a new folder.`)
  const { folder, base } = await findBase(place, to)
  const isArchive = folder !== place
  const archive = isArchive ? { folder: place } : config.walArchive
  if (archive === undefined && wal === undefined)
    throw validation(
      'Where is the write-ahead log? Give the archive itself with --base, or set NOEMA_WAL_ARCHIVE or NOEMA_WAL_RESTORE_COMMAND.',
    )
  const settings = {
    restore_command: toRestoreCommand(archive, wal === undefined ? undefined : resolve(cwd, wal)),
    recovery_target_action: 'promote',
    hot_standby: 'off',
    ...(to === undefined ? {} : { recovery_target_time: toServerTime(to) }),
  }
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o711 })
    await restoreDataFiles(join(folder, 'data'), target, base.files)
    await writeFile(join(target, 'recovery.signal'), '', { mode: 0o600 })
    await recover(dataDir, settings, to)
  } catch (error) {
    await rm(target, { recursive: true, force: true })
    throw error
  }
  if (config.secret === undefined && base.secret !== undefined)
    await writeFile(join(dataDir, 'secret'), base.secret, { mode: 0o600 })
  return { place: dataDir, base: folder, to: to?.toISOString() ?? null }
}
