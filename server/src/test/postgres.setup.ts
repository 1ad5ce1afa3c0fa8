import type { TestProject } from 'vitest/node'
import { createLog } from '../shared/log.ts'
import { openDatabase } from '../storage/database.ts'
import { distribute } from '../storage/distribute.ts'
import { migrate } from '../storage/migrate.ts'
import { addToCluster, closeTemplate, isCluster, runEverywhere } from './cluster.ts'
import { startGuardian } from './guardian/start-guardian.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the test server, without a database. */
    postgresUrl: string
  }
}

/** The database that every test file's own is cloned from. */
const templateName = 'noema_template'

/** Few, because each is a table on a server, and each test file clones all of them. Every server has some. */
const shards = 4

const withDatabase = (url: string, name: string) => url.replace('/?', `/${name}?`)

const makeTemplate = async (url: string): Promise<void> => {
  await runEverywhere(url, [`drop database if exists ${templateName} with (force)`, `create database ${templateName}`])
  await addToCluster(url, templateName)
  const log = createLog('error')
  const { db, pool, close } = openDatabase(withDatabase(url, templateName), log, 2)
  await migrate(db, log)
  if (isCluster) await distribute(pool, undefined, shards)
  await close()
  await closeTemplate(url, templateName)
}

/**
 * One PostgreSQL for the whole run, the built-in one or the server that NOEMA_TEST_POSTGRES_URL names, with a migrated
 * template; and one folder for the temporary files of all tests. Both are gone after the run, even a killed one.
 */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const { folder, url, stop } = await startGuardian(process.env.NOEMA_TEST_POSTGRES_URL || undefined)
  process.env.TMPDIR = folder
  await makeTemplate(url)
  project.provide('postgresUrl', url)
  return stop
}
