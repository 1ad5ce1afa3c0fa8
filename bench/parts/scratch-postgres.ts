import { chmodSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../../server/src/shared/log.ts'
import { type OpenDatabase, openDatabase } from '../../server/src/storage/database.ts'
import { openEmbeddedPostgres } from '../../server/src/storage/embedded/embedded-postgres.ts'
import { migrate } from '../../server/src/storage/migrate.ts'

/** An empty database with Noema's tables, on the run's PostgreSQL. */
export type ScratchDatabase = OpenDatabase & { url: string }

export type ScratchPostgres = {
  createDatabase(name: string): Promise<ScratchDatabase>
  /** A database without tables, for another checkout to make its own. */
  createEmptyDatabase(name: string): Promise<ScratchDatabase>
  /** For databases that would fill the disk; their servers have ended. */
  dropDatabase(database: ScratchDatabase): Promise<void>
  stop(): Promise<void>
}

/** Filling a million rows takes its time. */
const unhurried = { statementSeconds: 3_600 }

/** A folder that PostgreSQL's own user can reach, for when the benchmarks run as root. */
export const createScratchFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'noema-bench-'))
  chmodSync(folder, 0o755)
  return folder
}

/**
 * Starts a PostgreSQL for the run with the settings that Noema gives its own: fsync on, so that every rate is of commits
 * on disk. A folder in memory would measure nothing; set TMPDIR where /tmp is one.
 */
export const startScratchPostgres = async (settings: Record<string, string> = {}): Promise<ScratchPostgres> => {
  const dataDir = await createScratchFolder()
  const log = createLog('error')
  const postgres = await openEmbeddedPostgres({ dataDir, log, ownership: 'exclusive', settings })
  const { host, port, user } = postgres.connection
  const toUrl = (name: string) => `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}&port=${port}`
  const opened = new Set<OpenDatabase>()
  const command = async (text: string) => {
    const admin = openDatabase(toUrl('postgres'), log, 1, unhurried)
    await admin.pool.query(text)
    await admin.close()
  }
  const createEmptyDatabase = async (name: string) => {
    await command(`create database ${name}`)
    const database = { ...openDatabase(toUrl(name), log, 4, unhurried), url: toUrl(name) }
    opened.add(database)
    return database
  }
  return {
    createEmptyDatabase,
    createDatabase: async (name) => {
      const database = await createEmptyDatabase(name)
      await migrate(database.db, log)
      return database
    },
    dropDatabase: async (database) => {
      opened.delete(database)
      await database.close()
      await command(`drop database ${new URL(database.url).pathname.slice(1)} with (force)`)
    },
    stop: async () => {
      for (const database of opened) await database.close()
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
