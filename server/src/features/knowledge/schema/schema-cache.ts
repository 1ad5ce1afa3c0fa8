import { LRUCache } from 'lru-cache'
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

/** Caches the schemas that writes are checked against. A version never changes, so entries never go stale. */
export const createSchemaCache = (): SchemaCache => {
  const cached = new LRUCache<string, CompiledSchema>({ max: maxEntries })
  return async (db, brainId, version) => {
    if (version === 0) return emptySchema
    const name = `${brainId} ${version}`
    const found = cached.get(name)
    if (found) return found
    const loaded = await loadSchema(db, brainId, version)
    cached.set(name, loaded)
    return loaded
  }
}
