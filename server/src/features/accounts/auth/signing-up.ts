import { APIError } from 'better-auth/api'
import { toClientNetwork } from '../../../shared/network/client-network.ts'
import type { Queryable } from '../../../storage/database.ts'
import { addSignUp } from '../admin-events/admin-events.ts'
import { countUse, isUsable } from '../invitation-codes/invitation-code-queries.ts'
import { countCall, hasInvitation, hasUsers } from './account-queries.ts'
import { clientAddressHeader, defineCallValue, withAuthConnection } from './auth-work.ts'
import { type Context, type Hook, readText, refused } from './call-checks.ts'
import { createPersonalOrganization } from './personal-organization.ts'
import type { AuthDeps } from './types.ts'

/** The invitation code that a sign-up was sent with. */
export const inviteCode = defineCallValue<string>()

/** Checks whether it may be a code. An impossible code counts as none and never keeps anyone out (D-19). */
export const isInviteCode = (code: string | undefined): code is string =>
  code !== undefined && code.length <= 100 && code.isWellFormed() && !code.includes('\0')

/** Set if the code is what allows the sign-up, so that it must count. */
const needsCode = defineCallValue<boolean>()

const notInvited = () =>
  refused(
    'SIGN_UP_INVITED',
    'New accounts need an invitation here: send the id of an invitation that was mailed to this address as invitationId, or an invitation code as inviteCode.',
    'FORBIDDEN',
  )

/**
 * Refuses a sign-up that the settings do not allow. It checks invitations and codes and never accounts, so that a refusal does
 * not reveal who has one.
 */
const checkAllowed = async ({ db, clock, settings }: AuthDeps, ctx: Context): Promise<void> => {
  const { signUp } = settings.signIn
  if (signUp === 'open' || !(await withAuthConnection(db, hasUsers))) return
  if (signUp === 'closed') throw refused('SIGN_UP_CLOSED', 'This service is closed for sign-ups.', 'FORBIDDEN')
  const [id, email, code] = [readText(ctx.body, 'invitationId'), readText(ctx.body, 'email'), inviteCode.get()]
  const now = clock.now()
  const invitation = id === undefined || email === undefined ? undefined : { id, email, now }
  if (invitation && (await withAuthConnection(db, (on) => hasInvitation(on, invitation)))) return
  if (code === undefined || !(await withAuthConnection(db, (on) => isUsable(on, code, now)))) throw notInvited()
  needsCode.set(true)
}

const daySeconds = 24 * 60 * 60

/** Counts a sign-up of a network, successful or not: the count does not reveal which addresses have accounts. */
const countSignUp = async ({ db, settings }: AuthDeps, ctx: Context): Promise<void> => {
  const network = toClientNetwork(ctx.headers?.get(clientAddressHeader) ?? '')
  const { count, secondsLeft } = await withAuthConnection(db, (on) => countCall(on, `sign-up|${network}`, daySeconds))
  if (count <= settings.signIn.dailySignUps) return
  const message = 'Too many accounts were created from your network today. Try again later.'
  const retryAfter = { 'x-retry-after': String(Math.max(1, secondsLeft)) }
  throw new APIError('TOO_MANY_REQUESTS', { code: 'TOO_MANY_REQUESTS', message }, retryAfter)
}

/** Before a sign-up with a password. An impossible code counts as none; where sign-up is open, it keeps no one out (D-19). */
export const checkSignUp: Hook = async (deps, ctx) => {
  const code = readText(ctx.body, 'inviteCode')
  if (isInviteCode(code)) inviteCode.set(code)
  await checkAllowed(deps, ctx)
  await countSignUp(deps, ctx)
}

/** Completes a sign-up in its transaction: makes an organization of the code's tier and notifies the administrators. */
export const completeSignUp = async (
  { clock }: Pick<AuthDeps, 'clock'>,
  db: Queryable,
  user: { id: string; name: string; email: string },
): Promise<void> => {
  const now = clock.now()
  const code = inviteCode.get()
  const tier = code === undefined ? undefined : await countUse(db, code, now)
  if (tier === undefined && needsCode.get()) throw notInvited()
  await createPersonalOrganization(db, user, tier)
  const counted = tier === undefined ? undefined : code
  await addSignUp(db, { email: user.email, userId: user.id, inviteCode: counted }, now)
}
