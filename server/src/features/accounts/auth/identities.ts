import { APIError, getOAuthState } from 'better-auth/api'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { z } from 'zod'
import type { OpenIdProvider } from '../../../config/sign-in.ts'
import { findUser, lockAccount } from './account-queries.ts'
import { withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'
import { takeOver } from './confirming.ts'
import { findIdentity, hasIdentity } from './identity-queries.ts'
import { auditAccount } from './member-audit.ts'
import { type Discovered, discoveryUrl, exchangeCode, readClaims } from './openid-provider.ts'
import { postLetter } from './post-letter.ts'
import { identityLinkedEmail } from './sign-in-letters.ts'

// People of the OpenID provider, and whose account each of them is. A person is the issuer and the subject there, never an
// address: addresses change and are given to others. Only the first time an address says which account is theirs, and only
// one that the provider vouches for.

/** What Better Auth calls the provider, in the address that it redirects to and in rows of accounts. */
export const openIdProviderId = 'oidc'

/** A person of the provider: an issuer has no spaces. */
const toSubject = ({ issuer }: OpenIdProvider, sub: string): string => `${issuer} ${sub}`

const clean = (name: string): string =>
  name
    .toWellFormed()
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, 200)

const isOfDomain = ({ domains }: OpenIdProvider, email: string): boolean =>
  domains.length === 0 || domains.includes(email.slice(email.lastIndexOf('@') + 1))

type Told = Awaited<ReturnType<typeof readClaims>>

const toVerifiedAddress = (provider: OpenIdProvider, told: Told): string | undefined => {
  const email = z.email().max(254).safeParse(told.email?.toLowerCase())
  const isVerified = provider.trustsEmail || told.email_verified === true || told.email_verified === 'true'
  return isVerified ? email.data : undefined
}

/**
 * The account's address that a person of the provider comes in by: of the account that is theirs, whatever the provider calls them
 * now, or the one that the provider vouches for. Undefined keeps them out, whether or not there is such an account.
 */
const toAddress = async (deps: AuthDeps, provider: OpenIdProvider, told: Told): Promise<string | undefined> => {
  const vouched = toVerifiedAddress(provider, told)
  if (provider.domains.length > 0 && (vouched === undefined || !isOfDomain(provider, vouched))) return undefined
  const known = await withAuthConnection(deps.db, (db) => findIdentity(db, toSubject(provider, told.sub)))
  return known?.email ?? vouched
}

/** What the provider tells, or nothing: whoever comes back is told on a page, and the operator in the log. */
const readTold = async (deps: AuthDeps, ...asked: Parameters<typeof readClaims>): Promise<Told | undefined> => {
  try {
    return await readClaims(...asked)
  } catch (error) {
    deps.log.warn(
      { reason: error instanceof Error ? error.message : 'unknown' },
      'the OpenID provider told nothing of use',
    )
    return undefined
  }
}

/** The provider, as Better Auth's plugin wants it: with PKCE, a state, a nonce and verified ID tokens. */
export const openIdPlugin = (deps: AuthDeps, provider: OpenIdProvider, discovered: Discovered) =>
  genericOAuth({
    config: [
      {
        providerId: openIdProviderId,
        name: provider.name,
        discoveryUrl: discoveryUrl(provider),
        requireIdTokenVerification: true,
        clientId: provider.clientId,
        ...(provider.clientSecret === undefined ? {} : { clientSecret: provider.clientSecret }),
        scopes: [...provider.scopes],
        disableSignUp: !provider.signsUp,
        accountSubject: ({ profile }) => toSubject(provider, String(profile.sub ?? '')),
        getToken: ({ code, redirectURI, codeVerifier }) =>
          exchangeCode(provider, discovered, { code, redirectURI, codeVerifier }),
        getUserInfo: async ({ idToken, accessToken }) => {
          const told = idToken === undefined ? undefined : await readTold(deps, discovered, { idToken, accessToken })
          if (told === undefined) return null
          const email = await toAddress(deps, provider, told)
          const name = clean(told.name ?? told.preferred_username ?? '')
          return { sub: told.sub, email: email ?? null, emailVerified: email !== undefined, name }
        },
      },
    ],
  })

/** The invitation code that a way over the provider was begun with. */
export const readCarriedCode = async (): Promise<string | undefined> =>
  z
    .string()
    .optional()
    .catch(undefined)
    .parse((await getOAuthState())?.serverContext?.inviteCode)

/**
 * What becomes of an account that a person of the provider is about to be linked to. One that nobody had proven is taken over from
 * whoever made it: whoever the provider vouches for has the mailbox. One that another person of the provider has is not linked:
 * an address that was given to somebody else does not open the account of whoever had it before.
 */
export const settleLink = async (deps: AuthDeps, provider: OpenIdProvider, userId: string): Promise<void> => {
  const { account, user, isTaken } = await withAuthConnection(deps.db, async (db) => ({
    account: await lockAccount(db, userId),
    user: await findUser(db, userId),
    isTaken: await hasIdentity(db, userId, provider.issuer),
  }))
  if (!account || !user) return
  if (isTaken)
    throw new APIError('FORBIDDEN', {
      code: 'other_identity_linked',
      message: 'The account of this address belongs to somebody else of the provider. Ask your administrator.',
    })
  const person = { id: userId, email: account.email }
  if (account.provenAt === null) await takeOver(deps, person)
  else
    await postLetter(deps, identityLinkedEmail(account.email, { provider: provider.name, app: deps.settings.appUrl }))
  await auditAccount(deps, { action: 'account.sign_in_linked', userId })
}
