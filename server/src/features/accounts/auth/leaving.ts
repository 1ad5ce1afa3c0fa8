import type { Queryable } from '../../../storage/database.ts'
import { cancelInvitations, selectOwnerAddresses } from './account-queries.ts'
import { defineNote, withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'
import { memberLeftEmail } from './email-templates.ts'
import type { EndedAccess } from './ended-access.ts'

// What ends with a membership, in the transaction that ends it (D-13): management keys, for good, also if the person is invited
// again, and webhooks that they or those keys made. Brain keys that they made belong to their Brains and go on, unless whoever
// removes the member asks for more; they are listed, as the person may have kept their secrets.

/** What the call that goes on ended, for its answer. */
export const endedNow = defineNote<EndedAccess>()

/** Whether the call that goes on asks to revoke Brain keys too. */
export const endsBrainKeys = defineNote<boolean>()

const maxOwnersTold = 20

type Leaving = {
  organization: { id: string; name: string }
  person: { id: string; email: string }
  /** What its owners are told who it was. */
  shownAs: string
  brainKeys: 'none' | 'made'
}

/** Ends what a person made in an organization that they are no member of any more, and tells its owners. */
export const leaveOrganization = async (
  { clock, mail, endAccess }: Pick<AuthDeps, 'clock' | 'mail' | 'endAccess'>,
  db: Queryable,
  { organization: { id, name }, person, shownAs: left, brainKeys }: Leaving,
): Promise<EndedAccess> => {
  await cancelInvitations(db, { organizationId: id, userId: person.id, email: person.email })
  const ended = await endAccess(db, { userId: person.id, organizationIds: [id], brainKeys }, clock.now())
  if (Object.values(ended).some(({ length }) => length > 0))
    for (const owner of await selectOwnerAddresses(db, id, maxOwnersTold))
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
  endedNow.set(await withAuthConnection(deps.db, (db) => leaveOrganization(deps, db, leaving)))
}
