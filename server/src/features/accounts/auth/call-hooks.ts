import { isObject } from '@noema/contracts/json.ts'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import type { Db } from '../../../storage/database.ts'
import { clientAddressHeader, withAuthConnection } from './auth-work.ts'
import { checkCall, refused } from './call-checks.ts'
import { deleteOtherSessions, deleteSession, findRole, lockOrganization } from './queries.ts'
import { countSignIn, forgetSignIns } from './sign-in-attempts.ts'

// What is asked of calls to Better Auth before it answers them, and what is taken out of its answers.

type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]
type Hook = (db: Db, ctx: Context) => Promise<unknown>

const manages = (role: string | undefined): boolean => role === 'owner' || role === 'admin'

const readText = (sent: unknown, field: string): string | undefined => {
  const value = isObject(sent) ? sent[field] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The role of the caller in an organization; undefined for strangers and for nobody. */
const readRole = async (db: Db, ctx: Context, organizationId: string | undefined): Promise<string | undefined> => {
  const session = await getSessionFromCtx(ctx)
  const organization = organizationId ?? session?.session.activeOrganizationId
  if (!session || typeof organization !== 'string') return undefined
  return withAuthConnection(db, (on) => findRole(on, organization, session.user.id))
}

/** The addresses and ids of invitations let others in, so they are for those who may invite. */
const guardInvitations: Hook = async (db, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (!session || manages(await readRole(db, ctx, readText(ctx.query, 'organizationId')))) return
  throw refused('FORBIDDEN', 'Invitations are listed to owners and admins of the organization.', 'FORBIDDEN')
}

/** Invitations go to strangers in the service's name, so only who has confirmed an address sends them (D-18). */
const guardInviting: Hook = async (db, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (session && !session.user.emailVerified)
    throw refused('EMAIL_NOT_VERIFIED', 'Confirm your own address first; then you can invite others.', 'FORBIDDEN')
  return takeTurns(db, ctx)
}

/** Changes of an organization's members take turns, so that two owners never remove each other. */
const takeTurns: Hook = async (db, ctx) => {
  const session = await getSessionFromCtx(ctx)
  const organization = readText(ctx.body, 'organizationId') ?? session?.session.activeOrganizationId
  if (typeof organization === 'string') await withAuthConnection(db, (on) => lockOrganization(on, organization))
}

/** A changed password ends every other session: whoever knew the old one must not stay. */
const endOthers: Hook = async (_db, { body }) =>
  isObject(body) ? { context: { body: { ...body, revokeOtherSessions: true } } } : undefined

// Better Auth ends listed sessions by their tokens, which nobody knows: lists have the session's id in the token's place.

const endListed: Hook = async (db, ctx) => {
  const session = await getSessionFromCtx(ctx)
  const listed = readText(ctx.body, 'token')
  if (!session || listed === undefined || listed === session.session.token) return undefined
  await withAuthConnection(db, (on) => deleteSession(on, session.user.id, listed))
  return ctx.json({ status: true })
}

const endAllOthers: Hook = async (db, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (!session) return undefined
  await withAuthConnection(db, (on) => deleteOtherSessions(on, session.user.id, session.session.id))
  return ctx.json({ status: true })
}

/** The account that a call signs in to, and where from. */
const readSignIn = (ctx: Context) => {
  const email = readText(ctx.body, 'email')
  const address = ctx.headers?.get(clientAddressHeader)
  return email === undefined || !address ? undefined : { email, address }
}

const limitSignIns: Hook = async (db, ctx) => {
  const attempt = readSignIn(ctx)
  if (!attempt) return
  const seconds = await withAuthConnection(db, (on) => countSignIn(on, attempt.email, attempt.address))
  if (seconds === undefined) return
  const message =
    'There were too many attempts to sign in to this account. Try again later, or choose a new password by mail.'
  throw new APIError('TOO_MANY_REQUESTS', { code: 'TOO_MANY_REQUESTS', message }, { 'x-retry-after': String(seconds) })
}

const forgetAttempts: Hook = async (db, ctx) => {
  const attempt = readSignIn(ctx)
  if (attempt && !(ctx.context.returned instanceof APIError))
    await withAuthConnection(db, (on) => forgetSignIns(on, attempt.email, attempt.address))
}

const before: Readonly<Record<string, Hook>> = {
  '/sign-in/email': limitSignIns,
  '/organization/list-invitations': guardInvitations,
  '/organization/invite-member': guardInviting,
  '/organization/remove-member': takeTurns,
  '/organization/update-member-role': takeTurns,
  '/organization/leave': takeTurns,
  '/change-password': endOthers,
  '/revoke-session': endListed,
  '/revoke-other-sessions': endAllOthers,
}

const hideInvitations: Hook = async (db, ctx) => {
  const { returned } = ctx.context
  if (!isObject(returned) || !('invitations' in returned)) return undefined
  if (manages(await readRole(db, ctx, readText(returned, 'id')))) return undefined
  return ctx.json({ ...returned, invitations: [] })
}

const after: Readonly<Record<string, Hook>> = {
  '/sign-in/email': forgetAttempts,
  '/organization/get-full-organization': hideInvitations,
}

/** The hooks of every call. */
export const callHooks = (db: Db) => ({
  before: createAuthMiddleware(async (ctx) => {
    checkCall(ctx.path, ctx.body)
    return before[ctx.path]?.(db, ctx)
  }),
  after: createAuthMiddleware(async (ctx) => after[ctx.path]?.(db, ctx)),
})
