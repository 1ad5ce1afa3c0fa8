import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import { includedPrefix, type putRubric, type Rubric } from '@noema/contracts/rubrics.ts'
import type { Limits } from '../../../config/config.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound, refuseAt } from '../../../shared/errors.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { type IncludedRubric, includedRubrics } from './included.ts'
import {
  countRubrics,
  deleteRubricRows,
  insertRubric,
  lockRubrics,
  type RubricRow,
  selectRubric,
  selectRubrics,
  selectRubricVersions,
} from './queries.ts'

// Rubrics of an organization, next to those that come with the service.

type Deps = { db: Db; clock: Clock; limits: Pick<Limits, 'evals'> }
type Place = { organizationId: string; name: string }

const noSuchRubric = (name: string) =>
  notFound(`There is no rubric ${JSON.stringify(name)}. List the rubrics to see those that there are.`)

const ofService = ({ name, version, criteria }: IncludedRubric): Rubric => ({
  ...{ name, version, criteria: [...criteria], included: true, updatedAt: null },
})

const ofRow = ({ name, version, criteria, createdAt, createdBy }: RubricRow): Rubric => ({
  ...{ name, version, criteria, included: false, updatedAt: createdAt.toISOString() },
  updatedBy: summarizeActor(createdBy),
})

/** A rubric in its newest version or another one; undefined where there is none. */
export const findRubric = async (
  db: Queryable,
  organizationId: string,
  name: string,
  version?: number,
): Promise<Rubric | undefined> => {
  const included = includedRubrics.find((one) => one.name === name)
  if (included) return ofService(included)
  const row = await selectRubric(db, { organizationId, name }, version)
  return row && ofRow(row)
}

/** A rubric; throws where there is none. */
export const readRubric = async ({ db }: Pick<Deps, 'db'>, { organizationId, name }: Place): Promise<Rubric> => {
  const found = await findRubric(db, organizationId, name)
  if (!found) throw noSuchRubric(name)
  return found
}

const refuseIncluded = (name: string): void => {
  if (name.startsWith(includedPrefix))
    throw refuseAt(['name'], `Names that begin with ${includedPrefix} belong to included rubrics. Choose another one.`)
}

const toAct = ({ organizationId, name }: Place, by: Actor) => ({
  ...{ organizationId, by, target: { type: 'rubric', id: name, name } },
})

/** For packs: `version` is that which is replaced, 0 for none; where there is another one, it stays, and `note` gets 0 if there should be none. */
type Guarded = { version: number; note: (tx: Tx, name: string, version: number) => Promise<void> }

/** Refuses a change to another version than the newest one, so that no one overwrites what they have not seen. */
const checkVersion = (name: string, newest: number, version: number | undefined): void => {
  if (version === undefined || version === newest) return
  const now = newest === 0 ? 'is not there' : `has version ${newest}`
  throw conflict(`The rubric ${JSON.stringify(name)} ${now} by now. Read it again, and repeat the change.`, {
    code: 'stale_version',
  })
}

/** Makes a rubric, or its next version. A repeat makes none. */
export const storeRubric = async (
  deps: Deps,
  { by, ...place }: Place & { by: Actor },
  { criteria, version: changed }: BodyOutput<typeof putRubric>,
  guarded?: Guarded,
): Promise<{ rubric: Rubric; created: boolean }> => {
  refuseIncluded(place.name)
  return deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, by, place)
    await lockRubrics(tx, place.organizationId)
    const former = await selectRubric(tx, place)
    if (former && guarded && former.version !== guarded.version) {
      if (guarded.version === 0) await guarded.note(tx, place.name, 0)
      return { rubric: ofRow(former), created: false }
    }
    if (former && JSON.stringify(former.criteria) === JSON.stringify(criteria))
      return { rubric: ofRow(former), created: false }
    checkVersion(place.name, former?.version ?? 0, changed)
    const { maxVersions } = deps.limits.evals
    if ((await countRubrics(tx, place.organizationId)) >= maxVersions)
      throw conflict(`This organization has ${maxVersions} versions of rubrics, which is the maximum. Delete some.`, {
        code: 'too_many_rubrics',
      })
    const now = deps.clock.now()
    const version = (former?.version ?? 0) + 1
    await insertRubric(tx, { ...place, version, criteria, by, now })
    await guarded?.note(tx, place.name, version)
    await addAudit(tx, { ...toAct(place, by), action: 'rubric.stored', after: { version } }, now)
    return { rubric: ofRow({ ...place, version, criteria, createdAt: now, createdBy: by }), created: !former }
  })
}

/** A page of the rubrics of an organization and those of the service, by name. */
export const listRubricPage = async (
  { db }: Pick<Deps, 'db'>,
  organizationId: string,
  page: PageRequest<string>,
): Promise<Rubric[]> => {
  const { after, order, limit } = page
  const isDescending = order === 'desc'
  const isIn = (name: string) => after === undefined || (isDescending ? name < after : name > after)
  const own = (await selectRubrics(db, organizationId, page)).map(ofRow)
  const all = [...own, ...includedRubrics.filter(({ name }) => isIn(name)).map(ofService)]
  const sorted = all.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return (isDescending ? sorted.toReversed() : sorted).slice(0, limit)
}

/** A page of the versions of a rubric. */
export const listRubricVersionPage = async (
  deps: Pick<Deps, 'db'>,
  place: Place,
  page: PageRequest<number>,
): Promise<Rubric[]> => {
  const newest = await readRubric(deps, place)
  if (newest.included) return page.after === undefined ? [newest] : []
  return (await selectRubricVersions(deps.db, place, page)).map(ofRow)
}

/** Deletes a rubric with all its versions. */
export const deleteRubric = (deps: Deps, { by, ...place }: Place & { by: Actor }): Promise<void> => {
  refuseIncluded(place.name)
  return deps.db.transaction().execute(async (tx) => {
    if ((await deleteRubricRows(tx, place)) === 0) throw noSuchRubric(place.name)
    await addAudit(tx, { ...toAct(place, by), action: 'rubric.deleted' }, deps.clock.now())
  })
}
