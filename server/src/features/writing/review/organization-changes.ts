import type { ChangeEval } from '@noema/contracts/change-evals.ts'
import type { ChangeFlag } from '@noema/contracts/changes.ts'
import type { QueryOutput } from '@noema/contracts/endpoint.ts'
import type { listOrganizationChanges, OrganizationChange } from '@noema/contracts/organization-changes.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import { contentKinds } from '../../knowledge/content/content.ts'
import type { SchemaCache } from '../../knowledge/schema/schema-cache.ts'
import { endPage, type List, openPage } from '../../platform/cursors/cursors.ts'
import { readRequiredEvals, toShown } from '../change-evals/change-evals.ts'
import type { ChangeItem } from '../commit/change-store.ts'
import {
  type ChangePosition,
  type OrganizationChangeRow,
  selectOrganizationChanges,
} from '../commit/organization-changes-queries.ts'
import { summarize } from './change-view.ts'
import { type ExaminedItem, examineItems } from './findings.ts'

// The changes of all Brains of an organization, with what a reviewer chooses by, so that a queue needs no second call. What
// is long is not opened for it: a list costs what it shows.

type Deps = { db: Db; schemas: SchemaCache }

type Opened = { change: OrganizationChangeRow; item: ChangeItem }

const toName = (type: string, brainId: number, id: string) => `${type} ${brainId} ${id}`

/** Tells of items whether what they were proposed on is there no more. */
const findOutdated = async (db: Db, opened: readonly Opened[]): Promise<(opened: Opened) => boolean> => {
  const live = new Map<string, number>()
  for (const { type, table } of contentKinds) {
    const requested = opened.flatMap(({ change: { brainId }, item: { target } }) =>
      target.type === type ? { brainId, id: target.id } : [],
    )
    for (const { brainId, id, version } of await table.selectLiveIn(db, requested))
      live.set(toName(type, brainId, id), version)
  }
  return ({ change, item: { target, base } }) => {
    if (target.type === 'schema') return change.brain.schemaVersion !== base
    return (live.get(toName(target.type, change.brainId, target.id)) ?? null) !== base
  }
}

type Examined = Pick<OrganizationChange, 'flags' | 'outdated'>

/** The flags of the items of each change, as far as those are known. */
const findAllFlags = async (
  { db, schemas }: Deps,
  changes: readonly OrganizationChangeRow[],
): Promise<ReadonlyMap<OrganizationChangeRow, readonly ChangeFlag[]>> => {
  const examined: (ExaminedItem & { of: OrganizationChangeRow })[] = []
  for (const of of changes) {
    const { brainId, brain, items } = of
    if (!items?.some(({ operation }) => operation)) continue
    const schema = await schemas(db, brainId, brain.schemaVersion)
    const written = new Set(items.map(({ target }) => target.id))
    const change = { brainId, isApplied: false, written, schema }
    for (const item of items) examined.push({ of, change, item, content: item.operation ?? null })
  }
  const found = await examineItems(db, examined)
  const flags = new Map<OrganizationChangeRow, Set<ChangeFlag>>()
  for (const [index, { of }] of examined.entries()) {
    const own = flags.get(of) ?? new Set()
    for (const flag of found[index]?.flags ?? []) own.add(flag)
    flags.set(of, own)
  }
  return new Map([...flags].map(([of, own]) => [of, [...own]]))
}

/** The facts about each change that need its items. */
const examine = async (deps: Deps, changes: readonly OrganizationChangeRow[]): Promise<Examined[]> => {
  const opened = changes.flatMap((change) => (change.items ?? []).map((item) => ({ change, item })))
  const isOutdated = await findOutdated(deps.db, opened)
  const flags = await findAllFlags(deps, changes)
  return changes.map((change) => {
    if (change.application === 'applied') return { flags: [], outdated: false }
    if (change.items === null) return { flags: ['unchecked'], outdated: null }
    const outdated = change.items.some((item) => isOutdated({ change, item }))
    return { flags: [...(flags.get(change) ?? [])], outdated }
  })
}

/** A change of an organization, as it is shown but for the names of people and keys. */
export type ListedOrganizationChange = Omit<OrganizationChange, 'stagedByName' | 'decidedByName'>

const toListed = (change: OrganizationChangeRow, examined: Examined): ListedOrganizationChange => {
  const { id, handle, name } = change.brain
  const { operations, targets } = change
  return { ...summarize(change), brain: { id, handle, name }, operations, targets, ...examined }
}

/** The results of the evals that Brains require. Brains that require none cost nothing. */
const readEvals = async (db: Db, changes: readonly OrganizationChangeRow[]) => {
  const gated = new Map<number, OrganizationChangeRow[]>()
  for (const change of changes)
    if (change.brain.requireEval !== null) gated.set(change.brainId, [...(gated.get(change.brainId) ?? []), change])
  const evals = new Map<OrganizationChangeRow, ChangeEval | undefined>()
  for (const [brainId, own] of gated) {
    const requireEval = own[0]?.brain.requireEval ?? undefined
    const found = await readRequiredEvals(db, { brainId, reviewRules: { requireEval } }, own)
    for (const change of own) evals.set(change, found.get(change.id))
  }
  return evals
}

/** A page of the changes of an organization, and the numbers of the Brains that they are of. */
export const listOrganizationChangePage = async (
  deps: Deps,
  place: { organizationId: string; brainId: number | undefined; viewer: Viewer },
  { list, query }: { list: List<ChangePosition>; query: QueryOutput<typeof listOrganizationChanges> },
) => {
  const { decision, application, ids, limit, order } = query
  const page = await openPage(list, query)
  const requested = { after: page.after, limit, order }
  const { changes, found } = await selectOrganizationChanges(
    deps.db,
    { ...place, decision, application, ids },
    requested,
  )
  const examined = await examine(deps, changes)
  const evals = await readEvals(deps.db, changes)
  const last = changes.at(-1)
  return {
    changes: changes.map((change, index) => ({
      ...toListed(change, examined[index] ?? { flags: ['unchecked'], outdated: null }),
      ...toShown(evals.get(change)),
    })),
    brainIds: [...new Set(changes.map(({ brainId }) => brainId))],
    cursor: endPage(page, last && [last.id, last.brainId]),
    hasMore: found > changes.length,
  }
}
