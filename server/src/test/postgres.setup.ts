import { chmodSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { createLog } from '../shared/log.ts'
import { openDatabase } from '../storage/database.ts'
import { openEmbeddedPostgres } from '../storage/embedded/embedded-postgres.ts'
import { migrate } from '../storage/migrate.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the test server, without a database. */
    postgresUrl: string
  }
}

/** The database that every test file's own is cloned from. */
const templateName = 'noema_template'

const withDatabase = (url: string, name: string) => url.replace('/?', `/${name}?`)

/** One PostgreSQL for the whole run: the built-in one without syncing, or the server that NOEMA_TEST_POSTGRES_URL names. */
const startServer = async (): Promise<{ url: string; stop(): Promise<void> }> => {
  const given = process.env.NOEMA_TEST_POSTGRES_URL
  if (given) return { url: given, stop: async () => {} }
  const dataDir = await mkdtemp(join(tmpdir(), 'noema-test-'))
  chmodSync(dataDir, 0o755)
  const postgres = await openEmbeddedPostgres({
    dataDir,
    log: createLog('error'),
    ownership: 'exclusive',
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '300' },
  })
  const { host, port, user } = postgres.connection
  return {
    url: `postgres://${user}@localhost/?host=${encodeURIComponent(host)}&port=${port}`,
    stop: async () => {
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Starts the server and migrates the template. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const { url, stop } = await startServer()
  const admin = new pg.Client({ connectionString: withDatabase(url, 'postgres') })
  await admin.connect()
  await admin.query(`drop database if exists ${templateName}`)
  await admin.query(`create database ${templateName}`)
  await admin.end()
  const log = createLog('error')
  const { db, close } = openDatabase(withDatabase(url, templateName), log, 2)
  await migrate(db, log)
  await close()
  project.provide('postgresUrl', url)
  return stop
}
