import type { BetterAuthOptions } from 'better-auth'
import { APIError } from 'better-auth/api'
import { findSessionFacts, findUser, markProven } from './account-queries.ts'
import { defineCallValue, inAuthTransaction, rememberFailure, withAuthConnection } from './auth-work.ts'
import { completeLink, openIdProviderId, readCarriedCode } from './identities.ts'
import { completeSignUp, inviteCode } from './signing-up.ts'
import { requireCode } from './two-factor.ts'
import type { AuthDeps } from './types.ts'

// Hooks that run when Better Auth writes rows.

/** True if the current call creates an account, and not only a new sign-in method for one. */
const signingUp = defineCallValue<boolean>()

/** Sign-ins with a password or a device, which need a confirmed address. */
const needsConfirmed = ['/sign-in/email', '/passkey/verify-authentication']

type Account = { userId: string; providerId: string }

/** The user row is written and sign-up's transaction is still open: no account is ever without an organization. */
const completeNewAccount = async (deps: AuthDeps, { userId, providerId }: Account): Promise<void> => {
  const isIdentity = providerId === openIdProviderId
  if (isIdentity) {
    const code = await readCarriedCode()
    if (code !== undefined) inviteCode.set(code)
  }
  await withAuthConnection(deps.db, async (db) => {
    // The provider vouches for the mailbox, and no one else can have created the account.
    if (isIdentity) await markProven(db, userId, deps.clock.now())
    const user = await findUser(db, userId)
    if (user) await completeSignUp(deps, db, { id: userId, ...user })
  })
}

const completeAccount = async (deps: AuthDeps, account: Account): Promise<void> => {
  if (signingUp.get()) return completeNewAccount(deps, account)
  const { openIdProvider } = deps.settings.signIn
  if (account.providerId !== openIdProviderId || openIdProvider === undefined) return
  // In its own transaction before the link: if linking fails, the account stays proven and is linked the next time.
  await rememberFailure(() =>
    deps.db
      .transaction()
      .execute((tx) => inAuthTransaction(tx, () => completeLink(deps, openIdProvider, account.userId))),
  )
}

/** This service does not use the provider's tokens, so it does not store them. */
const withoutTokens = { accessToken: null, refreshToken: null, idToken: null }

export const databaseHooks = (deps: AuthDeps) =>
  ({
    user: {
      create: {
        before: async () => {
          signingUp.set(true)
        },
      },
    },
    account: {
      create: {
        before: async (account) => {
          await completeAccount(deps, account)
          return { data: withoutTokens }
        },
      },
    },
    session: {
      create: {
        // Better Auth's own `requireEmailVerification` would keep the session from sign-up, too (AUT-11).
        before: async (session, context) => {
          const facts = await withAuthConnection(deps.db, (db) => findSessionFacts(db, session.userId))
          if (needsConfirmed.includes(context?.path ?? '') && facts?.emailVerified !== true)
            throw new APIError('FORBIDDEN', {
              code: 'EMAIL_NOT_VERIFIED',
              message: 'Confirm your address first: open the link in the mail that was sent when you signed up.',
            })
          if (context?.path === '/callback/:id' && facts?.hasTwoFactor) requireCode(session.userId)
          return { data: { activeOrganizationId: facts?.organizationId ?? null } }
        },
      },
    },
  }) satisfies BetterAuthOptions['databaseHooks']
