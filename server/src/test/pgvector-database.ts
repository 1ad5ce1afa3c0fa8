import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { sql } from 'kysely'
import { createLog } from '../shared/log.ts'
import { type OpenDatabase, openDatabase } from '../storage/database.ts'
import { migrate } from '../storage/migrate.ts'
import { isCluster } from './cluster.ts'
import { createTestDatabase } from './database.ts'

/** A database that can store and search vectors. */
export type SearchDatabase = Pick<OpenDatabase, 'db' | 'prepared' | 'together'> & { url: string; drop(): Promise<void> }

/** A database of the test server. */
export const createSearchDatabase = async (): Promise<SearchDatabase> => {
  const { url, drop } = await createTestDatabase()
  // It shares its processor with the tests of this process.
  const { db, prepared, together, close } = openDatabase(url, createLog('silent'), 4)
  return {
    ...{ db, prepared, together, url },
    drop: async () => {
      await close()
      await drop()
    },
  }
}

const timeouts = { statementSeconds: 300, connectMilliseconds: 300_000, answerMilliseconds: 300_000 }

/**
 * A PostgreSQL with pgvector inside this process. All its connections share one session, so statements cannot be prepared
 * under names, and locks do not keep sessions apart.
 */
const createLiteDatabase = async (): Promise<SearchDatabase> => {
  const lite = await PGlite.create({ extensions: { vector } })
  const server = new PGLiteSocketServer({ db: lite, host: '127.0.0.1', port: 0, maxConnections: 20 })
  await server.start()
  const url = `postgres://postgres@${server.getServerConn()}/postgres`
  const log = createLog('silent')
  // It runs in this process, and one connection waits for the transaction of another: it may be silent for long.
  const { db, prepared, together, close } = openDatabase(url, log, 4, { ...timeouts, preparesStatements: false })
  await migrate(db, log)
  return {
    ...{ db, prepared, together, url },
    drop: async () => {
      await close()
      await server.stop()
      await lite.close()
    },
  }
}

/** A database that can have pgvector: one of the test server if that is one server and has it, which the built-in one has not. */
export const createPgvectorDatabase = async (): Promise<SearchDatabase> => {
  if (isCluster) return createLiteDatabase()
  const database = await createSearchDatabase()
  const { rows } = await sql`select from pg_available_extensions where name = 'vector'`.execute(database.db)
  if (rows.length > 0) return database
  await database.drop()
  return createLiteDatabase()
}
