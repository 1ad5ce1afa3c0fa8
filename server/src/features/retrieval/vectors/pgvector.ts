import { BadSetting } from '../../../config/setting.ts'
import type { Db } from '../../../storage/database.ts'
import { createExtension, isExtensionAvailable, selectExtension } from './pgvector-queries.ts'

// The extension pgvector indexes the vectors that PostgreSQL stores: it has no other data that could be lost.

/** The extension in a database: the schema of its names. */
export type Pgvector = { schema: string }

/** The first version whose scans continue until a limit or a filter has enough rows. */
const minVersion = [0, 8] as const

const toRefusal = (what: string) =>
  new BadSetting(`NOEMA_VECTOR_INDEX is pgvector, but ${what}, or set NOEMA_VECTOR_INDEX to memory.`)

const isOld = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major === minVersion[0] && minor < minVersion[1]
}

const addExtension = async (db: Db): Promise<void> => {
  if (!(await isExtensionAvailable(db)))
    throw toRefusal(
      'this PostgreSQL server does not have it (the built-in one never does): install pgvector 0.8 or newer on the server',
    )
  try {
    await db.transaction().execute(createExtension)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw toRefusal(`it could not be added to the database (${reason}): let its operator run "create extension vector"`)
  }
}

/** Prepares a database for indexes of pgvector. Throws BadSetting with instructions where that is impossible. */
export const openPgvector = async (db: Db): Promise<Pgvector> => {
  if (!(await selectExtension(db))) await addExtension(db)
  const extension = await selectExtension(db)
  if (!extension || isOld(extension.version))
    throw toRefusal(
      `the database has its version ${extension?.version}: install 0.8 or newer, run "alter extension vector update"`,
    )
  return { schema: extension.schema }
}
