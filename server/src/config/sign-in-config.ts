import type { Values } from './config.ts'

/** The provider of OpenID Connect that the operator names. */
export type OpenIdProvider = {
  issuer: string
  clientId: string
  clientSecret: string | undefined
  clientAuth: 'basic' | 'post'
  /** What people know it by. */
  name: string
  scopes: readonly string[]
  /** The only domains of addresses that it may let in; all where there is none. */
  domains: readonly string[]
  /** Whether it lets in people who have no account yet. */
  signsUp: boolean
  /** Whether its addresses count as verified though it does not say so. */
  trustsEmail: boolean
}

/** How people sign in. */
export type SignInConfig = { password: boolean; openIdProvider: OpenIdProvider | undefined }

/** Reads what the settings say of signing in. `refuse` makes the failure of settings that do not go together. */
export const readSignIn = (values: Values, refuse: (reason: string) => Error): SignInConfig => {
  const { NOEMA_OIDC_ISSUER: issuer, NOEMA_OIDC_CLIENT_ID: clientId, NOEMA_PASSWORD_SIGN_IN: password } = values
  if (issuer === undefined && clientId === undefined) {
    if (!password) throw refuse('NOEMA_PASSWORD_SIGN_IN is false without NOEMA_OIDC_ISSUER: nobody could sign in.')
    return { password, openIdProvider: undefined }
  }
  if (issuer === undefined) throw refuse('NOEMA_OIDC_CLIENT_ID is set without NOEMA_OIDC_ISSUER.')
  if (clientId === undefined) throw refuse('NOEMA_OIDC_ISSUER is set without NOEMA_OIDC_CLIENT_ID.')
  const openIdProvider = {
    ...{ issuer, clientId, clientSecret: values.NOEMA_OIDC_CLIENT_SECRET, clientAuth: values.NOEMA_OIDC_CLIENT_AUTH },
    ...{ name: values.NOEMA_OIDC_NAME, scopes: values.NOEMA_OIDC_SCOPES, domains: values.NOEMA_OIDC_DOMAINS },
    ...{ signsUp: values.NOEMA_OIDC_SIGN_UP, trustsEmail: values.NOEMA_OIDC_TRUST_EMAIL },
  }
  return { password, openIdProvider }
}
