import type { Queryable } from '../../../storage/database.ts'
import { cancelInvitations, selectOwnerAddresses } from './account-queries.ts'
import { defineCallValue, withAuthConnection } from './auth-work.ts'
import { memberLeftEmail } from './email-templates.ts'
import type { EndedAccess } from './ended-access.ts'
import type { AuthDeps } from './types.ts'

// The end of a membership, in one transaction (D-13). It revokes the person's management keys for good, even if they are invited
// again, and the webhooks that they or those keys made. Their Brain keys belong to the Brains and keep working unless the request
// asks to revoke them; they are listed, because the person may have kept the secrets.

/** The access that the current call revoked, for its answer. */
export const endedByCall = defineCallValue<EndedAccess>()

/** True if the current call asks to revoke Brain keys too. */
export const endsBrainKeys = defineCallValue<boolean>()

const maxNotifiedOwners = 20

type Leaving = {
  organization: { id: string; name: string }
  person: { id: string; email: string }
  /** The name of the person in the email to owners. */
  shownAs: string
  brainKeys: 'none' | 'made'
}

/** Revokes a former member's access to an organization and notifies its owners. */
export const leaveOrganization = async (
  { clock, mail, endAccess }: Pick<AuthDeps, 'clock' | 'mail' | 'endAccess'>,
  db: Queryable,
  { organization: { id, name }, person, shownAs: left, brainKeys }: Leaving,
): Promise<EndedAccess> => {
  await cancelInvitations(db, { organizationId: id, userId: person.id, email: person.email })
  const ended = await endAccess(db, { userId: person.id, organizationIds: [id], brainKeys }, clock.now())
  if (Object.values(ended).some(({ length }) => length > 0))
    for (const owner of await selectOwnerAddresses(db, id, maxNotifiedOwners))
      await mail.send({ ...memberLeftEmail(owner, { organization: name, left, ended }), organizationId: id }, db)
  return ended
}

export const endMembership = async (
  deps: AuthDeps,
  organization: { id: string; name: string },
  person: { id: string; email: string },
): Promise<void> => {
  const brainKeys = endsBrainKeys.get() ? 'made' : 'none'
  const leaving = { organization, person, shownAs: person.email, brainKeys } as const
  endedByCall.set(await withAuthConnection(deps.db, (db) => leaveOrganization(deps, db, leaving)))
}
