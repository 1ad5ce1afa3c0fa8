import {
  cancelSentInvitations,
  deletePasswordLinks,
  deleteSessions,
  lockAccount,
  markProven,
  selectMemberships,
} from './account-queries.ts'
import { defineCallValue, withAuthConnection } from './auth-work.ts'
import { type Confirmation, provisionalEndedEmail } from './email-templates.ts'
import { deleteFactors, deleteIdentities, deletePassword } from './identity-queries.ts'
import { auditAccount } from './member-audit.ts'
import { sendEmail } from './send-email.ts'
import type { AuthDeps } from './types.ts'

// Anyone may sign up with an address that is not theirs, so everything in an account is provisional until one person has proven
// that both the mailbox and the account are theirs. Opening the emailed link in the browser that signed up proves both, and so
// does a new password chosen by email. The link alone proves the mailbox: it confirms the address and revokes everything that the
// person who signed up may have left behind.

type Person = { id: string; email: string }

/** The person whose session a confirmation link was opened with. */
export const openedBy = defineCallValue<string>()

/** Revokes every access to an account except its password. */
const revokeProvisional = async (deps: AuthDeps, { id, email }: Person, by: Confirmation): Promise<void> => {
  const ended = await withAuthConnection(deps.db, async (db) => {
    const sessions = await deleteSessions(db, id)
    await cancelSentInvitations(db, id)
    await deleteFactors(db, id)
    await deleteIdentities(db, id)
    const access = { userId: id, organizationIds: await selectMemberships(db, id), brainKeys: 'lines' as const }
    return { sessions, ...(await deps.endAccess(db, access, deps.clock.now())) }
  })
  await sendEmail(deps, provisionalEndedEmail(email, { ended, by, app: deps.settings.appUrl }))
}

/** The first confirmation of an address, in the transaction that confirms it. */
export const completeConfirmation = async (deps: AuthDeps, person: Person): Promise<void> => {
  const account = await withAuthConnection(deps.db, (db) => lockAccount(db, person.id))
  if (!account || account.emailVerified) return
  if (openedBy.get() !== person.id) {
    await auditAccount(deps, { action: 'account.address_confirmed', userId: person.id })
    return revokeProvisional(deps, person, 'link')
  }
  await withAuthConnection(deps.db, (db) => markProven(db, person.id, deps.clock.now()))
  await auditAccount(deps, { action: 'account.address_confirmed', userId: person.id })
}

/** A new password chosen by mail, in the transaction that stores it. It proves the mailbox, so it confirms the address too. */
export const completeReset = async (deps: AuthDeps, person: Person): Promise<void> => {
  const account = await withAuthConnection(deps.db, async (db) => {
    await deletePasswordLinks(db, person.id)
    return lockAccount(db, person.id)
  })
  if (!account) return
  await auditAccount(deps, { action: 'account.password_changed', userId: person.id })
  if (account.provenAt !== null) return
  await revokeProvisional(deps, person, 'password')
  await withAuthConnection(deps.db, (db) => markProven(db, person.id, deps.clock.now()))
}

/**
 * Gives an unproven account to the person that the OpenID provider has verified, in the transaction that links them. The earlier
 * owner loses all access, including the password.
 */
export const takeOver = async (deps: AuthDeps, person: Person): Promise<void> => {
  await revokeProvisional(deps, person, 'provider')
  await withAuthConnection(deps.db, async (db) => {
    await deletePassword(db, person.id)
    await deletePasswordLinks(db, person.id)
    await markProven(db, person.id, deps.clock.now())
  })
}
