import { defineNote, withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'
import { memberLeftEmail } from './email-templates.ts'
import type { EndedAccess } from './ended-access.ts'
import { postLetter } from './post-letter.ts'
import { cancelInvitations, selectOwnerAddresses } from './queries.ts'

// What ends with a membership, in the transaction that ends it (D-13): management keys, for good, also if the person is invited
// again, and webhooks that they or those keys made. Brain keys that they made belong to their Brains and go on, unless whoever
// removes the member asks for more; they are listed, as the person may have kept their secrets.

/** What the call that goes on ended, for its answer. */
export const endedNow = defineNote<EndedAccess>()

/** Whether the call that goes on asks to revoke Brain keys too. */
export const endsBrainKeys = defineNote<boolean>()

const maxOwnersTold = 20

export const endMembership = async (
  deps: AuthDeps,
  { id, name: organization }: { id: string; name: string },
  person: { id: string; email: string },
): Promise<void> => {
  const brainKeys = endsBrainKeys.get() ? ('made' as const) : ('none' as const)
  const { ended, owners } = await withAuthConnection(deps.db, async (db) => {
    await cancelInvitations(db, { organizationId: id, userId: person.id, email: person.email })
    const access = { userId: person.id, organizationIds: [id], brainKeys }
    return {
      ended: await deps.endAccess(db, access, deps.clock.now()),
      owners: await selectOwnerAddresses(db, id, maxOwnersTold),
    }
  })
  endedNow.set(ended)
  if (Object.values(ended).every(({ length }) => length === 0)) return
  for (const owner of owners)
    await postLetter(deps, memberLeftEmail(owner, { organization, left: person.email, ended }))
}
