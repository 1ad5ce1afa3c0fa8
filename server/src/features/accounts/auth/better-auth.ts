import type { BetterAuthOptions } from 'better-auth'
import { isAPIError } from 'better-auth/api'
import { betterAuth } from 'better-auth/minimal'
import type { OpenIdProvider, SignInConfig } from '../../../config/sign-in-config.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import { toBasePath } from '../../../shared/network/base-path.ts'
import type { Db } from '../../../storage/database.ts'
import type { Mail } from '../../platform/mail/mail.ts'
import { countCall, deleteEndedWindows } from './account-queries.ts'
import { openAuthDatabase } from './auth-database.ts'
import { clientAddressHeader, rememberFailure } from './auth-work.ts'
import { callHooks } from './call-hooks.ts'
import { settleConfirmation, settleReset } from './confirming.ts'
import { databaseHooks } from './database-hooks.ts'
import { passwordEmail, verificationEmail } from './email-templates.ts'
import type { EndAccess } from './ended-access.ts'
import { openIdPlugin } from './identities.ts'
import { discover } from './openid-provider.ts'
import { organizationPlugin } from './organization-plugin.ts'
import { passkeyPlugin } from './passkeys.ts'
import type { Passwords } from './passwords.ts'
import { postLetter } from './post-letter.ts'
import { signInMethodsPlugin } from './sign-in-methods.ts'
import { guessingPlugin, twoFactorPlugin } from './two-factor.ts'

// How Better Auth is set up here. Importing it costs a third of a second and 20 MB, so `accounts.ts` does it on first use.

type AuthSettings = {
  secret: string
  publicUrl: string
  /** Where people sign in: this service, or the origin of an app of its own. */
  appUrl: string
  /** Every origin whose pages may call, and to which links may lead back. */
  trustedOrigins: readonly string[]
  /** How often one address may call one path of /api/auth. */
  rateLimit?: { windowSeconds: number; max: number }
  signIn: SignInConfig
  /** How many organizations an account may own, before and after its address is confirmed. */
  maxOrganizations: { unverified: number; verified: number }
  /** How many invitations an account may send a day. */
  maxDailyInvitations: number
}

export type AuthDeps = {
  db: Db
  clock: Clock
  log: Log
  mail: Mail
  passwords: Passwords
  settings: AuthSettings
  /** Ends what a person made that lets somebody in, in every area of the service. */
  endAccess: EndAccess
}

const day = 24 * 60 * 60

/** After this long a session must be begun anew before a passkey is added: who finds a page open does not stay. */
const freshSeconds = 15 * 60

export const openBetterAuth = async (deps: AuthDeps) => {
  const options = authOptions(deps)
  const database = await openAuthDatabase(deps.db, options)
  return betterAuth({ ...options, database: () => database })
}

/** The same with the OpenID provider, once that has said what it is. */
export const openWithProvider = async (deps: AuthDeps, provider: OpenIdProvider) => {
  const discovered = await discover(provider)
  const options = authOptions(deps)
  const plugins = [...options.plugins, openIdPlugin(deps, provider, discovered)]
  const database = await openAuthDatabase(deps.db, options)
  const opened = betterAuth({ ...options, plugins, database: () => database })
  const { socialProviders } = await opened.$context
  if (socialProviders.some(({ issuer }) => issuer === provider.issuer)) return opened
  throw new Error('the provider’s discovery changed while it was read')
}

const openPlugins = (deps: AuthDeps) => [
  organizationPlugin(deps),
  twoFactorPlugin(),
  passkeyPlugin(deps),
  guessingPlugin(deps),
  signInMethodsPlugin(deps),
]

const authOptions = (deps: AuthDeps) => {
  const { settings } = deps
  return {
    appName: 'Noema',
    baseURL: new URL(settings.publicUrl).origin,
    basePath: `${toBasePath(settings.publicUrl)}/api/auth`,
    secret: settings.secret,
    trustedOrigins: [...settings.trustedOrigins],
    telemetry: { enabled: false },
    logger: { log: logTo(deps.log) },
    onAPIError: {
      errorURL: `${settings.appUrl}/`,
      // Thrown out of the handler: otherwise Better Auth prints it, parameters and all.
      onError: (error) => {
        if (!isAPIError(error)) throw error
      },
    },
    emailAndPassword: {
      enabled: settings.signIn.password,
      password: deps.passwords,
      autoSignIn: true,
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: ({ user }) => settleReset(deps, user),
      sendResetPassword: ({ user, url, token }) =>
        postLetter(deps, passwordEmail(user.email, passwordLink(deps, url, token))),
    },
    emailVerification: {
      sendOnSignUp: true,
      expiresIn: day,
      beforeEmailVerification: (user) => settleConfirmation(deps, user),
      sendVerificationEmail: ({ user, url }) => postLetter(deps, verificationEmail(user.email, appLink(deps, url))),
    },
    rateLimit: rateLimitOptions(deps),
    verification: { storeIdentifier: 'hashed' },
    hooks: callHooks(deps),
    databaseHooks: databaseHooks(deps),
    session: { freshAge: freshSeconds },
    account: {
      // Whose account an identity of the provider is, `identities.ts` says.
      accountLinking: { enabled: true, requireLocalEmailVerified: false },
      updateAccountOnSignIn: false,
      storeStateStrategy: 'cookie',
    },
    plugins: openPlugins(deps),
    advanced: {
      cookiePrefix: 'noema',
      useSecureCookies: settings.publicUrl.startsWith('https:'),
      defaultCookieAttributes: cookieAttributes(settings),
      // Said out loud, because Better Auth leaves these checks out when NODE_ENV is test.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
      // The migrations own the tables, and a test compares them with what this version expects.
      database: { validateSchema: false },
    },
  } satisfies BetterAuthOptions
}

/**
 * Cookies go to the service alone, not to what else its host has. An app on another host may be another site to browsers, which
 * then send the cookie only if it says so. Every request with a cookie must come from a trusted origin, whatever the cookie says.
 */
const cookieAttributes = ({ publicUrl, appUrl }: AuthSettings) => {
  const [own, app] = [new URL(publicUrl), new URL(appUrl)]
  const path = toBasePath(publicUrl) || '/'
  if (own.hostname === app.hostname || own.protocol !== 'https:') return { path }
  return { path, sameSite: 'none', secure: true } as const
}

const rateLimitOptions = (deps: AuthDeps) => {
  const { windowSeconds, max } = deps.settings.rateLimit ?? { windowSeconds: 60, max: 100 }
  return {
    enabled: true,
    window: windowSeconds,
    max,
    // Better Auth's stricter rules for some paths give way to the one rule; reading the session is not limited.
    customRules: { '/get-session': false, '/**': { window: windowSeconds, max } },
    customStorage: {
      // One statement on a shared table, so that several nodes keep one count.
      consume: (key, rule) =>
        // By itself: a call that is refused has been made, and counting must not wait for a transaction.
        rememberFailure(async () => {
          const { count, secondsLeft } = await countCall(deps.db, key, rule.window)
          if (count === 1) await deleteEndedWindows(deps.db)
          return { allowed: count <= rule.max, retryAfter: Math.max(1, secondsLeft) }
        }),
    },
  } satisfies BetterAuthOptions['rateLimit']
}

/** Leads back to the app when the caller named no page: Better Auth's own default is the root of this service. */
const appLink = (deps: AuthDeps, url: string): string => {
  const link = new URL(url)
  if (link.searchParams.get('callbackURL') === '/') link.searchParams.set('callbackURL', `${deps.settings.appUrl}/`)
  return link.href
}

const passwordLink = (deps: AuthDeps, url: string, token: string): string =>
  new URL(url).searchParams.get('callbackURL') ? url : `${deps.settings.appUrl}/reset-password?token=${token}`

/**
 * Most of what Better Auth calls an error is a caller's mistake; its real failures are thrown, and logged where they are
 * answered. Messages only: the details of a database error quote rows.
 */
const logTo =
  (log: Log) =>
  (level: string, message: string, ...details: unknown[]): void => {
    const reasons = details.flatMap((detail) => (detail instanceof Error ? [detail.message] : []))
    log[level === 'error' ? 'warn' : 'debug']({ source: 'better-auth', reasons }, message)
  }
