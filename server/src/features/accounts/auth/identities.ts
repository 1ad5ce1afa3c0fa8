import { APIError, getOAuthState } from 'better-auth/api'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { z } from 'zod'
import type { OpenIdProvider } from '../../../config/sign-in.ts'
import { findUser, lockAccount } from './account-queries.ts'
import { withAuthConnection } from './auth-work.ts'
import { takeOver } from './confirming.ts'
import { findIdentity, hasIdentity } from './identity-queries.ts'
import { auditAccount } from './member-audit.ts'
import { type Discovered, discoveryUrl, exchangeCode, readClaims } from './openid-provider.ts'
import { sendEmail } from './send-email.ts'
import { useOnce } from './sign-in-attempts.ts'
import { identityLinkedEmail } from './sign-in-emails.ts'
import type { AuthDeps } from './types.ts'

// Maps people of the OpenID provider to accounts. Issuer and subject identify a person, never an address, because addresses change
// and are given to others. Only at the first sign-in does an address select the account, and only one that the provider has verified.

/** The provider's id at Better Auth, in redirect addresses and in rows of accounts. */
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

type Claims = Awaited<ReturnType<typeof readClaims>>

const toVerifiedAddress = (provider: OpenIdProvider, claims: Claims): string | undefined => {
  const email = z.email().max(254).safeParse(claims.email?.toLowerCase())
  const isVerified = provider.trustsEmail || claims.email_verified === true || claims.email_verified === 'true'
  return isVerified ? email.data : undefined
}

/**
 * The address of the account that a person of the provider signs in to: their linked account, even if the provider now has another
 * address for them, or else the address that the provider has verified. Undefined refuses them, whether or not there is such an account.
 */
const toAddress = async (deps: AuthDeps, provider: OpenIdProvider, claims: Claims): Promise<string | undefined> => {
  const vouched = toVerifiedAddress(provider, claims)
  if (provider.domains.length > 0 && (vouched === undefined || !isOfDomain(provider, vouched))) return undefined
  const linked = await withAuthConnection(deps.db, (db) => findIdentity(db, toSubject(provider, claims.sub)))
  return linked?.email ?? vouched
}

/** The provider's claims. Without usable ones the person sees an error page and the operator a line in the log. */
const tryReadClaims = async (
  deps: AuthDeps,
  ...request: Parameters<typeof readClaims>
): Promise<Claims | undefined> => {
  try {
    return await readClaims(...request)
  } catch (error) {
    deps.log.warn(
      { reason: error instanceof Error ? error.message : 'unknown' },
      'the OpenID provider sent no usable claims',
    )
    return undefined
  }
}

/** Marks the state of a sign-in as used, by the verifier in it: it is in a cookie, which a copy of the cookie could send again. */
const useState = async ({ db }: AuthDeps, codeVerifier: string | undefined): Promise<void> => {
  if (codeVerifier !== undefined && (await withAuthConnection(db, (on) => useOnce(on, 'state', codeVerifier)))) return
  throw new Error('the state of this sign-in was used before')
}

/** The provider as a plugin of Better Auth, with PKCE, a state, a nonce and verified ID tokens. */
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
        getToken: async ({ code, redirectURI, codeVerifier }) => {
          await useState(deps, codeVerifier)
          return exchangeCode(provider, discovered, { code, redirectURI, codeVerifier })
        },
        getUserInfo: async ({ idToken, accessToken }) => {
          const claims =
            idToken === undefined ? undefined : await tryReadClaims(deps, discovered, { idToken, accessToken })
          if (claims === undefined) return null
          const email = await toAddress(deps, provider, claims)
          const name = clean(claims.name ?? claims.preferred_username ?? '')
          return { sub: claims.sub, email: email ?? null, emailVerified: email !== undefined, name }
        },
      },
    ],
  })

/** The invitation code that a sign-in through the provider started with. */
export const readCarriedCode = async (): Promise<string | undefined> =>
  z
    .string()
    .optional()
    .catch(undefined)
    .parse((await getOAuthState())?.serverContext?.inviteCode)

/**
 * Prepares an account for its link to a person of the provider. An account that no one has proven is taken over, because the person
 * has the mailbox. An account that is linked to another person of the provider is refused, because an address that was given to
 * someone else must not open the account of its earlier owner.
 */
export const completeLink = async (deps: AuthDeps, provider: OpenIdProvider, userId: string): Promise<void> => {
  const { account, user, isTaken } = await withAuthConnection(deps.db, async (db) => ({
    account: await lockAccount(db, userId),
    user: await findUser(db, userId),
    isTaken: await hasIdentity(db, userId, provider.issuer),
  }))
  if (!account || !user) return
  if (isTaken)
    throw new APIError('FORBIDDEN', {
      code: 'other_identity_linked',
      message: 'The account of this address belongs to another person of the provider. Ask your administrator.',
    })
  const person = { id: userId, email: account.email }
  if (account.provenAt === null) await takeOver(deps, person)
  else await sendEmail(deps, identityLinkedEmail(account.email, { provider: provider.name, app: deps.settings.appUrl }))
  await auditAccount(deps, { action: 'account.sign_in_linked', userId })
}
