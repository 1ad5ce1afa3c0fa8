import { randomBytes } from 'node:crypto'
import { APIError, createAuthEndpoint, getSessionFromCtx, isAPIError } from 'better-auth/api'
import { twoFactor } from 'better-auth/plugins/two-factor'
import { z } from 'zod'
import { deleteOtherSessions } from './account-queries.ts'
import { clientAddressHeader, defineCallValue, rememberFailure, withAuthConnection } from './auth-work.ts'
import { type Context, type Hook, readText, refused } from './call-checks.ts'
import { auditAccount } from './member-audit.ts'
import { sendEmail } from './send-email.ts'
import { clearAttempts, countAttempt, toGuessed, useOnce } from './sign-in-attempts.ts'
import { backupCodesMadeEmail, backupCodeUsedEmail, twoFactorEmail } from './sign-in-emails.ts'
import type { AuthDeps } from './types.ts'

// Second-factor codes: from an app, or one of ten backup codes. Better Auth makes and checks them. This file limits guesses, makes
// each code work once, and notifies the owner.

export const twoFactorPlugin = () =>
  twoFactor({
    // Attempts are counted for each network instead: a lock on the account would keep its owner out, too.
    accountLockout: { enabled: false },
    backupCodeOptions: { storeBackupCodes: 'encrypted' },
  })

const challengeCookie = 'two_factor'
const challengeSeconds = 600

/** Returns the person whose code is checked: the signed-in one, or the one who has entered the password. */
const findPerson = async (ctx: Context) => {
  const session = await getSessionFromCtx(ctx)
  if (session) return session.user
  const { context } = ctx
  const challenge = await ctx.getSignedCookie(context.createAuthCookie(challengeCookie).name, context.secret)
  if (!challenge) return undefined
  const found = await context.internalAdapter.findVerificationValue(challenge)
  return (found && (await context.internalAdapter.findUserById(found.value))) ?? undefined
}

const toAddress = (ctx: Pick<Context, 'headers'>): string => ctx.headers?.get(clientAddressHeader) ?? ''

const guess = z.object({ guessed: z.enum(['sign-in', 'code']) })

/**
 * Counts a guess before the transaction of its call, so that refused guesses count too. The endpoint has no public path.
 */
export const guessingPlugin = (deps: AuthDeps) => ({
  id: 'guessing',
  endpoints: {
    countGuess: createAuthEndpoint.serverOnly({ method: 'POST', body: guess, requireHeaders: true }, async (ctx) => {
      const person = await findPerson(ctx)
      if (!person) return
      const attempt = { email: person.email, address: toAddress(ctx), guessed: ctx.body.guessed }
      const seconds = await rememberFailure(() => countAttempt(deps.db, attempt))
      if (seconds === undefined) return
      const message = 'There were too many attempts. Try again later.'
      throw new APIError(
        'TOO_MANY_REQUESTS',
        { code: 'TOO_MANY_REQUESTS', message },
        { 'x-retry-after': String(seconds) },
      )
    }),
  },
})

const turningOn = defineCallValue<boolean>()

/** Requires a confirmed address, because confirming it revokes everything that was set up before. */
export const requireConfirmed: Hook = async (_deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (session && !session.user.emailVerified)
    throw refused('EMAIL_NOT_VERIFIED', 'Confirm your address first: open the link in the mail.', 'FORBIDDEN')
}

const setTurningOn: Hook = async (_deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (session && session.user.twoFactorEnabled !== true) turningOn.set(true)
}

/** The person of a call that succeeded. */
const findDone = async (ctx: Context) => {
  if (isAPIError(ctx.context.returned)) return undefined
  return ctx.context.newSession?.user ?? (await getSessionFromCtx(ctx))?.user
}

const clearGuesses = (deps: AuthDeps, ctx: Context, email: string) =>
  withAuthConnection(deps.db, (db) =>
    clearAttempts(db, { email, address: toAddress(ctx), guessed: toGuessed(ctx.path) }),
  )

const completeCode: Hook = async (deps, ctx) => {
  const user = await findDone(ctx)
  if (!user) return
  const isFirst = await withAuthConnection(deps.db, (db) =>
    useOnce(db, 'code', `${user.id} ${readText(ctx.body, 'code') ?? ''}`),
  )
  if (!isFirst)
    throw new APIError('UNAUTHORIZED', { code: 'CODE_USED', message: 'This code was used already. Wait for the next.' })
  await clearGuesses(deps, ctx, user.email)
  const here = ctx.context.newSession?.session.id
  if (turningOn.get() !== true || here === undefined) return
  await withAuthConnection(deps.db, (db) => deleteOtherSessions(db, user.id, here))
  await auditAccount(deps, { action: 'account.two_factor_enabled', userId: user.id })
  await sendEmail(deps, twoFactorEmail(user.email, { isOn: true, app: deps.settings.appUrl }))
}

type Person = { id: string; email: string }

/** After a call that succeeded: resets the count of guesses and notifies the person. */
const complete =
  (notify?: (deps: AuthDeps, person: Person) => Promise<unknown>): Hook =>
  async (deps, ctx) => {
    const user = await findDone(ctx)
    if (!user) return
    await clearGuesses(deps, ctx, user.email)
    await notify?.(deps, user)
  }

const completeBackupCode = complete((deps, { email }) =>
  sendEmail(deps, backupCodeUsedEmail(email, deps.settings.appUrl)),
)

const completeOff = complete(async (deps, { id, email }) => {
  await auditAccount(deps, { action: 'account.two_factor_disabled', userId: id })
  await sendEmail(deps, twoFactorEmail(email, { isOn: false, app: deps.settings.appUrl }))
})

const completeNewCodes = complete((deps, { email }) =>
  sendEmail(deps, backupCodesMadeEmail(email, deps.settings.appUrl)),
)

const completeRequest = complete()

/** The person whose code is still needed after the OpenID provider. */
const codeRequiredFor = defineCallValue<string>()

/** Requires the account's code before a sign-in without a password gets a session. */
export const requireCode = (userId: string): never => {
  codeRequiredFor.set(userId)
  throw new APIError('FORBIDDEN', {
    code: 'two_factor_required',
    message: 'The code of this account is required, too.',
  })
}

/** The challenge that Better Auth sets only after a password. */
const setChallenge: Hook = async (_deps, ctx) => {
  const userId = codeRequiredFor.get()
  if (userId === undefined) return
  const { context } = ctx
  const identifier = `2fa-${randomBytes(15).toString('base64url')}`
  const expiresAt = new Date(Date.now() + challengeSeconds * 1000)
  await context.internalAdapter.createVerificationValue({ value: userId, identifier, expiresAt })
  const attempts = { value: '0', identifier: `2fa-attempts-${identifier}`, expiresAt }
  await context.internalAdapter.createVerificationValue(attempts)
  const { name, attributes } = context.createAuthCookie(challengeCookie, { maxAge: challengeSeconds })
  await ctx.setSignedCookie(name, identifier, context.secret, attributes)
}

export const twoFactorHooks: Readonly<Record<'before' | 'after', Readonly<Record<string, Hook>>>> = {
  before: { '/two-factor/enable': requireConfirmed, '/two-factor/verify-totp': setTurningOn },
  after: {
    '/two-factor/enable': completeRequest,
    '/two-factor/disable': completeOff,
    '/two-factor/generate-backup-codes': completeNewCodes,
    '/two-factor/verify-totp': completeCode,
    '/two-factor/verify-backup-code': completeBackupCode,
    '/callback/:id': setChallenge,
  },
}
