import { z } from 'zod'
import { BadSetting, commaList, httpUrl, type Settings, trueOrFalse, type ValuesOf, wholeNumber } from './setting.ts'

/** Settings of how people sign in. */
export const signInSettings = {
  NOEMA_PASSWORD_SIGN_IN: {
    schema: trueOrFalse('true'),
    about:
      'Whether people sign in with passwords, passkeys and second factors. With `false`, they sign in only through the OpenID provider.',
    example: 'true',
  },
  NOEMA_SIGN_UP: {
    schema: z.enum(['open', 'invited', 'closed'], { error: 'open, invited or closed' }).default('open'),
    about:
      'Who may create an account with a password: anyone (`open`), people with an invitation to an organization or an invitation code (`invited`), or no one (`closed`). The first account is always allowed. NOEMA_OIDC_SIGN_UP decides for accounts through the OpenID provider.',
    example: 'open',
  },
  NOEMA_DAILY_SIGN_UPS: {
    schema: wholeNumber(1, 1_000_000_000).default(50),
    about:
      'Sign-ups with a password that one IPv4 address, or one IPv6 network of 64 bits, may send in 24 hours, over all nodes.',
    example: '50',
  },
  NOEMA_APP_REGISTRATIONS: {
    schema: wholeNumber(0, 1_000_000_000).default(30),
    about:
      'Registrations of apps that one IPv4 address, or one IPv6 network of 64 bits, may send in an hour, over all nodes. With 0, apps cannot register themselves.',
    example: '30',
  },
  NOEMA_OIDC_ISSUER: {
    schema: httpUrl.optional(),
    about:
      'Issuer of the OpenID Connect provider that people sign in with, exactly as the provider writes it. The redirect address is `/api/auth/callback/oidc` of the public URL.',
    example: 'https://login.example.com/realms/company',
  },
  NOEMA_OIDC_CLIENT_ID: {
    schema: z.string().min(1).max(500).optional(),
    about: 'Client id of this service at the provider.',
    example: 'noema',
  },
  NOEMA_OIDC_CLIENT_SECRET: {
    schema: z.string().min(1).optional(),
    about: 'Client secret from the provider. A public client has none and uses PKCE alone.',
    example: 'any-secret-of-the-provider',
    secret: true,
  },
  NOEMA_OIDC_CLIENT_AUTH: {
    schema: z.enum(['basic', 'post']).default('basic'),
    about: 'How the secret is sent to the provider: in the Authorization header (`basic`) or in the body (`post`).',
    example: 'basic',
  },
  NOEMA_OIDC_NAME: {
    schema: z.string().trim().min(1).max(60).default('single sign-on'),
    about: 'Name of the provider for people: the button reads “Continue with …”.',
    example: 'Example Company',
  },
  NOEMA_OIDC_SCOPES: {
    schema: commaList
      .pipe(z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'names of scopes')).min(1))
      .default(['openid', 'email', 'profile']),
    about: 'Scopes to request from the provider, separated by commas: at least `openid` and `email`.',
    example: 'openid,email,profile',
  },
  NOEMA_OIDC_DOMAINS: {
    schema: commaList.pipe(z.array(z.hostname('names of domains').transform((name) => name.toLowerCase()))).default([]),
    about:
      'Email domains of the people who may sign in through the provider, separated by commas. When unset, all domains.',
    example: 'example.com,example.org',
  },
  NOEMA_OIDC_SIGN_UP: {
    schema: trueOrFalse('true'),
    about: 'Whether a first sign-in through the provider creates an account.',
    example: 'true',
  },
  NOEMA_OIDC_TRUST_EMAIL: {
    schema: trueOrFalse('false'),
    about:
      'Whether addresses count as verified even if the provider does not say so. Use it only if administrators of the provider choose every address; otherwise people could take over accounts of others.',
    example: 'false',
  },
} as const satisfies Settings

/** The operator's OpenID Connect provider. */
export type OpenIdProvider = {
  issuer: string
  clientId: string
  clientSecret: string | undefined
  clientAuth: 'basic' | 'post'
  /** Its name for people. */
  name: string
  scopes: readonly string[]
  /** The only email domains that may sign in; empty means all. */
  domains: readonly string[]
  /** True if a first sign-in creates an account. */
  signsUp: boolean
  /** True if its addresses count as verified even if it does not say so. */
  trustsEmail: boolean
}

/** The ways to sign in. */
export type SignInConfig = {
  password: boolean
  /** Controls who may create an account with a password, and how many sign-ups one network may send a day. */
  signUp: 'open' | 'invited' | 'closed'
  dailySignUps: number
  /** Registrations of apps that a network may send in an hour. */
  appRegistrations: number
  openIdProvider: OpenIdProvider | undefined
}

export const readSignIn = (values: ValuesOf<typeof signInSettings>): SignInConfig => {
  const { NOEMA_OIDC_ISSUER: issuer, NOEMA_OIDC_CLIENT_ID: clientId, NOEMA_PASSWORD_SIGN_IN: password } = values
  const signUps = {
    signUp: values.NOEMA_SIGN_UP,
    dailySignUps: values.NOEMA_DAILY_SIGN_UPS,
    appRegistrations: values.NOEMA_APP_REGISTRATIONS,
  }
  if (issuer === undefined && clientId === undefined) {
    if (!password)
      throw new BadSetting('NOEMA_PASSWORD_SIGN_IN is false without NOEMA_OIDC_ISSUER: no one could sign in.')
    return { password, ...signUps, openIdProvider: undefined }
  }
  if (issuer === undefined) throw new BadSetting('NOEMA_OIDC_CLIENT_ID is set without NOEMA_OIDC_ISSUER.')
  if (clientId === undefined) throw new BadSetting('NOEMA_OIDC_ISSUER is set without NOEMA_OIDC_CLIENT_ID.')
  const openIdProvider = {
    ...{ issuer, clientId, clientSecret: values.NOEMA_OIDC_CLIENT_SECRET, clientAuth: values.NOEMA_OIDC_CLIENT_AUTH },
    ...{ name: values.NOEMA_OIDC_NAME, scopes: values.NOEMA_OIDC_SCOPES, domains: values.NOEMA_OIDC_DOMAINS },
    ...{ signsUp: values.NOEMA_OIDC_SIGN_UP, trustsEmail: values.NOEMA_OIDC_TRUST_EMAIL },
  }
  return { password, ...signUps, openIdProvider }
}
