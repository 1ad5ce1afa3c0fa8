import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Queryable } from '../../../storage/database.ts'
import { deleteUnusedToolSchemas, selectToolSchemas, type ToolSchemas, upsertToolSchemas } from './queries.ts'

// The schemas that tools were called with. A connector's tools change under an agent: an operation names the hash of those that
// its call was made with, and each pair is stored once per organization.

/** The schemas that a tool declares. */
export type DeclaredSchemas = { inputSchema: object; outputSchema?: object }

const hashed = new WeakMap<object, ToolSchemas>()

/** The schemas of a tool as they are stored, under the hash of both. */
const toStored = ({ inputSchema, outputSchema }: DeclaredSchemas): ToolSchemas => {
  const known = hashed.get(inputSchema)
  if (known) return known
  const input = JSON.stringify(inputSchema)
  const output = outputSchema === undefined ? null : JSON.stringify(outputSchema)
  const made = { hash: `sha256:${hash('sha256', JSON.stringify([input, output]))}`, input, output }
  hashed.set(inputSchema, made)
  return made
}

/** The hash of the schemas of a tool. */
export const hashToolSchemas = (tool: DeclaredSchemas): string => toStored(tool).hash

const staleMilliseconds = 12 * 3_600_000

/** Schemas that this process stored recently, so that most calls cost no statement. */
const stored = new LRUCache<string, number>({ max: 10_000 })

/** Stores the schemas of tools that are about to be called. */
export const storeToolSchemas = async (
  db: Queryable,
  { organizationId, now }: { organizationId: string; now: Date },
  tools: readonly DeclaredSchemas[],
): Promise<void> => {
  const staleBefore = new Date(now.getTime() - staleMilliseconds)
  const toKey = (one: ToolSchemas) => `${organizationId} ${one.hash}`
  const schemas = new Map(tools.map(toStored).map((one) => [toKey(one), one]))
  for (const key of schemas.keys()) if ((stored.get(key) ?? 0) > staleBefore.getTime()) schemas.delete(key)
  if (schemas.size === 0) return
  await upsertToolSchemas(db, organizationId, [...schemas.values()], { now, staleBefore })
  for (const key of schemas.keys()) stored.set(key, now.getTime())
}

/** The schemas of one page take at most this much. */
const maxBytes = 4 * 1024 * 1024

/** The schemas with these hashes, by hash. */
export const readToolSchemas = async (db: Queryable, organizationId: string, hashes: ReadonlySet<string>) => {
  const rows = hashes.size === 0 ? [] : await selectToolSchemas(db, organizationId, { hashes: [...hashes], maxBytes })
  return new Map(rows.map(({ hash: of, ...schemas }) => [of, schemas]))
}

const maxForgotten = 50

/** Deletes, a few at a time, what was last used before a time and no run that is stored can have used. */
export const forgetToolSchemas = async (db: Queryable, before: Date): Promise<void> => {
  while ((await deleteUnusedToolSchemas(db, before, maxForgotten)) === maxForgotten);
}
