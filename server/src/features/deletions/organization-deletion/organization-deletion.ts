import type { OrganizationContents } from '@noema/contracts/deletions.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { forbidden } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { findRole } from '../../accounts/auth/account-queries.ts'
import { checkNames, endLocked, gone, readContents } from './delete-organization.ts'
import { lockWhole } from './organization-queries.ts'

// Deleting an organization: after one short transaction it lets no one in, starts nothing and sends nothing. It touches no Brain,
// so it waits for no write in progress; a worker erases the data.

type Deps = { db: Db; clock: Clock }

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
    checkNames(organization, confirm)
    await endLocked(tx, organization, actor, deps.clock.now())
  })
  return takes
}

/** The refusal of members who are no owners. */
export const refuseStranger = () => forbidden('Only an owner of the organization may delete it.')
