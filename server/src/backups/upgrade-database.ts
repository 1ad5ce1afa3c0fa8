import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readConfig } from '../config/config.ts'
import { conflict, notFound, validation } from '../shared/errors.ts'
import { createLog, type Log } from '../shared/log.ts'
import { readServiceVersion } from '../shared/service-version.ts'
import { openClient } from '../storage/backup/client.ts'
import { dumpDatabase } from '../storage/backup/dump.ts'
import { forgetBaseBackup } from '../storage/backup/last-backups.ts'
import { loadBackup, openBackup } from '../storage/backup/load.ts'
import type { DatabaseAddress } from '../storage/database-address.ts'
import { installedPackage, prepareBinaries } from '../storage/embedded/binaries.ts'
import { openDataFolder } from '../storage/embedded/data-folder.ts'
import { defaultDataDir, openEmbeddedPostgres } from '../storage/embedded/embedded-postgres.ts'
import { findOldPrograms } from '../storage/embedded/old-programs.ts'
import { migrateAt } from '../storage/migrate.ts'

// A new major version of PostgreSQL cannot read the files of an earlier one. The earlier programs write the rows to a file, and the
// new ones load it into a new database. The earlier files stay next to it.

type Request = {
  /** The folder of the programs of the earlier version. */
  programs?: string | undefined
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

type Upgraded = { place: string; from: string; to: string; rows: number; kept: string | null }

const writeOut = async (address: DatabaseAddress, file: string): Promise<void> => {
  const client = await openClient(address)
  try {
    const about = { version: readServiceVersion(), createdAt: new Date().toISOString(), secretFingerprint: '' }
    await dumpDatabase(client, createWriteStream(file, { mode: 0o600 }), about)
  } finally {
    await client.end()
  }
}

const readIn = async (address: DatabaseAddress, file: string, log: Log): Promise<number> => {
  const backup = await openBackup(createReadStream(file))
  await migrateAt(address, log, backup.head.migrations.at(-1)?.number)
  const client = await openClient(address)
  try {
    const { rows } = await loadBackup(client, backup)
    await migrateAt(address, log)
    // An earlier PostgreSQL made it, so it cannot be restored into this one.
    await forgetBaseBackup(client)
    await client.query('analyze')
    return rows
  } finally {
    await client.end()
  }
}

/** Fills a new database next to the earlier files, and puts those back if that fails. */
const replaceFiles = async (place: {
  dataDir: string
  dataPath: string
  kept: string
  file: string
}): Promise<number> => {
  const { dataDir, dataPath, kept, file } = place
  const log = createLog('silent')
  await rename(dataPath, kept)
  try {
    const server = await openEmbeddedPostgres({ dataDir, log, ownership: 'exclusive' })
    try {
      return await readIn(server.connection, file, log)
    } finally {
      await server.stop()
    }
  } catch (error) {
    await rm(dataPath, { recursive: true, force: true })
    await rename(kept, dataPath)
    throw error
  }
}

/** Upgrades the built-in database to the major version of PostgreSQL in this version of Noema. */
export const upgradeDatabase = async ({ programs, cwd, env }: Request): Promise<Upgraded> => {
  const config = readConfig(env, cwd)
  if (config.databaseUrl !== undefined)
    throw validation('This is for the built-in database. Upgrade your PostgreSQL server with its own tools.')
  const dataDir = config.dataDir ?? defaultDataDir(cwd)
  if (!existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) throw notFound(`There is no database in ${dataDir}.`)
  const { home, dataPath, account } = await openDataFolder(dataDir)
  const from = (await readFile(join(dataPath, 'PG_VERSION'), 'utf8')).trim()
  const { majorVersion: to } = await prepareBinaries(installedPackage(), { account, cacheDir: home })
  if (from === to) return { place: dataDir, from, to, rows: 0, kept: null }
  if (Number(from) > Number(to))
    throw conflict(
      `The database is of PostgreSQL ${from}, and this version of Noema includes ${to}: use a newer version of Noema.`,
    )
  const kept = join(home, `postgres-${from}`)
  if (existsSync(kept)) throw conflict(`${kept} already exists from an earlier upgrade. Move it away first.`)
  const given = programs === undefined ? undefined : resolve(cwd, programs)
  const old = await findOldPrograms(from, { given, account, cacheDir: home }).catch((error: Error) => {
    throw validation(error.message)
  })
  const file = join(home, `upgrade-${from}-${to}.backup`)
  try {
    const server = await openEmbeddedPostgres({
      dataDir,
      log: createLog('silent'),
      ownership: 'exclusive',
      programs: old,
    })
    await writeOut(server.connection, file).finally(() => server.stop())
    const rows = await replaceFiles({ dataDir, dataPath, kept, file })
    return { place: dataDir, from, to, rows, kept }
  } finally {
    await rm(file, { force: true })
  }
}
