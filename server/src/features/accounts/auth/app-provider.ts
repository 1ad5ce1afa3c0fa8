import { oauthProvider } from '@better-auth/oauth-provider'
import { appCapabilities } from '@noema/contracts/apps.ts'
import { consentPage } from '../apps/resources.ts'
import { hashToken, newToken } from '../keys/token.ts'
import { offlineScope } from './app-calls.ts'
import { appRequestPlugin, findGrant, readChoice, requireSession, requireSignIn } from './app-consent.ts'
import { documentDiscovery } from './app-documents.ts'
import type { Hook } from './call-checks.ts'
import type { AuthDeps } from './types.ts'

// The authorization server of apps: OAuth 2.1 as the Model Context Protocol asks for it, by Better Auth's OAuth provider. It issues
// opaque tokens, which every request looks up, so that a grant ends with the next request.

/** An access token is short-lived in case it leaks; a grant ends without it. */
const accessTokenSeconds = 3_600

/** Each refresh makes a new refresh token. An app that stays away for longer needs a new consent. */
const refreshTokenSeconds = 30 * 86_400

/** As `access` looks tokens up. */
const toHash = (token: string): string => hashToken(token).toString('hex')

export const appPlugins = (deps: AuthDeps) => {
  const page = deps.settings.appUrl + consentPage
  // Its own type does not fit exact optional properties; only the id of a plugin is required.
  const provider: { id: 'oauth-provider' } = oauthProvider({
    ...{ loginPage: page, consentPage: page },
    scopes: [...appCapabilities, offlineScope],
    grantTypes: ['authorization_code', 'refresh_token'],
    disableJwtPlugin: true,
    ...{ allowDynamicClientRegistration: true, allowUnauthenticatedClientRegistration: true },
    // An app is let in to the MCP server that the person chose, not to one that it registered.
    enforcePerClientResources: false,
    ...{ accessTokenExpiresIn: accessTokenSeconds, refreshTokenExpiresIn: refreshTokenSeconds },
    // A refresh token that is used twice was stolen: the whole family ends.
    refreshTokenReuseInterval: 0,
    storeTokens: { hash: async (token) => toHash(token) },
    generateOpaqueAccessToken: async () => newToken('nat'),
    postLogin: { page, shouldRedirect: () => false, consentReferenceId: (person) => findGrant(deps, person) },
    extensions: [{ clientDiscovery: documentDiscovery(deps) }],
  })
  return [provider, appRequestPlugin(deps)]
}

export const appHooks: Readonly<Record<string, Hook>> = {
  '/oauth2/authorize': requireSignIn,
  '/oauth2/consent': readChoice,
  '/oauth2/request': requireSession,
}
