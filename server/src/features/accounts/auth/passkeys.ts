import { passkey } from '@better-auth/passkey'
import { isObject } from '@noema/contracts/json.ts'
import { getSessionFromCtx, isAPIError } from 'better-auth/api'
import { lockUser } from './account-queries.ts'
import { withAuthConnection } from './auth-work.ts'
import { type Hook, refused } from './call-checks.ts'
import { countPasskeys, deleteExpiredVerifications } from './identity-queries.ts'
import { auditAccount } from './member-audit.ts'
import { sendEmail } from './send-email.ts'
import { passkeyEmail } from './sign-in-emails.ts'
import { requireConfirmed } from './two-factor.ts'
import type { AuthDeps } from './types.ts'

// Passkeys. Their devices ask for a finger, a face or a PIN, so a passkey is two factors in one and needs no code.

/** More than anyone has devices. */
const maxPasskeys = 20

/** Passkeys work on the pages where people sign in. Browsers require a name, so 127.0.0.1 becomes localhost. */
const toRelyingParty = (appUrl: string) => {
  const origin = new URL(appUrl)
  if (origin.hostname === '127.0.0.1') origin.hostname = 'localhost'
  return { rpID: origin.hostname, origin: origin.origin }
}

/** The domain that a browser binds passkeys to; other pages cannot use them. */
export const toPasskeyDomain = (appUrl: string): string => toRelyingParty(appUrl).rpID

const checkVerified = (isVerified: boolean | undefined): void => {
  if (isVerified !== true)
    throw refused('USER_NOT_VERIFIED', 'A passkey is used with a PIN, a finger or a face. This one asked for none.')
}

export const passkeyPlugin = ({ settings }: AuthDeps) =>
  passkey({
    ...toRelyingParty(settings.appUrl),
    rpName: 'Noema',
    advanced: { webAuthnChallengeCookie: 'passkey' },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: async ({ verification }) => checkVerified(verification.registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: async ({ verification }) => checkVerified(verification.authenticationInfo.userVerified),
    },
  })

/** Limits the passkeys of an account. A lock makes concurrent calls count one after the other. */
const checkAdding: Hook = async (deps, ctx) => {
  await requireConfirmed(deps, ctx)
  const session = await getSessionFromCtx(ctx)
  if (!session) return
  const count = await withAuthConnection(deps.db, async (db) => {
    await lockUser(db, session.user.id)
    return countPasskeys(db, session.user.id)
  })
  if (count >= maxPasskeys)
    throw refused('TOO_MANY_PASSKEYS', `An account has at most ${maxPasskeys} passkeys. Remove one first.`, 'FORBIDDEN')
}

/** Deletes the rows of challenges that were never answered. */
const clearChallenges: Hook = async (deps) => {
  await withAuthConnection(deps.db, deleteExpiredVerifications)
}

/** Better Auth only prefers user verification; here it is required. */
const askToVerify: Hook = async (_deps, ctx) => {
  const { returned } = ctx.context
  return isObject(returned) && !isAPIError(returned)
    ? ctx.json({ ...returned, userVerification: 'required' })
    : undefined
}

const notify =
  (isAdded: boolean): Hook =>
  async (deps, ctx) => {
    const session = await getSessionFromCtx(ctx)
    if (!session || isAPIError(ctx.context.returned)) return
    const { id, email } = session.user
    await auditAccount(deps, { action: isAdded ? 'account.passkey_added' : 'account.passkey_removed', userId: id })
    await sendEmail(deps, passkeyEmail(email, { isAdded, app: deps.settings.appUrl }))
  }

export const passkeyHooks: Readonly<Record<'before' | 'after', Readonly<Record<string, Hook>>>> = {
  before: {
    '/passkey/generate-register-options': checkAdding,
    '/passkey/verify-registration': checkAdding,
    '/passkey/generate-authenticate-options': clearChallenges,
  },
  after: {
    '/passkey/generate-authenticate-options': askToVerify,
    '/passkey/verify-registration': notify(true),
    '/passkey/delete-passkey': notify(false),
  },
}
