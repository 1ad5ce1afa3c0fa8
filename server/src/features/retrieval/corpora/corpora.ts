import type { Corpus, putCorpus } from '@noema/contracts/corpora.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { Limits } from '../../../config/config.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound, unknownReference } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import { type BrainRow, selectIdsByHandles } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../kernel/brains/brains.ts'
import { addAudit, addAuditOfChange } from '../../platform/audit/audit.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import type { Part } from './open-parts.ts'
import {
  type CorpusRow,
  countCorpora,
  deleteCorpusRow,
  lockCorpora,
  type StoredPart,
  selectBrainsByIds,
  selectCorpora,
  selectCorpus,
  selectCorpusNames,
  selectHandles,
  upsertCorpus,
} from './queries.ts'

// A corpus names Brains that are read together. It gives no access: each reader reads of it what they may read anyway. To a reader,
// a part whose Brain is not open to them is like one whose Brain is gone.

type Deps = { db: Db; clock: Clock }
type Place = { organizationId: string; name: string }

const noSuchCorpus = (name: string) =>
  notFound(
    `There is no corpus ${JSON.stringify(name)} in this organization. List its corpora to see those that there are.`,
  )

/** The corpus as a viewer sees it. */
const toView = ({ name, parts, createdAt, updatedAt }: CorpusRow, handles: ReadonlyMap<string, string>): Corpus => ({
  name,
  parts: parts.map(({ brainId, ...section }) => ({ brain: handles.get(brainId) ?? null, ...section })),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

const listIds = (rows: readonly CorpusRow[]): string[] => [
  ...new Set(rows.flatMap(({ parts }) => parts.map(({ brainId }) => brainId))),
]

const toViews = async (
  db: Queryable,
  rows: readonly CorpusRow[],
  { organizationId, viewer }: { organizationId: string; viewer: Viewer },
): Promise<Corpus[]> => {
  const handles = await selectHandles(db, organizationId, listIds(rows), viewer)
  return rows.map((row) => toView(row, handles))
}

/** Finds the Brains that parts name. One that the writer cannot read is like one that does not exist. */
const toStored = async (
  db: Queryable,
  given: BodyOutput<typeof putCorpus>['parts'],
  { organizationId, viewer }: { organizationId: string; viewer: Viewer },
): Promise<StoredPart[]> => {
  const handles = given.map(({ brain }) => brain)
  const ids = await selectIdsByHandles(db, organizationId, handles, viewer)
  return given.map(({ brain, ...section }, index) => {
    const brainId = ids.get(brain)
    if (brainId === undefined) throw unknownReference(['parts', index, 'brain'], noSuchBrain(brain).message)
    return { brainId, ...section }
  })
}

const toAct = ({ organizationId, name }: Place, by: Actor) => ({
  ...{ organizationId, by, target: { type: 'corpus', id: name, name } },
})

/** Creates or replaces a corpus. A repeat changes nothing. */
export const storeCorpus = async (
  deps: Deps & { limits: Pick<Limits, 'corpora'> },
  { by, viewer, ...place }: Place & { by: Actor; viewer: Viewer },
  given: BodyOutput<typeof putCorpus>,
): Promise<{ corpus: Corpus; created: boolean }> => {
  const { organizationId } = place
  return deps.db.transaction().execute(async (tx) => {
    await lockCorpora(tx, organizationId)
    const parts = await toStored(tx, given.parts, { organizationId, viewer })
    const before = await selectCorpus(tx, place)
    if (!before && (await countCorpora(tx, organizationId)) >= deps.limits.corpora)
      throw conflict(`This organization has ${deps.limits.corpora} corpora, which is the maximum. Delete some.`, {
        code: 'too_many_corpora',
      })
    const isSame = before && JSON.stringify(before.parts) === JSON.stringify(parts)
    const now = deps.clock.now()
    const row = isSame ? before : await upsertCorpus(tx, place, parts, now)
    const act = { ...toAct(place, by), action: 'corpus.stored' as const }
    if (before) await addAuditOfChange(tx, { ...act, before: { parts: before.parts }, after: { parts } }, now)
    else await addAudit(tx, { ...act, after: { parts } }, now)
    const [corpus] = await toViews(tx, [row], { organizationId, viewer })
    if (!corpus) throw new Error('a corpus was written and not found')
    return { corpus, created: !before }
  })
}

/** A corpus as it is stored. */
const findCorpus = async ({ db }: Pick<Deps, 'db'>, place: Place): Promise<CorpusRow> => {
  const row = await selectCorpus(db, place)
  if (!row) throw noSuchCorpus(place.name)
  return row
}

/** A corpus as a viewer sees it. */
export const readCorpus = async (deps: Deps, { viewer, ...place }: Place & { viewer: Viewer }): Promise<Corpus> => {
  const row = await findCorpus(deps, place)
  return toView(row, await selectHandles(deps.db, place.organizationId, listIds([row]), viewer))
}

/** Finds those of some Brains that the reader of a corpus may read, by their ids. */
type FindBrains = (ids: readonly string[]) => Promise<ReadonlyMap<string, BrainRow>>

/** The Brains that are open to a viewer. */
export const findOpenBrains =
  ({ db }: Pick<Deps, 'db'>, { organizationId, viewer }: { organizationId: string; viewer: Viewer }): FindBrains =>
  (ids) =>
    selectBrainsByIds(db, organizationId, ids, viewer)

/** The parts of a corpus, each with its Brain if the reader may read it. */
export const openCorpus = async (
  deps: Pick<Deps, 'db'>,
  place: Place,
  findBrains: FindBrains,
): Promise<{ name: string; parts: Part[] }> => {
  const { name, parts } = await findCorpus(deps, place)
  const brains = await findBrains(parts.map(({ brainId }) => brainId))
  return { name, parts: parts.map((part, index) => ({ ...part, part: index + 1, brain: brains.get(part.brainId) })) }
}

/** Those of some names that an organization's corpora have. */
export const listCorpusNames = (db: Queryable, organizationId: string, names: readonly string[]): Promise<string[]> =>
  names.length === 0 ? Promise.resolve([]) : selectCorpusNames(db, organizationId, names)

/** A page of an organization's corpora by name. */
export const listCorpusPage = async (
  { db }: Deps,
  { organizationId, viewer }: { organizationId: string; viewer: Viewer },
  page: PageRequest<string>,
): Promise<Corpus[]> => toViews(db, await selectCorpora(db, organizationId, page), { organizationId, viewer })

/** Deletes a corpus. */
export const deleteCorpusByName = (deps: Deps, { by, ...place }: Place & { by: Actor }): Promise<void> =>
  deps.db.transaction().execute(async (tx) => {
    const row = await deleteCorpusRow(tx, place)
    if (!row) throw noSuchCorpus(place.name)
    await addAudit(
      tx,
      { ...toAct(place, by), action: 'corpus.deleted', before: { parts: row.parts } },
      deps.clock.now(),
    )
  })
