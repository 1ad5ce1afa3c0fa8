import type { Clock } from '../../../shared/clock.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import { deletePasswordLinks, deleteSessions, lockUser, selectMemberships } from './account-queries.ts'
import { deleteFactors, deleteIdentities, findUserByEmail } from './identity-queries.ts'

/** What of an account was taken by the operator. */
export type ResetAccount = { email: string; passkeys: number; twoFactor: boolean; identities: number; sessions: number }

/**
 * The operator's way out for somebody who lost what they sign in with: takes everything but the password, and ends every session.
 * Keys go on. Only the operator can, who knows whom they talk to.
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
