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
import { appHooks } from './app-provider.ts'
import { clientAddressHeader, withAuthConnection } from './auth-work.ts'
import { type Context, checkCall, checkPath, type Hook, readText, refused } from './call-checks.ts'
import { openedBy } from './confirming.ts'
import { endedByCall, endMembership, endsBrainKeys } from './leaving.ts'
import { auditAccount, auditMember, caller } from './member-audit.ts'
import { passkeyHooks } from './passkeys.ts'
import { clearAttempts, countAttempt } from './sign-in-attempts.ts'
import { checkSignUp, isInviteCode } from './signing-up.ts'
import { twoFactorHooks } from './two-factor.ts'
import type { AuthDeps } from './types.ts'

// Checks before calls to Better Auth, and changes to its answers.

const manages = (role: string | undefined): boolean => role === 'owner' || role === 'admin'

/** The caller's role in an organization; undefined without a session or membership. */
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

/** Addresses and ids of invitations give access, so only those who may invite see them. */
const requireManager: Hook = async (deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (!session || manages(await readRole(deps, ctx, readText(ctx.query, 'organizationId')))) return
  throw refused('FORBIDDEN', 'Invitations are listed to owners and admins of the organization.', 'FORBIDDEN')
}

/**
 * A person gets the ids of their own invitations by email. Only proven accounts can list them, because the password of an unproven
 * one may belong to a stranger.
 */
const requireProven: Hook = async ({ db }, ctx) => {
  const session = await getSessionFromCtx(ctx)
  const account = session && (await withAuthConnection(db, (on) => findAccount(on, session.user.id)))
  if (!account || account.provenAt !== null) return undefined
  const message = 'Open the link of the invitation that was mailed to you, or choose a new password by mail first.'
  throw refused('ACCOUNT_NOT_PROVEN', message, 'FORBIDDEN')
}

/** Limits the invitations of an account in a day. A lock makes concurrent calls count one after the other. */
const checkDailyInvitations = async ({ db, settings }: AuthDeps, userId: string): Promise<void> => {
  const sent = await withAuthConnection(db, async (on) => {
    await lockUser(on, userId)
    return countInvitationsToday(on, userId)
  })
  if (sent < settings.maxDailyInvitations) return
  const message = `An account may send ${settings.maxDailyInvitations} invitations in 24 hours. Continue later.`
  throw new APIError('TOO_MANY_REQUESTS', { code: 'TOO_MANY_REQUESTS', message }, { 'x-retry-after': '3600' })
}

/** Invitations go to strangers in the service's name, so sending them needs a confirmed address (D-18). */
const checkInviting: Hook = async (deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (!session) return undefined
  if (!session.user.emailVerified)
    throw refused('EMAIL_NOT_VERIFIED', 'Confirm your own address first; then you can invite others.', 'FORBIDDEN')
  await checkDailyInvitations(deps, session.user.id)
  return lockChanges(deps, ctx)
}

/** Serializes changes to an organization's members, so that two owners never remove each other. */
const lockChanges: Hook = async ({ db }, ctx) => {
  const session = await getSessionFromCtx(ctx)
  const organization = readText(ctx.body, 'organizationId') ?? session?.session.activeOrganizationId
  if (typeof organization === 'string') await withAuthConnection(db, (on) => lockOrganization(on, organization))
}

/** Reads whether removing a member also revokes their Brain keys. */
const checkRemoving: Hook = async (deps, ctx) => {
  const asked = isObject(ctx.body) ? ctx.body.revokeBrainKeys : undefined
  if (asked !== undefined && typeof asked !== 'boolean')
    throw refused('INVALID_BODY', 'revokeBrainKeys is true or false.')
  endsBrainKeys.set(asked === true)
  return lockChanges(deps, ctx)
}

/** A new password ends every other session, so that no one who knew the old one stays signed in. */
const revokeOthers: Hook = async (_deps, { body }) =>
  isObject(body) ? { context: { body: { ...body, revokeOtherSessions: true } } } : undefined

// Better Auth revokes listed sessions by their tokens, which are not stored. Lists have the session's id in place of the token.

const revokeListed: Hook = async ({ db }, ctx) => {
  const session = await getSessionFromCtx(ctx)
  const listed = readText(ctx.body, 'token')
  if (!session || listed === undefined || listed === session.session.token) return undefined
  await withAuthConnection(db, (on) => deleteSession(on, session.user.id, listed))
  return ctx.json({ status: true })
}

const revokeAllOthers: Hook = async ({ db }, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (!session) return undefined
  await withAuthConnection(db, (on) => deleteOtherSessions(on, session.user.id, session.session.id))
  return ctx.json({ status: true })
}

const setCaller: Hook = async (_deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (session) caller.set(session.user.id)
}

/** Remembers whose session a confirmation link was opened with. */
const setOpener: Hook = async (_deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (session) openedBy.set(session.user.id)
}

/** The account and network of a sign-in. */
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
    'There were too many attempts to sign in to this account. Try again later, or request a link by mail that lets you try again.'
  throw new APIError('TOO_MANY_REQUESTS', { code: 'TOO_MANY_REQUESTS', message }, { 'x-retry-after': String(seconds) })
}

const clearSignIns: Hook = async ({ db }, ctx) => {
  const attempt = readSignIn(ctx)
  if (attempt && !(ctx.context.returned instanceof APIError))
    await withAuthConnection(db, (on) => clearAttempts(on, attempt))
}

/** Returns the provider's address in the body, and the page goes there itself. An invitation code travels along in the state. */
const leadToProvider: Hook = async (_deps, ctx) => {
  const code = readText(ctx.body, 'inviteCode')
  if (isInviteCode(code)) await addOAuthServerContext({ inviteCode: code })
  return isObject(ctx.body) ? { context: { body: { ...ctx.body, disableRedirect: true } } } : undefined
}

const before: Readonly<Record<string, Hook>> = {
  ...appHooks,
  ...twoFactorHooks.before,
  ...passkeyHooks.before,
  '/sign-up/email': checkSignUp,
  '/sign-in/email': limitSignIns,
  '/sign-in/social': leadToProvider,
  '/organization/list-invitations': requireManager,
  '/organization/list-user-invitations': requireProven,
  '/organization/invite-member': checkInviting,
  '/organization/remove-member': checkRemoving,
  '/organization/update-member-role': lockChanges,
  '/organization/leave': lockChanges,
  '/organization/update': lockChanges,
  '/verify-email': setOpener,
  '/change-password': revokeOthers,
  '/revoke-session': revokeListed,
  '/revoke-other-sessions': revokeAllOthers,
}

const hideInvitations: Hook = async (deps, ctx) => {
  const { returned } = ctx.context
  if (!isObject(returned) || !('invitations' in returned)) return undefined
  if (manages(await readRole(deps, ctx, readText(returned, 'id')))) return undefined
  return ctx.json({ ...returned, invitations: [] })
}

/** Adds the access that was revoked with a membership to the answer. */
const reportEnded: Hook = async (_deps, ctx) => {
  const { returned } = ctx.context
  const ended = endedByCall.get()
  if (!ended || !isObject(returned)) return undefined
  const { remainingBrainKeys, remainingProviders, remainingConnectors, ...others } = ended
  const { remainingTriggers, remainingSchedules, remainingAgents, pausedWebhooks, ...revoked } = others
  const remaining = {
    ...{ brainKeys: remainingBrainKeys, providers: remainingProviders, connectors: remainingConnectors },
    ...{ triggers: remainingTriggers, schedules: remainingSchedules, agents: remainingAgents },
  }
  return ctx.json({ ...returned, revoked, paused: { webhooks: pausedWebhooks }, remaining })
}

/** Better Auth has no hook for members who leave by themselves. */
const completeLeaving: Hook = async (deps, ctx) => {
  const { returned } = ctx.context
  const session = await getSessionFromCtx(ctx)
  const left = isAPIError(returned) ? undefined : readText(returned, 'organizationId')
  if (!session || left === undefined) return undefined
  const organization = await withAuthConnection(deps.db, (on) => findOrganization(on, left))
  if (organization) {
    await auditMember(deps, { organizationId: left, action: 'member.left', person: session.user })
    await endMembership(deps, organization, session.user)
  }
  return reportEnded(deps, ctx)
}

const auditNewPassword: Hook = async (deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (session && !isAPIError(ctx.context.returned))
    await auditAccount(deps, { action: 'account.password_changed', userId: session.user.id })
}

const after: Readonly<Record<string, Hook>> = {
  ...twoFactorHooks.after,
  ...passkeyHooks.after,
  '/change-password': auditNewPassword,
  '/sign-in/email': clearSignIns,
  '/organization/get-full-organization': hideInvitations,
  '/organization/remove-member': reportEnded,
  '/organization/leave': completeLeaving,
}

/** The hooks of every call, by path. */
export const callHooks = (deps: AuthDeps) => ({
  before: createAuthMiddleware(async (ctx) => {
    const path = ctx.path ?? ''
    checkPath(deps.settings.signIn, path)
    checkCall(path, ctx.body)
    if (path.startsWith('/organization/')) await setCaller(deps, ctx)
    return before[path]?.(deps, ctx)
  }),
  after: createAuthMiddleware(async (ctx) => after[ctx.path ?? '']?.(deps, ctx)),
})
