import {
  cancelSentInvitations,
  deletePasswordLinks,
  deleteSessions,
  lockAccount,
  markProven,
  selectMemberships,
} from './account-queries.ts'
import { defineNote, withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'
import { type Confirmation, provisionalEndedEmail } from './email-templates.ts'
import { deleteFactors, deleteIdentities, deletePassword } from './identity-queries.ts'
import { auditAccount } from './member-audit.ts'
import { postLetter } from './post-letter.ts'

// Anybody may sign up with an address that is not theirs, so everything that an account has is provisional until one person
// has shown both: that the mailbox is theirs and that the account is. Then the account is proven. Opening the mailed link in
// the browser that signed up shows both, and so does a new password chosen by mail. The link alone shows the mailbox: it
// confirms the address, and ends what whoever signed up can have left behind.

type Person = { id: string; email: string }

/** Whose session a confirming link was opened with. */
export const openedBy = defineNote<string>()

/** Ends everything that lets somebody into an account without its password. */
const endProvisional = async (deps: AuthDeps, { id, email }: Person, by: Confirmation): Promise<void> => {
  const ended = await withAuthConnection(deps.db, async (db) => {
    const sessions = await deleteSessions(db, id)
    await cancelSentInvitations(db, id)
    await deleteFactors(db, id)
    await deleteIdentities(db, id)
    const access = { userId: id, organizationIds: await selectMemberships(db, id), brainKeys: 'lines' as const }
    return { sessions, ...(await deps.endAccess(db, access, deps.clock.now())) }
  })
  await postLetter(deps, provisionalEndedEmail(email, { ended, by, app: deps.settings.appUrl }))
}

/** The first confirmation of an address, in the transaction that confirms it. */
export const settleConfirmation = async (deps: AuthDeps, person: Person): Promise<void> => {
  const account = await withAuthConnection(deps.db, (db) => lockAccount(db, person.id))
  if (!account || account.emailVerified) return
  if (openedBy.get() !== person.id) {
    await auditAccount(deps, { action: 'account.address_confirmed', userId: person.id })
    return endProvisional(deps, person, 'link')
  }
  await withAuthConnection(deps.db, (db) => markProven(db, person.id, deps.clock.now()))
  await auditAccount(deps, { action: 'account.address_confirmed', userId: person.id })
}

/** A new password chosen by mail, in the transaction that stores it. It proves the mailbox, so it confirms the address too. */
export const settleReset = async (deps: AuthDeps, person: Person): Promise<void> => {
  const account = await withAuthConnection(deps.db, async (db) => {
    await deletePasswordLinks(db, person.id)
    return lockAccount(db, person.id)
  })
  if (!account) return
  await auditAccount(deps, { action: 'account.password_changed', userId: person.id })
  if (account.provenAt !== null) return
  await endProvisional(deps, person, 'password')
  await withAuthConnection(deps.db, (db) => markProven(db, person.id, deps.clock.now()))
}

/**
 * Gives an account that nobody had proven to whom the OpenID provider vouches for, in the transaction that links them: the provider
 * shows the mailbox, and whoever made the account has nothing of it any more, its password included.
 */
export const takeOver = async (deps: AuthDeps, person: Person): Promise<void> => {
  await endProvisional(deps, person, 'provider')
  await withAuthConnection(deps.db, async (db) => {
    await deletePassword(db, person.id)
    await deletePasswordLinks(db, person.id)
    await markProven(db, person.id, deps.clock.now())
  })
}
