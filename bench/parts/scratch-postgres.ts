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
  stop(): Promise<void>
}

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
  const opened: OpenDatabase[] = []
  return {
    createDatabase: async (name) => {
      const admin = openDatabase(toUrl('postgres'), log, 1)
      await admin.pool.query(`create database ${name}`)
      await admin.close()
      const url = toUrl(name)
      const database = openDatabase(url, log, 4)
      opened.push(database)
      await migrate(database.db, log)
      return { ...database, url }
    },
    stop: async () => {
      for (const database of opened) await database.close()
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
