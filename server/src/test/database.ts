import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { createLog } from '../shared/log.ts'
import { openDatabase } from '../storage/database.ts'

const templateName = 'noema_template'
const toUrl = (name: string) => inject('postgresUrl').replace('/?', `/${name}?`)

const asAdmin = async (statement: string): Promise<void> => {
  const admin = new pg.Client({ connectionString: toUrl('postgres') })
  await admin.connect()
  try {
    await admin.query(statement)
  } finally {
    await admin.end()
  }
}

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
    drop: async () => {
      await close()
      await asAdmin(`drop database ${name} with (force)`)
    },
  }
}
