import type { OrganizationContents } from '@noema/contracts/endings.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, forbidden, invalidArgument, notFound } from '../../../shared/errors.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { findRole } from '../../accounts/auth/auth.ts'
import { readCountsOfOrganization } from '../../brain/brain-counts/brain-counts.ts'
import { addErasure } from '../erasures/erasures.ts'
import {
  findNames,
  lockWhole,
  markEnded,
  type OrganizationNames,
  selectCounts,
  selectHeldBrains,
  stopSending,
} from './queries.ts'

// How an organization ends: one short transaction after which it lets nobody in, starts nothing and sends nothing. It touches no
// Brain, so it waits for no write that is under way; what there is to erase is left to a worker.

export { createOrganizationErasing, organizationTables } from './erase-organization.ts'
export { lockWhole, type OrganizationNames, selectHeldBrains } from './queries.ts'

type Deps = { db: Db; clock: Clock }

const gone = () => notFound('This organization was deleted.')

/** What an organization has. */
export const readContents = async (deps: Pick<Deps, 'db'>, organizationId: string): Promise<OrganizationContents> => {
  const [held, counts] = await Promise.all([
    readCountsOfOrganization(deps, organizationId),
    selectCounts(deps.db, organizationId),
  ])
  return { ...held, ...counts }
}

/** What deleting an organization would take. */
export const previewEnd = async (deps: Pick<Deps, 'db'>, organizationId: string) => {
  const organization = await findNames(deps.db, organizationId)
  if (!organization) throw gone()
  const [takes, heldBrains] = await Promise.all([
    readContents(deps, organizationId),
    selectHeldBrains(deps.db, organizationId),
  ])
  return { organization, takes, heldBrains }
}

/** The refusal to delete what a hold keeps. */
const refuseHeld = ({ name }: OrganizationNames, handles: readonly string[]) =>
  conflict(`${JSON.stringify(name)} has Brains with a hold, which keeps them from being deleted. Release it first.`, {
    code: 'brain_held',
    details: handles.map((handle) => ({ path: ['brains', handle], message: 'This Brain has a hold.' })),
  })

/** Ends an organization that is locked whole, in the transaction that has locked it. */
export const endLocked = async (tx: Tx, organization: OrganizationNames, by: Actor, now: Date): Promise<void> => {
  const held = await selectHeldBrains(tx, organization.id)
  if (held.length > 0) throw refuseHeld(organization, held)
  await markEnded(tx, organization.id, now)
  await stopSending(tx, organization.id)
  await addErasure(tx, { kind: 'organization', subject: organization.id, address: null, by }, now)
}

/** Deletes an organization, if its owner says so by its name. */
export const deleteOrganization = async (
  deps: Deps,
  { organizationId, userId, actor }: { organizationId: string; userId: string; actor: Actor },
  confirm: string,
): Promise<OrganizationContents> => {
  const takes = await readContents(deps, organizationId)
  await deps.db.transaction().execute(async (tx) => {
    const organization = await lockWhole(tx, organizationId)
    if (!organization) throw gone()
    if ((await findRole(tx, organizationId, userId)) !== 'owner') throw refuseStranger()
    if (confirm !== organization.name && confirm !== organization.slug)
      throw invalidArgument(
        ['confirm'],
        `It repeats the name of the organization, ${JSON.stringify(organization.name)}.`,
      )
    await endLocked(tx, organization, actor, deps.clock.now())
  })
  return takes
}

/** The refusal of members who are no owners. */
export const refuseStranger = () => forbidden('Only an owner of the organization may delete it.')
