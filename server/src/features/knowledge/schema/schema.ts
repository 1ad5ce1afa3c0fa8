import type { EmergedStructure } from '@noema/contracts/schema.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import type { CompiledSchema } from '../kinds/kinds.ts'
import { emergedId, emergedPlace, isDeclared, suggestType } from './emerged.ts'
import { deleteEmerged, selectBaseline, selectEmerged, selectEmergedAfter, selectKinds } from './schema-queries.ts'
import type { Evolved } from './write-set.ts'

// A Brain's declarations about its records. Every change of it makes a version that never changes again, and a write is
// checked by the version that is current under the Brain's lock. `changes` proposes and publishes changes of it.

type Deps = { db: Db }

/** The schema of a Brain, current or at an earlier version. */
export const readSchema = async (deps: Deps, brain: BrainRow, version = brain.schemaVersion) => {
  const kinds = version === 0 ? [] : await selectKinds(deps.db, brain.brainId, version)
  if (!kinds || version > brain.schemaVersion)
    throw notFound(`This Brain has no schemaVersion ${version}; it is at ${brain.schemaVersion}.`)
  return { schemaVersion: version, baseline: (await selectBaseline(deps.db, brain.brainId)) ?? null, kinds }
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

/** A page of what emerged, by kind and field. */
export const emergedAfter = async (deps: Deps, brain: BrainRow, page: PageRequest<string>) => {
  const after = page.after === undefined ? undefined : emergedPlace(page.after)
  return (await selectEmergedAfter(deps.db, brain.brainId, { ...page, after })).map(emergedView)
}

/** Reads the emerged structure of these ids that is still not declared. */
export const readEmerged = async (
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
