import { isObject } from '@noema/contracts/json.ts'
import { APIError, type createAuthMiddleware } from 'better-auth/api'
import { isGuessable } from './guessable-passwords.ts'
import type { AuthDeps } from './types.ts'

// Checks of calls to Better Auth beyond its own schemas: lengths (D-08), and roles, which Better Auth trims when it stores them
// but not when it checks them.

/** A call to Better Auth, as hooks see it. */
export type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]
export type Hook = (deps: AuthDeps, ctx: Context) => Promise<unknown>

export const readText = (sent: unknown, field: string): string | undefined => {
  const value = isObject(sent) ? sent[field] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

type Body = Record<string, unknown>
type Limits = Readonly<Record<string, number>>

const maxName = 200
const maxAddress = 254
const maxSlug = 128
const maxLink = 2_048
const maxMetadata = 4_096
const maxCode = 64

const address: Limits = { email: maxAddress, callbackURL: maxLink, redirectTo: maxLink }
const person: Limits = { name: maxName, image: maxLink }
const organization: Limits = { name: maxName, slug: maxSlug, logo: maxLink }

/** Maximum lengths of the texts in a call, by its path. */
const textLimits: Readonly<Record<string, Limits>> = {
  '/sign-up/email': { ...address, ...person },
  '/sign-in/email': address,
  '/send-verification-email': address,
  '/request-password-reset': address,
  '/request-sign-in-unlock': address,
  '/update-user': person,
  '/sign-in/social': { ...address, errorCallbackURL: maxLink, newUserCallbackURL: maxLink },
  '/two-factor/enable': { issuer: maxName },
  '/two-factor/verify-totp': { code: maxCode },
  '/two-factor/verify-backup-code': { code: maxCode },
  '/passkey/verify-registration': { name: maxName },
  '/passkey/update-passkey': { name: maxName },
  '/organization/create': organization,
  '/organization/update': organization,
  '/organization/check-slug': organization,
  '/organization/invite-member': address,
}

export const refused = (code: string, message: string, status: 'BAD_REQUEST' | 'FORBIDDEN' = 'BAD_REQUEST') =>
  new APIError(status, { code, message })

const checkTexts = (body: Body, limits: Limits): void => {
  for (const [field, max] of Object.entries(limits)) {
    const value = body[field]
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') throw refused('INVALID_TEXT', `${field} must be text.`)
    if (value.length > max) throw refused('TOO_LONG', `${field} has at most ${max} characters.`)
  }
}

const checkMetadata = ({ metadata }: Body): void => {
  if (metadata !== undefined && JSON.stringify(metadata).length > maxMetadata)
    throw refused('TOO_LONG', `metadata has at most ${maxMetadata} characters as JSON.`)
}

const choosingPaths = ['/sign-up/email', '/change-password', '/reset-password']

const checkPassword = ({ password, newPassword, email, name }: Body): void => {
  const chosen = newPassword ?? password
  const names = [email, name].filter((one) => typeof one === 'string')
  if (typeof chosen === 'string' && isGuessable(chosen, names))
    throw refused('PASSWORD_TOO_COMMON', 'This password is too easy to guess. Choose another.')
}

export const roles = ['owner', 'admin', 'member']

const checkRole = ({ role }: Body): void => {
  const one = Array.isArray(role) && role.length === 1 ? role[0] : role
  if (typeof one !== 'string' || !roles.includes(one))
    throw refused('INVALID_ROLE', 'A member has exactly one role: owner, admin or member.')
}

const rolePaths = ['/organization/invite-member', '/organization/update-member-role']

/** Fields of Better Auth that this service does not offer, such as an ID token instead of the redirect, or trusted devices. */
const notTaken: Readonly<Record<string, readonly string[]>> = {
  '/sign-in/social': ['idToken', 'scopes', 'loginHint', 'requestSignUp', 'additionalParams', 'additionalData'],
  '/two-factor/verify-totp': ['trustDevice'],
  '/two-factor/verify-backup-code': ['trustDevice', 'disableSession'],
  '/passkey/verify-registration': ['createSession'],
}

const checkTaken = (body: Body, names: readonly string[]): void => {
  const sent = names.find((name) => body[name] !== undefined)
  if (sent !== undefined) throw refused('NOT_TAKEN', `${sent} is not taken here. Leave it out.`)
}

/** Paths of Better Auth and its plugins that this service does not offer. */
const closedPaths = [
  '/verify-password',
  '/delete-user',
  '/delete-user/callback',
  '/link-social',
  '/unlink-account',
  '/refresh-token',
  '/get-access-token',
  '/account-info',
  '/two-factor/send-otp',
  '/two-factor/verify-otp',
  '/two-factor/get-totp-uri',
]

/** The open paths of the OAuth provider. It has many more, such as an administration of its own. */
const openAppPaths = ['authorize', 'request', 'consent', 'token', 'register', 'revoke'].map((name) => `/oauth2/${name}`)

const isClosed = (path: string): boolean =>
  closedPaths.includes(path) || (/^\/(oauth2|admin|\.well-known)\//.test(path) && !openAppPaths.includes(path))

const passwordPaths =
  /^\/(sign-up\/email|sign-in\/email|request-sign-in-unlock|unlock-sign-in|request-password-reset|reset-password|reset-password\/:token|change-password|two-factor\/.*|passkey\/.*)$/

/** Refuses paths that are not offered at all, or not with these settings. */
export const checkPath = ({ password }: { password: boolean }, path: string): void => {
  if (isClosed(path))
    throw new APIError('NOT_FOUND', { code: 'NOT_FOUND', message: 'There is no such path under /api/auth.' })
  if (!password && passwordPaths.test(path))
    throw refused('PASSWORD_SIGN_IN_OFF', 'People sign in here by the OpenID provider alone.', 'FORBIDDEN')
}

/** Refuses fields that a call must not have. Better Auth checks everything else in its body. */
export const checkCall = (path: string, sent: unknown): void => {
  if (!isObject(sent)) return
  const body = path === '/organization/update' && isObject(sent.data) ? sent.data : sent
  const limits = textLimits[path]
  if (limits) checkTexts(body, limits)
  checkTaken(body, notTaken[path] ?? [])
  if (path.startsWith('/organization/')) checkMetadata(body)
  if (rolePaths.includes(path)) checkRole(body)
  if (choosingPaths.includes(path)) checkPassword(body)
}
