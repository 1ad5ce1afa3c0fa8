import type { Access, BrainRole, Capability } from '@noema/contracts/access.ts'
import { capabilities as everyCapability, roleCapabilities, brainRole as roles } from '@noema/contracts/access.ts'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { BrainRow } from '../features/kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../features/kernel/brains/brains.ts'
import { type ApiError, forbidden, refuseAt, unauthorized } from '../shared/errors.ts'
import type { RunPrepared } from '../storage/database.ts'
import type { ManagementPrincipal, Principal, SessionPrincipal } from './principal.ts'
import { findPersonProof } from './queries.ts'

const needsCredential = (): ApiError =>
  unauthorized(
    'This call needs a key: send it as "authorization: Bearer <key>" or in the x-api-key header, or sign in under /api/auth and send the session cookie.',
  )

/** Lists a principal's capabilities on the Brain that its request reached: of a member, those of their role in it. */
export const findCapabilities = (principal: Principal): readonly Capability[] => {
  if (principal.kind === 'brain') return principal.capabilities
  if (principal.kind === 'public' || !principal.organization) return []
  if (principal.kind === 'management' && principal.app) return principal.app.capabilities
  return principal.brainRole === undefined ? everyCapability : roleCapabilities[principal.brainRole]
}

/** Checks whether a principal may read the content of the Brain that its request reached. */
export const mayRead = (principal: Principal): boolean => findCapabilities(principal).includes('read')

/** Refuses a session that names no organization of the user's to act in. */
const checkOrganization = ({ namedOrganization, organization }: SessionPrincipal): void => {
  if (organization) return
  if (namedOrganization !== undefined)
    throw forbidden('x-organization-id does not name one of your organizations; GET /v1/whoami lists them.')
  const message = 'Name the organization in the x-organization-id header; GET /v1/whoami lists yours.'
  throw refuseAt(['x-organization-id'], message)
}

const authorizeSession: (principal: Principal, isAboutAccount: boolean) => asserts principal is SessionPrincipal = (
  principal,
  isAboutAccount,
) => {
  if (principal.kind === 'management' || principal.kind === 'brain')
    throw forbidden('This call is for people: sign in and send the session cookie instead of a key.')
  if (principal.kind === 'public')
    throw unauthorized('This call needs a signed-in browser session: sign in under /api/auth and send its cookie.')
  if (!isAboutAccount) checkOrganization(principal)
}

/**
 * Refuses a handle that names no Brain of the caller's organization. A Brain of another organization gets the same answer
 * as a missing one (SUR-11).
 */
const checkBrain = (brain: BrainRow | undefined, handle: string): void => {
  if (brain === undefined || brain.handle !== handle) throw noSuchBrain(handle)
}

type Terms = Pick<Endpoint, 'access' | 'makesBrain' | 'minRole' | 'ownersReach'>

/** Refuses a member without the role that an endpoint needs in the Brain of its path. */
const checkRole = (
  { brain, brainRole, closedBrain }: ManagementPrincipal | SessionPrincipal,
  { minRole = 'manager', ownersReach }: Terms,
  handle: string,
): void => {
  checkBrain(ownersReach ? (brain ?? closedBrain) : brain, handle)
  const rank = (role: BrainRole) => roles.options.indexOf(role)
  if (brainRole !== undefined && rank(brainRole) < rank(minRole))
    throw forbidden(`This call needs the role ${minRole} in this Brain, where you are a ${brainRole}.`)
}

const authorizeManagement: (principal: Principal) => asserts principal is ManagementPrincipal | SessionPrincipal = (
  principal,
) => {
  if (principal.kind === 'brain')
    throw unauthorized('This call needs a management key (nsk_…); a Brain key is not enough.')
  if (principal.kind === 'public') throw needsCredential()
  if (principal.kind === 'session') checkOrganization(principal)
}

/** Refuses a principal without these capabilities on the Brain that its request reached. */
export const checkCapabilities = (principal: Principal, needed: readonly Capability[]): void => {
  const held = findCapabilities(principal)
  const missing = needed.filter((name) => !held.includes(name))
  if (missing.length > 0)
    throw forbidden(
      `This call needs ${missing.join(' and ')}; the ${principal.kind === 'brain' ? 'key' : 'caller'} has ${held.join(', ')}.`,
    )
}

type OnBrain = Extract<Access, { capabilities: unknown }>

const authorizeOnBrain = (principal: Principal, { capabilities }: OnBrain, handle: string): void => {
  if (principal.kind === 'public') throw needsCredential()
  if (principal.kind === 'session') checkOrganization(principal)
  checkBrain(principal.brain, handle)
  checkCapabilities(principal, capabilities)
}

/** Needed to find out who the administrators are. */
export type AdministratorDeps = { prepared: RunPrepared; adminEmails: readonly string[] }

/**
 * Checks whether a person administers the whole service: NOEMA_ADMIN_EMAILS names their proven address, or it is empty and
 * theirs is the first account. A management key acts for the person who minted it (D-17) if their account was already
 * proven then: anyone may sign up with an address that is not theirs.
 */
export const isAdministrator = async (deps: AdministratorDeps, principal: Principal): Promise<boolean> => {
  if (principal.kind !== 'session' && principal.kind !== 'management') return false
  if (principal.kind === 'management' && principal.app) return false
  const asksFirst = deps.adminEmails.length === 0
  const [person] = await deps.prepared(findPersonProof({ userId: principal.userId, asksFirst }))
  if (!person) return false
  const { email, emailVerified, provenAt } = person
  if (principal.kind === 'management' && provenAt !== null && principal.keyCreatedAt < provenAt) return false
  // A fresh node has no other account to protect, and perhaps no server for its email.
  if (asksFirst) return person.isFirst
  if (!emailVerified || provenAt === null) return false
  return deps.adminEmails.some((name) => name.toLowerCase() === email.toLowerCase())
}

const authorizeAdministrator = async (deps: AdministratorDeps, principal: Principal): Promise<void> => {
  if (principal.kind === 'public') throw needsCredential()
  if (!(await isAdministrator(deps, principal)))
    throw forbidden(
      'Only an administrator of this service may do this: sign in as one, or send a management key that one of them minted. The setting NOEMA_ADMIN_EMAILS names them.',
    )
}

/**
 * Decides from the contract alone whether this principal may call, before anything that was sent is judged (D-04). Throws
 * 401, 403 or 404 where not, and 400 where a session names no organization to act in.
 */
export const authorize = async (
  deps: AdministratorDeps,
  terms: Terms,
  principal: Principal,
  handle: string | undefined,
): Promise<void> => {
  const { access, makesBrain } = terms
  if (access === 'public') return
  if (access === 'administrator') return authorizeAdministrator(deps, principal)
  if (access === 'session' || access === 'account') {
    authorizeSession(principal, access === 'account')
    if (handle !== undefined) checkRole(principal, terms, handle)
  } else if (access === 'management') {
    authorizeManagement(principal)
    if (handle !== undefined && !makesBrain) checkRole(principal, terms, handle)
  } else if (access === 'anyone') {
    if (principal.kind === 'public') throw needsCredential()
  } else authorizeOnBrain(principal, access, handle ?? '')
}

/**
 * Refuses an app outside of what it was let in to: its token is for one MCP server, or for the agents of its organization
 * (RFC 8707), which it may use as models as well. The tools of an MCP server are authorized as calls of endpoints.
 */
export const authorizeApp = (
  { jsonRpc, openai, method }: Pick<Endpoint, 'jsonRpc' | 'openai' | 'method'>,
  principal: Principal,
): void => {
  if (!('app' in principal) || !principal.app || jsonRpc) return
  if (!openai || principal.kind !== 'management')
    throw unauthorized('The token of an app is only for what it was let in to. Use a key for this call.')
  checkCapabilities(principal, [method === 'GET' ? 'read' : 'write'])
}

/** Decides from the contract whether this principal may send these fields of a body. Throws 403 where not. */
export const authorizeFields = (access: Access, principal: Principal, body: unknown): void => {
  if (typeof access === 'string' || access.fields === undefined || typeof body !== 'object' || body === null) return
  const sent = Object.entries(access.fields).filter(([name]) => Object.hasOwn(body, name))
  checkCapabilities(principal, [...new Set(sent.flatMap(([, capabilities]) => capabilities))])
}
