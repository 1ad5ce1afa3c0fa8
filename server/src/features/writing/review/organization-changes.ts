import type { ChangeFlag } from '@noema/contracts/changes.ts'
import type { QueryOutput } from '@noema/contracts/endpoint.ts'
import type { listOrganizationChanges, OrganizationChange } from '@noema/contracts/organization-changes.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import { contentKinds } from '../../knowledge/content/content.ts'
import { endPage, type List, openPage } from '../../platform/cursors/cursors.ts'
import type { ChangeItem } from '../commit/change-store.ts'
import {
  type ChangePosition,
  type OrganizationChangeRow,
  selectOrganizationChanges,
} from '../commit/organization-changes-queries.ts'
import { summarize } from './change-view.ts'
import { findFlags, findServed } from './flags.ts'

// The changes of all Brains of an organization, with what a reviewer chooses by, so that a queue needs no second call. What
// is long is not opened for it: a list costs what it shows.

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

/** The facts about each change that need its items. */
const examine = async (db: Db, changes: readonly OrganizationChangeRow[]): Promise<Examined[]> => {
  const opened = changes.flatMap((change) => (change.items ?? []).map((item) => ({ change, item })))
  const isOutdated = await findOutdated(db, opened)
  const isServed = await findServed(
    db,
    opened.map(({ change: { brainId }, item }) => ({ brainId, item })),
  )
  const found: Examined[] = []
  for (const change of changes) {
    if (change.application === 'applied') found.push({ flags: [], outdated: false })
    else if (change.items === null) found.push({ flags: ['unchecked'], outdated: null })
    else {
      const flags = new Set<ChangeFlag>()
      for (const item of change.items)
        if (item.operation) for (const flag of await findFlags(item.operation, isServed(item))) flags.add(flag)
      found.push({ flags: [...flags], outdated: change.items.some((item) => isOutdated({ change, item })) })
    }
  }
  return found
}

/** A change of an organization, as it is shown but for the names of people and keys. */
export type ListedOrganizationChange = Omit<OrganizationChange, 'stagedByName' | 'decidedByName'>

const toListed = (change: OrganizationChangeRow, examined: Examined): ListedOrganizationChange => {
  const { id, handle, name } = change.brain
  const { operations, targets } = change
  return { ...summarize(change), brain: { id, handle, name }, operations, targets, ...examined }
}

/** A page of the changes of an organization, and the numbers of the Brains that they are of. */
export const listOrganizationChangePage = async (
  { db }: { db: Db },
  place: { organizationId: string; brainId: number | undefined; viewer: Viewer },
  { list, query }: { list: List<ChangePosition>; query: QueryOutput<typeof listOrganizationChanges> },
) => {
  const { decision, application, ids, limit, order } = query
  const page = await openPage(list, query)
  const requested = { after: page.after, limit, order }
  const { changes, found } = await selectOrganizationChanges(db, { ...place, decision, application, ids }, requested)
  const examined = await examine(db, changes)
  const last = changes.at(-1)
  return {
    changes: changes.map((change, index) =>
      toListed(change, examined[index] ?? { flags: ['unchecked'], outdated: null }),
    ),
    brainIds: [...new Set(changes.map(({ brainId }) => brainId))],
    cursor: endPage(page, last && [last.id, last.brainId]),
    hasMore: found > changes.length,
  }
}
