import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '../shared/log.ts'
import { listHostUrls } from '../shared/network/database-url.ts'
import { refuseWorker } from '../storage/citus-queries.ts'
import { type Db, openDatabase } from '../storage/database.ts'
import { createDiskWatch } from '../storage/disk-watch.ts'
import { readMigrationNumbers } from '../storage/migrate.ts'
import { findDataFolder, openStorage } from '../storage/open-storage.ts'
import { checkBackups } from './backup-checks.ts'
import { checkCluster, checkWorkers } from './cluster-checks.ts'
import { checkStoredFiles } from './file-checks.ts'
import { type Finding, failed, isOk, type Subject, toReason, warns } from './finding.ts'
import { checkNodes } from './node-checks.ts'
import { readAppliedMigrations, readServer, readServerTime, tryWriting } from './queries.ts'

const minServer = 150_000
const maxDriftMilliseconds = 2_000
const minPgvector = 0.8

const checkServer = async (db: Db, { config }: Subject): Promise<Finding[]> => {
  const server = await readServer(db)
  const { databasePool, largeRequestPool, keyedDatabasePool } = config
  const pool = databasePool + largeRequestPool + keyedDatabasePool
  const findings: Finding[] = [
    server.number >= minServer
      ? isOk('PostgreSQL', `Version ${server.version}.`)
      : failed('PostgreSQL', `Version ${server.version} is too old.`, 'Use PostgreSQL 15 or newer.'),
  ]
  if (server.encoding !== 'UTF8')
    findings.push(
      failed(
        'PostgreSQL',
        `The encoding of the database is ${server.encoding}.`,
        "Create it again: create database noema encoding 'UTF8' template template0",
      ),
    )
  if (server.standby)
    findings.push(
      failed('PostgreSQL', 'The server is a read-only standby.', 'Point NOEMA_DATABASE_URL at the primary.'),
    )
  if (!server.mayCreate)
    findings.push(
      failed(
        'PostgreSQL',
        'The role may not create tables.',
        'Run as the owner of the database: grant create on schema public to <role>',
      ),
    )
  if (pool + 5 > server.connections)
    findings.push(
      warns(
        'PostgreSQL',
        `It allows ${server.connections} connections; this node alone uses ${pool}.`,
        'Raise max_connections, or lower NOEMA_DATABASE_POOL.',
      ),
    )
  if (config.pgvectorFrom !== undefined) findings.push(checkPgvector(server.pgvector))
  return findings
}

const checkPgvector = (version: string | null): Finding => {
  if (version !== null && Number.parseFloat(version) >= minPgvector) return isOk('pgvector', `Version ${version}.`)
  const found = version === null ? 'The server has no pgvector' : `The server has pgvector ${version}`
  return failed(
    'pgvector',
    `${found}; NOEMA_VECTOR_INDEX=pgvector needs ${minPgvector}.`,
    'Install pgvector on the server, or unset NOEMA_VECTOR_INDEX.',
  )
}

const checkMigrations = async (db: Db): Promise<Finding> => {
  const known = await readMigrationNumbers()
  const applied = await readAppliedMigrations(db)
  const pending = known.filter((number) => !applied.includes(number))
  const newer = applied.filter((number) => !known.includes(number))
  if (newer.length > 0)
    return failed(
      'Migrations',
      'A newer version of Noema has used this database.',
      'Start that version, or a newer one; or restore a backup.',
    )
  if (applied.length === 0) return isOk('Migrations', 'The database is new; the first start sets it up.')
  if (pending.length === 0) return isOk('Migrations', `All ${known.length} are applied.`)
  return warns(
    'Migrations',
    `${pending.length} of ${known.length} are not applied yet.`,
    'Back up (noema backup), then start the service: it applies them.',
  )
}

/** Checks that there is room for a little more. */
const checkSpace = async (db: Db): Promise<Finding[]> => {
  const disk = createDiskWatch()
  try {
    await tryWriting(db)
  } catch (error) {
    disk.note(error)
    if (disk.isFull())
      return [failed('Disk', `Nothing can be written: ${toReason(error)}`, 'Make space on the disk of the database.')]
  }
  return []
}

const checkClock = async (db: Db): Promise<Finding> => {
  const before = Date.now()
  const theirs = await readServerTime(db)
  const after = Date.now()
  const drift = Math.max(0, before - theirs, theirs - after)
  if (drift <= maxDriftMilliseconds) return isOk('Clock', 'It matches the clock of the database.')
  return warns(
    'Clock',
    `It differs from the clock of the database by ${(drift / 1000).toFixed(1)} s.`,
    'Synchronize both with NTP: timedatectl set-ntp true',
  )
}

const toPlace = (subject: Subject, error: unknown): Finding => {
  const { databaseUrl } = subject.config
  if (databaseUrl === undefined)
    return failed(
      'Database',
      `The built-in PostgreSQL does not start: ${toReason(error)}`,
      'Follow the message, or set NOEMA_DATABASE_URL to your own server.',
    )
  const places = listHostUrls(databaseUrl).map((url) => new URL(url))
  const place = places.map(({ hostname, port }) => `${hostname}:${port || 5432}`).join(' or ')
  return failed(
    'Database',
    `${place} cannot be used: ${toReason(error)}`,
    `Check NOEMA_DATABASE_URL, and that psql reaches ${place} from here.`,
  )
}

/** Checks that the database answers, and its version, rights, missing extensions and clock. */
export const checkDatabase = async (subject: Subject): Promise<Finding[]> => {
  const { config, cwd } = subject
  const folder = findDataFolder(config, cwd)
  if (folder !== undefined && !existsSync(join(folder, 'postgres')))
    return [isOk('Database', 'The first start will create the built-in PostgreSQL.')]
  const log = createLog('silent')
  try {
    const storage = await openStorage(config, { log, cwd, ownership: 'shared' })
    const { db, pool, close } = openDatabase(storage.address, log, 1, { name: 'noema doctor' })
    try {
      await refuseWorker(pool)
      const server = await checkServer(db, subject)
      const reached = isOk('Database', `${storage.place} answers.`)
      return [
        reached,
        ...server,
        await checkMigrations(db),
        ...(await checkSpace(db)),
        await checkClock(db),
        ...(await checkBackups(db, subject)),
        ...(await checkStoredFiles(db, subject)),
        ...(await checkCluster(storage.address)),
        ...(await checkWorkers(db, storage.address, config)),
        ...(await checkNodes(db, storage.secret)),
      ]
    } finally {
      await close()
      await storage.close()
    }
  } catch (error) {
    return [toPlace(subject, error)]
  }
}
