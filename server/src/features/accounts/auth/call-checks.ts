import { isObject } from '@noema/contracts/json.ts'
import { APIError } from 'better-auth/api'
import { isGuessable } from './guessable-passwords.ts'

// What calls to Better Auth may send, where its own schemas say less: lengths (D-08), and roles, which it trims when it
// reads them and not when it refuses them.

type Body = Record<string, unknown>
type Limits = Readonly<Record<string, number>>

const maxName = 200
const maxAddress = 254
const maxSlug = 128
const maxLink = 2_048
const maxMetadata = 4_096

const address: Limits = { email: maxAddress, callbackURL: maxLink, redirectTo: maxLink }
const person: Limits = { name: maxName, image: maxLink }
const organization: Limits = { name: maxName, slug: maxSlug, logo: maxLink }

/** How long the texts of a call may be, by its path. */
const textLimits: Readonly<Record<string, Limits>> = {
  '/sign-up/email': { ...address, ...person },
  '/sign-in/email': address,
  '/send-verification-email': address,
  '/request-password-reset': address,
  '/update-user': person,
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

const passwordPaths = ['/sign-up/email', '/change-password', '/reset-password']

const checkPassword = ({ password, newPassword, email, name }: Body): void => {
  const chosen = newPassword ?? password
  const names = [email, name].filter((one) => typeof one === 'string')
  if (typeof chosen === 'string' && isGuessable(chosen, names))
    throw refused('PASSWORD_TOO_COMMON', 'This password is among the first that are guessed. Choose another.')
}

export const roles = ['owner', 'admin', 'member']

const checkRole = ({ role }: Body): void => {
  const one = Array.isArray(role) && role.length === 1 ? role[0] : role
  if (typeof one !== 'string' || !roles.includes(one))
    throw refused('INVALID_ROLE', 'A member has exactly one role: owner, admin or member.')
}

const rolePaths = ['/organization/invite-member', '/organization/update-member-role']

/** Refuses what a call must not send. Everything else about its body is checked by Better Auth. */
export const checkCall = (path: string, sent: unknown): void => {
  if (!isObject(sent)) return
  const body = path === '/organization/update' && isObject(sent.data) ? sent.data : sent
  const limits = textLimits[path]
  if (limits) checkTexts(body, limits)
  if (path.startsWith('/organization/')) checkMetadata(body)
  if (rolePaths.includes(path)) checkRole(body)
  if (passwordPaths.includes(path)) checkPassword(body)
}
