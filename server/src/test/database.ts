import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { createLog } from '../shared/log.ts'
import { openDatabase } from '../storage/database.ts'
import { addToCluster, runEverywhere } from './cluster.ts'

const templateName = 'noema_template'
const asAdmin = (statement: string) => runEverywhere(inject('postgresUrl'), [statement])
const toUrl = (name: string) => inject('postgresUrl').replace('/?', `/${name}?`)

/**
 * Creates a database for a test file, cloned from the migrated template or without any table. Drop it when the file is
 * done.
 */
export const createTestDatabase = async ({ isBlank = false } = {}) => {
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name} template ${isBlank ? 'template0' : templateName} strategy file_copy`)
  const url = toUrl(name)
  const { db, pool, close } = openDatabase(url, createLog('silent'), 4)
  return {
    db,
    pool,
    url,
    name,
    drop: async () => {
      await close()
      await asAdmin(`drop database ${name} with (force)`)
    },
  }
}

/** Creates a database without any table that is part of the cluster. */
export const createClusterDatabase = async () => {
  const database = await createTestDatabase({ isBlank: true })
  await addToCluster(inject('postgresUrl'), database.name)
  return database
}
