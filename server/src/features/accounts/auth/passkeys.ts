import { passkey } from '@better-auth/passkey'
import { isObject } from '@noema/contracts/json.ts'
import { getSessionFromCtx, isAPIError } from 'better-auth/api'
import { lockUser } from './account-queries.ts'
import { withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'
import { type Hook, refused } from './call-checks.ts'
import { countPasskeys, deleteExpiredVerifications } from './identity-queries.ts'
import { auditAccount } from './member-audit.ts'
import { postLetter } from './post-letter.ts'
import { passkeyEmail } from './sign-in-letters.ts'
import { guardConfirmed } from './two-factor.ts'

// Passkeys. Each is used with what its device asks for (a finger, a face, a PIN), so it is two factors in one and asks for no code.

/** More than anybody has devices. */
const maxPasskeys = 20

/** Where passkeys are good: on the pages where people sign in. An address of the machine itself goes by its name, as browsers ask for one. */
const toPlace = (appUrl: string) => {
  const origin = new URL(appUrl)
  if (origin.hostname === '127.0.0.1') origin.hostname = 'localhost'
  return { rpID: origin.hostname, origin: origin.origin }
}

/** The name that a browser binds passkeys to; a page elsewhere cannot use them. */
export const toPasskeyDomain = (appUrl: string): string => toPlace(appUrl).rpID

const checkVerified = (isVerified: boolean | undefined): void => {
  if (isVerified !== true)
    throw refused('USER_NOT_VERIFIED', 'A passkey is used with a PIN, a finger or a face. This one asked for none.')
}

export const passkeyPlugin = ({ settings }: AuthDeps) =>
  passkey({
    ...toPlace(settings.appUrl),
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

/** Refuses one passkey more than an account may have. Accounts are counted by one call at a time. */
const guardAdding: Hook = async (deps, ctx) => {
  await guardConfirmed(deps, ctx)
  const session = await getSessionFromCtx(ctx)
  if (!session) return
  const count = await withAuthConnection(deps.db, async (db) => {
    await lockUser(db, session.user.id)
    return countPasskeys(db, session.user.id)
  })
  if (count >= maxPasskeys)
    throw refused('TOO_MANY_PASSKEYS', `An account has at most ${maxPasskeys} passkeys. Remove one first.`, 'FORBIDDEN')
}

/** Whoever asks for a challenge and does not come back leaves a row behind. */
const clearChallenges: Hook = async (deps) => {
  await withAuthConnection(deps.db, deleteExpiredVerifications)
}

/** Better Auth asks browsers for less than is wanted here. */
const askToVerify: Hook = async (_deps, ctx) => {
  const { returned } = ctx.context
  return isObject(returned) && !isAPIError(returned)
    ? ctx.json({ ...returned, userVerification: 'required' })
    : undefined
}

const tell =
  (isAdded: boolean): Hook =>
  async (deps, ctx) => {
    const session = await getSessionFromCtx(ctx)
    if (!session || isAPIError(ctx.context.returned)) return
    const { id, email } = session.user
    await auditAccount(deps, { action: isAdded ? 'account.passkey_added' : 'account.passkey_removed', userId: id })
    await postLetter(deps, passkeyEmail(email, { isAdded, app: deps.settings.appUrl }))
  }

export const passkeyHooks: Readonly<Record<'before' | 'after', Readonly<Record<string, Hook>>>> = {
  before: {
    '/passkey/generate-register-options': guardAdding,
    '/passkey/verify-registration': guardAdding,
    '/passkey/generate-authenticate-options': clearChallenges,
  },
  after: {
    '/passkey/generate-authenticate-options': askToVerify,
    '/passkey/verify-registration': tell(true),
    '/passkey/delete-passkey': tell(false),
  },
}
