import type { Queryable } from '../../../storage/database.ts'
import { type CompiledSchema, compileSchema, emptySchema } from '../kinds/kinds.ts'
import { selectKinds } from './schema-queries.ts'

const maxEntries = 500

/** The schema of a Brain at a version. */
export const loadSchema = async (db: Queryable, brainId: number, version: number): Promise<CompiledSchema> => {
  if (version === 0) return emptySchema
  const kinds = await selectKinds(db, brainId, version)
  if (!kinds) throw new Error(`Brain ${brainId} has no schema of version ${version}.`)
  return compileSchema(version, kinds)
}

export type SchemaCache = (db: Queryable, brainId: number, version: number) => Promise<CompiledSchema>

/** Remembers the schemas that writes are checked by. A version never changes, so nothing here ever goes stale. */
export const createSchemaCache = (): SchemaCache => {
  const known = new Map<string, CompiledSchema>()
  return async (db, brainId, version) => {
    if (version === 0) return emptySchema
    const name = `${brainId} ${version}`
    const found = known.get(name) ?? (await loadSchema(db, brainId, version))
    // Put last again, so that the first is the one that was not asked for the longest.
    known.delete(name)
    known.set(name, found)
    const [oldest] = known.keys()
    if (known.size > maxEntries && oldest !== undefined) known.delete(oldest)
    return found
  }
}
