import type { BetterAuthOptions } from 'better-auth'
import { isAPIError } from 'better-auth/api'
import { betterAuth } from 'better-auth/minimal'
import type { OpenIdProvider } from '../../../config/sign-in.ts'
import type { Log } from '../../../shared/log.ts'
import { toBasePath } from '../../../shared/network/base-path.ts'
import { countCall, deleteEndedWindows } from './account-queries.ts'
import type { AfterAnswer } from './after-answer.ts'
import { appPlugins } from './app-provider.ts'
import { openAuthDatabase } from './auth-database.ts'
import { clientAddressHeader, rememberFailure } from './auth-work.ts'
import { callHooks } from './call-hooks.ts'
import { completeConfirmation, completeReset } from './confirming.ts'
import { databaseHooks } from './database-hooks.ts'
import { passwordEmail, verificationEmail } from './email-templates.ts'
import { openIdPlugin } from './identities.ts'
import { discover } from './openid-provider.ts'
import { organizationPlugin } from './organization-plugin.ts'
import { passkeyPlugin } from './passkeys.ts'
import { sendEmail } from './send-email.ts'
import { signInMethodsPlugin } from './sign-in-methods.ts'
import { signInUnlockPlugin } from './sign-in-unlock.ts'
import { guessingPlugin, twoFactorPlugin } from './two-factor.ts'
import type { AuthDeps, AuthSettings } from './types.ts'

// The configuration of Better Auth. Importing it costs a third of a second and 20 MB, so `auth.ts` does it on first use.

const day = 24 * 60 * 60

/** Adding a passkey needs a session no older than this, so that a page left open gives no lasting access. */
const freshSeconds = 15 * 60

export const openBetterAuth = async (deps: AuthDeps, afterAnswer: AfterAnswer) => {
  const options = authOptions(deps, afterAnswer)
  const database = await openAuthDatabase(deps, options)
  return betterAuth({ ...options, database: () => database })
}

/** The same with the OpenID provider, after its discovery. */
export const openWithProvider = async (deps: AuthDeps, provider: OpenIdProvider, afterAnswer: AfterAnswer) => {
  const discovered = await discover(provider)
  const options = authOptions(deps, afterAnswer)
  const plugins = [...options.plugins, openIdPlugin(deps, provider, discovered)]
  const database = await openAuthDatabase(deps, options)
  const opened = betterAuth({ ...options, plugins, database: () => database })
  const { socialProviders } = await opened.$context
  if (socialProviders.some(({ issuer }) => issuer === provider.issuer)) return opened
  throw new Error('the provider’s discovery changed while it was read')
}

const openPlugins = (deps: AuthDeps, afterAnswer: AfterAnswer) => [
  organizationPlugin(deps),
  twoFactorPlugin(),
  passkeyPlugin(deps),
  guessingPlugin(deps),
  signInMethodsPlugin(deps),
  signInUnlockPlugin(deps, afterAnswer),
  ...appPlugins(deps),
]

const authOptions = (deps: AuthDeps, afterAnswer: AfterAnswer) => {
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
      onPasswordReset: ({ user }) => completeReset(deps, user),
      sendResetPassword: ({ user, url, token }) =>
        sendEmail(deps, passwordEmail(user.email, passwordLink(deps, url, token))),
    },
    emailVerification: {
      sendOnSignUp: true,
      expiresIn: day,
      beforeEmailVerification: (user) => completeConfirmation(deps, user),
      sendVerificationEmail: ({ user, url }) => sendEmail(deps, verificationEmail(user.email, appLink(deps, url))),
    },
    rateLimit: rateLimitOptions(deps),
    verification: { storeIdentifier: 'hashed' },
    hooks: callHooks(deps),
    databaseHooks: databaseHooks(deps),
    session: { freshAge: freshSeconds },
    account: {
      // `identities.ts` decides which account an identity of the provider opens.
      accountLinking: { enabled: true, requireLocalEmailVerified: false },
      updateAccountOnSignIn: false,
      storeStateStrategy: 'cookie',
    },
    plugins: openPlugins(deps, afterAnswer),
    advanced: {
      cookiePrefix: 'noema',
      useSecureCookies: settings.publicUrl.startsWith('https:'),
      defaultCookieAttributes: cookieAttributes(settings),
      // Explicit, because Better Auth skips these checks when NODE_ENV is test.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
      // The migrations own the tables, and a test compares them with what this version expects.
      database: { validateSchema: false },
    },
  } satisfies BetterAuthOptions
}

/**
 * Cookies are sent to the path of the service only, not to other services on its host. Browsers may treat an app on another host as
 * another site and then need SameSite=None. Either way, every request with a cookie must come from a trusted origin.
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
    customRules: {
      '/get-session': false,
      // A hosted app sends the refreshes of all its people from a few addresses.
      '/oauth2/token': { window: windowSeconds, max: 10 * max },
      '/**': { window: windowSeconds, max },
    },
    customStorage: {
      // One statement on a shared table, so that several nodes keep one count.
      consume: (key, rule) =>
        // Outside the call's transaction: a refused call counts too, and counting must not wait for a transaction.
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
 * Most errors of Better Auth are mistakes of callers; its real failures are thrown and logged where they are answered. Only
 * messages are logged, because details of a database error quote rows.
 */
const logTo =
  (log: Log) =>
  (level: string, message: string, ...details: unknown[]): void => {
    const reasons = details.flatMap((detail) => (detail instanceof Error ? [detail.message] : []))
    log[level === 'error' ? 'warn' : 'debug']({ source: 'better-auth', reasons }, message)
  }
