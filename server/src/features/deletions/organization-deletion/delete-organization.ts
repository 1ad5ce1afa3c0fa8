import type { OrganizationContents } from '@noema/contracts/deletions.ts'
import type { Actor } from '../../../shared/actor.ts'
import { conflict, invalidArgument, notFound } from '../../../shared/errors.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { readCountsOfOrganization } from '../../kernel/counts/counts.ts'
import { addErasure } from '../erasures/erasures.ts'
import {
  findNames,
  markEnded,
  type OrganizationNames,
  selectCounts,
  selectHeldBrains,
  stopSending,
} from './organization-queries.ts'

// The common part of all ways to end an organization.

type Deps = { db: Db }

/** The refusal of what is about an organization that is not there, or not any more. */
export const gone = () => notFound('This organization was deleted.')

/** The contents of an organization. */
export const readContents = async (deps: Deps, organizationId: string): Promise<OrganizationContents> => {
  const [held, counts] = await Promise.all([
    readCountsOfOrganization(deps, organizationId),
    selectCounts(deps.db, organizationId),
  ])
  return { ...held, ...counts }
}

/** A preview of the deletion of an organization. */
export const previewEnd = async (deps: Deps, organizationId: string) => {
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

/** Refuses a confirmation that names another organization, or none. */
export const checkNames = ({ name, slug }: OrganizationNames, confirm: string): void => {
  if (confirm !== name && confirm !== slug)
    throw invalidArgument(['confirm'], `It repeats the name of the organization, ${JSON.stringify(name)}.`)
}
