import type { EmergedStructure } from '@noema/contracts/schema.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { BrainRow } from '../brains/brains.ts'
import type { CompiledSchema } from './compile.ts'
import { emergedId, emergedPlace, isDeclared, suggestType } from './emerged.ts'
import { differenceOf } from './lineage.ts'
import {
  deleteEmerged,
  selectBaseline,
  selectEmerged,
  selectEmergedAfter,
  selectKinds,
  selectOrganizationSchema,
} from './queries.ts'
import { loadSchema } from './schema-cache.ts'
import type { Evolved } from './write-set.ts'

// What a Brain declares about its records. Every change of it makes a version that never changes again, and a write is
// checked by the version that is current under the Brain's lock. Proposing and publishing changes belongs to `changes`.

export { expectation, fitsOne, violationsOf } from './check.ts'
export {
  type CompiledKind,
  type CompiledSchema,
  compileKind,
  emptySchema,
  isIndexed,
  isNotified,
  type NotifiedField,
} from './compile.ts'
export { promotions } from './emerged.ts'
export { type EvolutionStep, evolveKinds, isSameKinds, type Tag } from './evolve.ts'
export { beginningOf, indexEntries, momentOf, momentsIn, valueKey, valuesIn } from './index-values.ts'
export {
  forkOf,
  pageOfOrganizationSchemas,
  putSchemaOfOrganization,
  readOrganizationSchema,
} from './organization-schemas.ts'
export {
  deleteEntriesAfter,
  deleteFieldIndex,
  deleteIndexWork,
  deleteSchema,
  type IndexWork,
  indexesInWork,
  insertEntries,
  putIndexWork,
  selectBrainsWithIndexWork,
  selectIndexWork,
  selectNewestVersion,
  selectShared,
} from './queries.ts'
export { createSchemaCache, loadSchema, type SchemaCache } from './schema-cache.ts'
export { type Evolved, loadHolders, SchemaWrites } from './write-set.ts'

type Deps = { db: Db }

/** The schema of a Brain, current or at an earlier version. */
export const readSchema = async (deps: Deps, brain: BrainRow, version = brain.schemaVersion) => {
  const kinds = version === 0 ? [] : await selectKinds(deps.db, brain.brainId, version)
  if (!kinds || version > brain.schemaVersion)
    throw notFound(`This Brain has no schemaVersion ${version}; it is at ${brain.schemaVersion}.`)
  return { schemaVersion: version, baseline: (await selectBaseline(deps.db, brain.brainId)) ?? null, kinds }
}

/** Where a Brain's schema comes from, and what the Brain and its organization made of it since. */
export const readLineage = async (deps: Deps, brain: BrainRow) => {
  const forkedFrom = (await selectBaseline(deps.db, brain.brainId)) ?? null
  const { kinds } = await loadSchema(deps.db, brain.brainId, brain.schemaVersion)
  const versionOf = async (version?: number) =>
    forkedFrom ? await selectOrganizationSchema(deps.db, brain.organizationId, forkedFrom.schema, version) : undefined
  const base = await versionOf(forkedFrom?.version)
  const newest = await versionOf()
  const currentVersion = newest?.version ?? null
  return {
    forkedFrom,
    baseline: { currentVersion, moved: forkedFrom !== null && currentVersion !== forkedFrom.version },
    local: differenceOf(base?.kinds ?? [], kinds),
    upstream: differenceOf(base?.kinds ?? [], newest?.kinds ?? []),
  }
}

type EmergedRow = Awaited<ReturnType<typeof selectEmerged>>[number]

const emergedView = ({ kind, field, count, seen, firstSeenAt, lastSeenAt }: EmergedRow): EmergedStructure => ({
  id: emergedId(kind, field),
  kind,
  field: field === '' ? null : field,
  suggested: field === '' ? null : suggestType(seen),
  // An empty list alone shows that it is a list, and nothing of its items.
  seen: seen.length > 1 ? seen.filter((sort) => sort !== '[]') : seen,
  count,
  firstSeenAt: firstSeenAt.toISOString(),
  lastSeenAt: lastSeenAt.toISOString(),
})

/** What emerged, by kind and field after an id. */
export const emergedAfter = async (deps: Deps, brain: BrainRow, page: { after: string; limit: number }) => {
  const after = page.after === '' ? undefined : emergedPlace(page.after)
  return (await selectEmergedAfter(deps.db, brain.brainId, after, page.limit)).map(emergedView)
}

/** What emerged under these ids and is still not declared. */
export const emergedOf = async (
  db: Queryable,
  brainId: number,
  schema: CompiledSchema,
  ids: readonly string[],
): Promise<EmergedStructure[]> => {
  const rows = await selectEmerged(db, brainId, ids.map(emergedPlace))
  return rows.filter(({ kind, field }) => !isDeclared(schema, kind, field)).map(emergedView)
}

/** Takes from the list of what emerged all that a new version declares. */
export const forgetDeclared = async (tx: Queryable, brainId: number, { kinds }: Evolved): Promise<void> => {
  const places = kinds.flatMap(({ kind, fields }) => [
    { kind, field: '' },
    ...fields.map(({ name }) => ({ kind, field: name })),
  ])
  if (places.length > 0) await deleteEmerged(tx, brainId, places)
}
