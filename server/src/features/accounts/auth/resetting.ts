import type { Clock } from '../../../shared/clock.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import { deletePasswordLinks, deleteSessions, lockUser, selectMemberships } from './account-queries.ts'
import { deleteFactors, deleteIdentities, findUserByEmail } from './identity-queries.ts'

/** The sign-in methods that the operator removed from an account. */
export type ResetAccount = { email: string; passkeys: number; twoFactor: boolean; identities: number; sessions: number }

/**
 * Lets the operator help someone who lost their sign-in method: removes everything but the password and ends every session. Keys
 * keep working. Only the operator can do this, because they know who asks.
 */
export const resetAccount = ({ db, clock }: { db: Db; clock: Clock }, address: string): Promise<ResetAccount> =>
  db.transaction().execute(async (tx) => {
    const email = address.trim().toLowerCase()
    const account = await findUserByEmail(tx, email)
    if (!account) throw notFound(`No account has the address ${email}.`)
    const { id } = account
    await lockUser(tx, id)
    const { passkeys, factors } = await deleteFactors(tx, id)
    const identities = await deleteIdentities(tx, id)
    await deletePasswordLinks(tx, id)
    const sessions = await deleteSessions(tx, id)
    const actions = [
      ...(factors > 0 ? (['account.two_factor_disabled'] as const) : []),
      ...(passkeys > 0 ? (['account.passkey_removed'] as const) : []),
      ...(identities > 0 ? (['account.sign_in_unlinked'] as const) : []),
    ]
    const by = { type: 'system', id: 'operator' } as const
    for (const organizationId of await selectMemberships(tx, id))
      for (const action of actions)
        await addAudit(tx, { organizationId, by, action, target: { type: 'account', id } }, clock.now())
    return { email, passkeys, twoFactor: factors > 0, identities, sessions }
  })
