import type { Queryable } from '../../../storage/database.ts'
import { addSignUp } from '../admin-events/admin-events.ts'
import { countUse } from '../invitation-codes/invitation-code-queries.ts'
import { defineNote } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'
import { createPersonalOrganization } from './personal-organization.ts'

/** The invitation code that a sign-up was sent with. */
export const inviteCode = defineNote<string>()

/** Whether it may be a code. What cannot be one is as good as none: it never keeps anybody out (D-19). */
export const isInviteCode = (code: string | undefined): code is string =>
  code !== undefined && code.length <= 100 && code.isWellFormed() && !code.includes('\0')

/** What a sign-up makes beside the account, in its transaction: an organization of its tier, and what administrators are told. */
export const settleSignUp = async (
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
