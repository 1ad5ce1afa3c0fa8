import type { OrganizationContents } from '@noema/contracts/deletions.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict } from '../../../shared/errors.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { addEndedOrganization } from '../../accounts/admin-events/admin-events.ts'
import { selectFirstAccount } from '../../accounts/auth/account-queries.ts'
import type { Mail } from '../../platform/mail/mail.ts'
import { quote } from '../../platform/mail/quote.ts'
import { checkNames, endLocked, gone, previewEnd, readContents } from './delete-organization.ts'
import { lockWhole, type OrganizationNames, selectHeldBrains, selectOwners } from './organization-queries.ts'

// The operator of the service ends an organization as its owner does, and its owners and the other administrators are notified.
// Administrators end their own organizations as owners, so that no single call shuts out the people who run the service.

type Deps = { db: Db; clock: Clock; mail: Mail; adminEmails: readonly string[]; publicUrl: string }

/** True if an administrator of the service owns an organization. */
export const isProtected = async (
  { adminEmails }: Pick<Deps, 'adminEmails'>,
  db: Queryable,
  organizationId: string,
): Promise<boolean> => {
  const owners = await selectOwners(db, organizationId)
  if (adminEmails.length > 0) {
    const names = adminEmails.map((name) => name.toLowerCase())
    return owners.some(({ email }) => names.includes(email.toLowerCase()))
  }
  const first = await selectFirstAccount(db)
  return owners.some(({ id }) => id === first)
}

/** A preview of the deletion of an organization, in numbers only. */
export const previewOperatorEnd = async (deps: Pick<Deps, 'db' | 'adminEmails'>, organizationId: string) => {
  const { heldBrains, ...preview } = await previewEnd(deps, organizationId)
  return { ...preview, heldBrains: heldBrains.length, protected: await isProtected(deps, deps.db, organizationId) }
}

const endedEmail = (to: string, name: string, { publicUrl, reason }: { publicUrl: string; reason: string }) => ({
  to,
  subject: 'An organization was deleted',
  text: `An administrator of Noema at ${publicUrl} has deleted ${quote(name, 'an organization')}, which you owned, with everything in it. It cannot be taken back.
${reason === '' ? '' : `\nThis is why:\n\n${reason}\n`}`,
})

/** Says no to an end that would take too much, without a name of what Brains there are. */
const checkEnd = async (deps: Deps, tx: Tx, { id }: OrganizationNames): Promise<void> => {
  if (await isProtected(deps, tx, id))
    throw conflict('An administrator of this service owns this organization. Only its owners may delete it.', {
      code: 'organization_protected',
    })
  const held = (await selectHeldBrains(tx, id)).length
  if (held > 0)
    throw conflict(
      `${held} of its Brains ${held === 1 ? 'has' : 'have'} a hold, which keeps the organization from being deleted. Its members release it.`,
      { code: 'brain_held' },
    )
}

type Asked = { id: string; confirm: string; reason?: string | undefined }

/** Ends an organization, if the operator says so by its name. */
export const endByOperator = async (
  deps: Deps,
  by: { userId: string; actor: Actor },
  { id, confirm, reason = '' }: Asked,
): Promise<OrganizationContents> => {
  const takes = await readContents(deps, id)
  await deps.db.transaction().execute(async (tx) => {
    const organization = await lockWhole(tx, id)
    if (!organization) throw gone()
    await checkEnd(deps, tx, organization)
    checkNames(organization, confirm)
    const owners = await selectOwners(tx, id)
    const now = deps.clock.now()
    await endLocked(tx, organization, by.actor, now)
    await addEndedOrganization(tx, { organizationId: id, userId: by.userId, ...(reason && { reason }) }, now)
    for (const { email } of owners)
      await deps.mail.send(endedEmail(email, organization.name, { publicUrl: deps.publicUrl, reason }), tx)
  })
  return takes
}
