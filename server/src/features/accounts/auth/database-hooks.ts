import type { BetterAuthOptions } from 'better-auth'
import { APIError } from 'better-auth/api'
import { findSessionFacts, findUser, markProven } from './account-queries.ts'
import { defineNote, inAuthTransaction, rememberFailure, withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'
import { openIdProviderId, readCarriedCode, settleLink } from './identities.ts'
import { inviteCode, settleSignUp } from './signing-up.ts'
import { askForCode } from './two-factor.ts'

// What happens beside rows that Better Auth writes.

/** Whether the call that goes on makes an account, and not only another way into one. */
const signingUp = defineNote<boolean>()

/** Ways in that show an account's password or device: none for an address that nobody has confirmed. */
const needsConfirmed = ['/sign-in/email', '/passkey/verify-authentication']

type Account = { userId: string; providerId: string }

/** The user row is written and sign-up's transaction is still open: no account is ever without an organization. */
const settleNewAccount = async (deps: AuthDeps, { userId, providerId }: Account): Promise<void> => {
  const isIdentity = providerId === openIdProviderId
  if (isIdentity) {
    const code = await readCarriedCode()
    if (code !== undefined) inviteCode.set(code)
  }
  await withAuthConnection(deps.db, async (db) => {
    // The provider vouches for the mailbox, and nobody else can have made the account.
    if (isIdentity) await markProven(db, userId, deps.clock.now())
    const user = await findUser(db, userId)
    if (user) await settleSignUp(deps, db, { id: userId, ...user })
  })
}

const settleAccount = async (deps: AuthDeps, account: Account): Promise<void> => {
  if (signingUp.get()) return settleNewAccount(deps, account)
  const { openIdProvider } = deps.settings.signIn
  if (account.providerId !== openIdProviderId || openIdProvider === undefined) return
  // By itself, before the link: if that fails, the account is proven all the same and is linked the next time.
  await rememberFailure(() =>
    deps.db
      .transaction()
      .execute((tx) => inAuthTransaction(tx, () => settleLink(deps, openIdProvider, account.userId))),
  )
}

/** What the provider lets this service do is of no use to it, so it is not kept. */
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
          await settleAccount(deps, account)
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
          if (context?.path === '/callback/:id' && facts?.hasTwoFactor) askForCode(session.userId)
          return { data: { activeOrganizationId: facts?.organizationId ?? null } }
        },
      },
    },
  }) satisfies BetterAuthOptions['databaseHooks']
