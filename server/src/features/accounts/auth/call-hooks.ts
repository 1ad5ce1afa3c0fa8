import { isObject } from '@noema/contracts/json.ts'
import { APIError, addOAuthServerContext, createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api'
import {
  countInvitationsToday,
  deleteOtherSessions,
  deleteSession,
  findAccount,
  findOrganization,
  findRole,
  lockOrganization,
  lockUser,
} from './account-queries.ts'
import { clientAddressHeader, withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'
import { type Context, checkCall, checkPath, type Hook, readText, refused } from './call-checks.ts'
import { openedBy } from './confirming.ts'
import { endedNow, endMembership, endsBrainKeys } from './leaving.ts'
import { auditAccount, auditMember, caller } from './member-audit.ts'
import { passkeyHooks } from './passkeys.ts'
import { countAttempt, forgetAttempts } from './sign-in-attempts.ts'
import { inviteCode, isInviteCode } from './signing-up.ts'
import { twoFactorHooks } from './two-factor.ts'

// What is asked of calls to Better Auth before it answers them, and what is taken out of its answers.

const manages = (role: string | undefined): boolean => role === 'owner' || role === 'admin'

/** The role of the caller in an organization; undefined for strangers and for nobody. */
const readRole = async (
  { db }: AuthDeps,
  ctx: Context,
  organizationId: string | undefined,
): Promise<string | undefined> => {
  const session = await getSessionFromCtx(ctx)
  const organization = organizationId ?? session?.session.activeOrganizationId
  if (!session || typeof organization !== 'string') return undefined
  return withAuthConnection(db, (on) => findRole(on, organization, session.user.id))
}

/** The addresses and ids of invitations let others in, so they are for those who may invite. */
const guardInvitations: Hook = async (deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (!session || manages(await readRole(deps, ctx, readText(ctx.query, 'organizationId')))) return
  throw refused('FORBIDDEN', 'Invitations are listed to owners and admins of the organization.', 'FORBIDDEN')
}

/**
 * The ids of a person's own invitations stand in their mail. They are listed to proven accounts alone: the password of another
 * may be a stranger's.
 */
const guardOwnInvitations: Hook = async ({ db }, ctx) => {
  const session = await getSessionFromCtx(ctx)
  const account = session && (await withAuthConnection(db, (on) => findAccount(on, session.user.id)))
  if (!account || account.provenAt !== null) return undefined
  const message = 'Open the link of the invitation that was mailed to you, or choose a new password by mail first.'
  throw refused('ACCOUNT_NOT_PROVEN', message, 'FORBIDDEN')
}

/** Refuses one invitation more than an account may send a day. Accounts are counted by one call at a time. */
const checkDailyInvitations = async ({ db, settings }: AuthDeps, userId: string): Promise<void> => {
  const sent = await withAuthConnection(db, async (on) => {
    await lockUser(on, userId)
    return countInvitationsToday(on, userId)
  })
  if (sent < settings.maxDailyInvitations) return
  const message = `An account may send ${settings.maxDailyInvitations} invitations in 24 hours. Go on later.`
  throw new APIError('TOO_MANY_REQUESTS', { code: 'TOO_MANY_REQUESTS', message }, { 'x-retry-after': '3600' })
}

/** Invitations go to strangers in the service's name, so only who has confirmed an address sends them (D-18). */
const guardInviting: Hook = async (deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (!session) return undefined
  if (!session.user.emailVerified)
    throw refused('EMAIL_NOT_VERIFIED', 'Confirm your own address first; then you can invite others.', 'FORBIDDEN')
  await checkDailyInvitations(deps, session.user.id)
  return takeTurns(deps, ctx)
}

/** Changes of an organization's members take turns, so that two owners never remove each other. */
const takeTurns: Hook = async ({ db }, ctx) => {
  const session = await getSessionFromCtx(ctx)
  const organization = readText(ctx.body, 'organizationId') ?? session?.session.activeOrganizationId
  if (typeof organization === 'string') await withAuthConnection(db, (on) => lockOrganization(on, organization))
}

/** Removing somebody may revoke the Brain keys that they made, too. */
const guardRemoving: Hook = async (deps, ctx) => {
  const asked = isObject(ctx.body) ? ctx.body.revokeBrainKeys : undefined
  if (asked !== undefined && typeof asked !== 'boolean')
    throw refused('INVALID_BODY', 'revokeBrainKeys is true or false.')
  endsBrainKeys.set(asked === true)
  return takeTurns(deps, ctx)
}

/** A changed password ends every other session: whoever knew the old one must not stay. */
const endOthers: Hook = async (_deps, { body }) =>
  isObject(body) ? { context: { body: { ...body, revokeOtherSessions: true } } } : undefined

// Better Auth ends listed sessions by their tokens, which nobody knows: lists have the session's id in the token's place.

const endListed: Hook = async ({ db }, ctx) => {
  const session = await getSessionFromCtx(ctx)
  const listed = readText(ctx.body, 'token')
  if (!session || listed === undefined || listed === session.session.token) return undefined
  await withAuthConnection(db, (on) => deleteSession(on, session.user.id, listed))
  return ctx.json({ status: true })
}

const endAllOthers: Hook = async ({ db }, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (!session) return undefined
  await withAuthConnection(db, (on) => deleteOtherSessions(on, session.user.id, session.session.id))
  return ctx.json({ status: true })
}

const noteCaller: Hook = async (_deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (session) caller.set(session.user.id)
}

/** Notes whose session a confirming link was opened with. */
const noteOpener: Hook = async (_deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (session) openedBy.set(session.user.id)
}

/** The account that a call signs in to, and where from. */
const readSignIn = (ctx: Context) => {
  const email = readText(ctx.body, 'email')
  const address = ctx.headers?.get(clientAddressHeader)
  return email === undefined || !address ? undefined : { email, address, guessed: 'sign-in' as const }
}

const limitSignIns: Hook = async ({ db }, ctx) => {
  const attempt = readSignIn(ctx)
  if (!attempt) return
  const seconds = await withAuthConnection(db, (on) => countAttempt(on, attempt))
  if (seconds === undefined) return
  const message =
    'There were too many attempts to sign in to this account. Try again later, or choose a new password by mail.'
  throw new APIError('TOO_MANY_REQUESTS', { code: 'TOO_MANY_REQUESTS', message }, { 'x-retry-after': String(seconds) })
}

const forgetSignIns: Hook = async ({ db }, ctx) => {
  const attempt = readSignIn(ctx)
  if (attempt && !(ctx.context.returned instanceof APIError))
    await withAuthConnection(db, (on) => forgetAttempts(on, attempt))
}

/** Notes the invitation code of a sign-up. What cannot be one is as good as none: it never keeps anybody out (D-19). */
const noteInviteCode: Hook = async (_deps, ctx) => {
  const code = readText(ctx.body, 'inviteCode')
  if (isInviteCode(code)) inviteCode.set(code)
}

/** Answers where the provider is, in the body; the page goes there itself. A code goes along and comes back with the person. */
const leadToProvider: Hook = async (_deps, ctx) => {
  const code = readText(ctx.body, 'inviteCode')
  if (isInviteCode(code)) await addOAuthServerContext({ inviteCode: code })
  return isObject(ctx.body) ? { context: { body: { ...ctx.body, disableRedirect: true } } } : undefined
}

const before: Readonly<Record<string, Hook>> = {
  ...twoFactorHooks.before,
  ...passkeyHooks.before,
  '/sign-up/email': noteInviteCode,
  '/sign-in/email': limitSignIns,
  '/sign-in/social': leadToProvider,
  '/organization/list-invitations': guardInvitations,
  '/organization/list-user-invitations': guardOwnInvitations,
  '/organization/invite-member': guardInviting,
  '/organization/remove-member': guardRemoving,
  '/organization/update-member-role': takeTurns,
  '/organization/leave': takeTurns,
  '/organization/update': takeTurns,
  '/verify-email': noteOpener,
  '/change-password': endOthers,
  '/revoke-session': endListed,
  '/revoke-other-sessions': endAllOthers,
}

const hideInvitations: Hook = async (deps, ctx) => {
  const { returned } = ctx.context
  if (!isObject(returned) || !('invitations' in returned)) return undefined
  if (manages(await readRole(deps, ctx, readText(returned, 'id')))) return undefined
  return ctx.json({ ...returned, invitations: [] })
}

/** Says what ended with a membership. */
const tellEnded: Hook = async (_deps, ctx) => {
  const { returned } = ctx.context
  const ended = endedNow.get()
  if (!ended || !isObject(returned)) return undefined
  const { remainingBrainKeys, remainingProviders, remainingConnectors, ...others } = ended
  const { remainingTriggers, remainingSchedules, ...revoked } = others
  const remaining = {
    ...{ brainKeys: remainingBrainKeys, providers: remainingProviders, connectors: remainingConnectors },
    ...{ triggers: remainingTriggers, schedules: remainingSchedules },
  }
  return ctx.json({ ...returned, revoked, remaining })
}

/** Better Auth has no hook of its own for whoever leaves by themselves. */
const settleLeaving: Hook = async (deps, ctx) => {
  const { returned } = ctx.context
  const session = await getSessionFromCtx(ctx)
  const left = isAPIError(returned) ? undefined : readText(returned, 'organizationId')
  if (!session || left === undefined) return undefined
  const organization = await withAuthConnection(deps.db, (on) => findOrganization(on, left))
  if (organization) {
    await auditMember(deps, { organizationId: left, action: 'member.left', person: session.user })
    await endMembership(deps, organization, session.user)
  }
  return tellEnded(deps, ctx)
}

const noteNewPassword: Hook = async (deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (session && !isAPIError(ctx.context.returned))
    await auditAccount(deps, { action: 'account.password_changed', userId: session.user.id })
}

const after: Readonly<Record<string, Hook>> = {
  ...twoFactorHooks.after,
  ...passkeyHooks.after,
  '/change-password': noteNewPassword,
  '/sign-in/email': forgetSignIns,
  '/organization/get-full-organization': hideInvitations,
  '/organization/remove-member': tellEnded,
  '/organization/leave': settleLeaving,
}

/** The hooks of every call. What no path leads to has none. */
export const callHooks = (deps: AuthDeps) => ({
  before: createAuthMiddleware(async (ctx) => {
    const path = ctx.path ?? ''
    checkPath(deps.settings.signIn, path)
    checkCall(path, ctx.body)
    if (path.startsWith('/organization/')) await noteCaller(deps, ctx)
    return before[path]?.(deps, ctx)
  }),
  after: createAuthMiddleware(async (ctx) => after[ctx.path ?? '']?.(deps, ctx)),
})
