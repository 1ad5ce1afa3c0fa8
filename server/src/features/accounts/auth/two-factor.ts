import { randomBytes } from 'node:crypto'
import { APIError, createAuthEndpoint, getSessionFromCtx, isAPIError } from 'better-auth/api'
import { twoFactor } from 'better-auth/plugins/two-factor'
import { z } from 'zod'
import { deleteOtherSessions } from './account-queries.ts'
import { clientAddressHeader, defineNote, rememberFailure, withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'
import { type Context, type Hook, readText, refused } from './call-checks.ts'
import { auditAccount } from './member-audit.ts'
import { postLetter } from './post-letter.ts'
import { countAttempt, forgetAttempts, toGuessed, useCode } from './sign-in-attempts.ts'
import { backupCodesMadeEmail, backupCodeUsedEmail, twoFactorEmail } from './sign-in-letters.ts'

// A code beside the password: of an app, or one of ten that were written down. Better Auth makes and checks them; here is how
// often they may be guessed, that each works once, and who is told.

export const twoFactorPlugin = () =>
  twoFactor({
    // Attempts are counted here, for each network: a lock on the account would keep its owner out, too.
    accountLockout: { enabled: false },
    backupCodeOptions: { storeBackupCodes: 'encrypted' },
  })

const challengeCookie = 'two_factor'
const challengeSeconds = 600

/** Whose code is asked for: of who is signed in, or of who has shown the password. */
const findWhom = async (ctx: Context) => {
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
 * Counts a call that guesses, before the transaction of it: what is refused has been tried all the same. No path leads to the endpoint.
 */
export const guessingPlugin = (deps: AuthDeps) => ({
  id: 'guessing',
  endpoints: {
    countGuess: createAuthEndpoint.serverOnly({ method: 'POST', body: guess, requireHeaders: true }, async (ctx) => {
      const whom = await findWhom(ctx)
      if (!whom) return
      const attempt = { email: whom.email, address: toAddress(ctx), guessed: ctx.body.guessed }
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

const turningOn = defineNote<boolean>()

/** What may be asked for by who has confirmed the address: everything else of the account ends when the address is confirmed. */
export const guardConfirmed: Hook = async (_deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (session && !session.user.emailVerified)
    throw refused('EMAIL_NOT_VERIFIED', 'Confirm your address first: open the link in the mail.', 'FORBIDDEN')
}

const noteTurningOn: Hook = async (_deps, ctx) => {
  const session = await getSessionFromCtx(ctx)
  if (session && session.user.twoFactorEnabled !== true) turningOn.set(true)
}

/** Whom the call that succeeded was about. */
const findDone = async (ctx: Context) => {
  if (isAPIError(ctx.context.returned)) return undefined
  return ctx.context.newSession?.user ?? (await getSessionFromCtx(ctx))?.user
}

const forget = (deps: AuthDeps, ctx: Context, email: string) =>
  withAuthConnection(deps.db, (db) =>
    forgetAttempts(db, { email, address: toAddress(ctx), guessed: toGuessed(ctx.path) }),
  )

const settleCode: Hook = async (deps, ctx) => {
  const user = await findDone(ctx)
  if (!user) return
  const isFirst = await withAuthConnection(deps.db, (db) => useCode(db, user.id, readText(ctx.body, 'code') ?? ''))
  if (!isFirst)
    throw new APIError('UNAUTHORIZED', { code: 'CODE_USED', message: 'This code was used already. Wait for the next.' })
  await forget(deps, ctx, user.email)
  const here = ctx.context.newSession?.session.id
  if (turningOn.get() !== true || here === undefined) return
  await withAuthConnection(deps.db, (db) => deleteOtherSessions(db, user.id, here))
  await auditAccount(deps, { action: 'account.two_factor_enabled', userId: user.id })
  await postLetter(deps, twoFactorEmail(user.email, { isOn: true, app: deps.settings.appUrl }))
}

type Person = { id: string; email: string }

/** After a call that succeeded: earlier guesses are forgotten, and its person is told. */
const settle =
  (tell?: (deps: AuthDeps, person: Person) => Promise<unknown>): Hook =>
  async (deps, ctx) => {
    const user = await findDone(ctx)
    if (!user) return
    await forget(deps, ctx, user.email)
    await tell?.(deps, user)
  }

const settleBackupCode = settle((deps, { email }) => postLetter(deps, backupCodeUsedEmail(email, deps.settings.appUrl)))

const settleOff = settle(async (deps, { id, email }) => {
  await auditAccount(deps, { action: 'account.two_factor_disabled', userId: id })
  await postLetter(deps, twoFactorEmail(email, { isOn: false, app: deps.settings.appUrl }))
})

const settleNewCodes = settle((deps, { email }) => postLetter(deps, backupCodesMadeEmail(email, deps.settings.appUrl)))

const settleAsked = settle()

/** Whose code the way over the OpenID provider waits for. */
const codeWanted = defineNote<string>()

/** Keeps a way in that went by no password from making a session before the code of the account was shown. */
export const askForCode = (userId: string): never => {
  codeWanted.set(userId)
  throw new APIError('FORBIDDEN', { code: 'two_factor_required', message: 'The code of the account is wanted, too.' })
}

/** The challenge that Better Auth sets only after a password. */
const setChallenge: Hook = async (_deps, ctx) => {
  const userId = codeWanted.get()
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
  before: { '/two-factor/enable': guardConfirmed, '/two-factor/verify-totp': noteTurningOn },
  after: {
    '/two-factor/enable': settleAsked,
    '/two-factor/disable': settleOff,
    '/two-factor/generate-backup-codes': settleNewCodes,
    '/two-factor/verify-totp': settleCode,
    '/two-factor/verify-backup-code': settleBackupCode,
    '/callback/:id': setChallenge,
  },
}
