import type { Queryable } from '../../../storage/database.ts'
import { addSignUp } from '../admin-events/admin-events.ts'
import { countUse } from '../invitation-codes/invitation-code-queries.ts'
import { defineCallValue } from './auth-work.ts'
import { createPersonalOrganization } from './personal-organization.ts'
import type { AuthDeps } from './types.ts'

/** The invitation code that a sign-up was sent with. */
export const inviteCode = defineCallValue<string>()

/** Checks whether it may be a code. An impossible code counts as none and never keeps anyone out (D-19). */
export const isInviteCode = (code: string | undefined): code is string =>
  code !== undefined && code.length <= 100 && code.isWellFormed() && !code.includes('\0')

/** Completes a sign-up in its transaction: makes an organization of the code's tier and notifies the administrators. */
export const completeSignUp = async (
  { clock }: Pick<AuthDeps, 'clock'>,
  db: Queryable,
  user: { id: string; name: string; email: string },
): Promise<void> => {
  const now = clock.now()
  const code = inviteCode.get()
  const tier = code === undefined ? undefined : await countUse(db, code, now)
  await createPersonalOrganization(db, user, tier)
  const counted = tier === undefined ? undefined : code
  await addSignUp(db, { email: user.email, userId: user.id, inviteCode: counted }, now)
}
