import { createHash, randomBytes } from 'node:crypto'
import { createAuthEndpoint } from 'better-auth/api'
import { z } from 'zod'
import { deleteUnlock, insertUnlock } from './account-queries.ts'
import type { AfterAnswer } from './after-answer.ts'
import { clientAddressHeader, withAuthConnection } from './auth-work.ts'
import { refused } from './call-checks.ts'
import { unlockEmail } from './email-templates.ts'
import { findUserByEmail } from './identity-queries.ts'
import { sendEmail } from './send-email.ts'
import { unlockSignIns } from './sign-in-attempts.ts'
import type { AuthDeps } from './types.ts'

// Too many wrong passwords stop sign-ins to an account, also those of its owner. A link by mail lets them try again from their
// network: it lifts the limit there and nothing else, so the password and the code of a second factor are still needed.

const unlockMinutes = 15

const hashToken = (token: string): string => createHash('sha256').update(`sign-in-unlock ${token}`).digest('base64url')

/** Mails a link to an account, if there is one. The call is answered before, the same way and as soon for every address. */
const mailLink = async (deps: AuthDeps, given: string): Promise<void> => {
  const email = given.trim().toLowerCase()
  const account = await withAuthConnection(deps.db, (db) => findUserByEmail(db, email))
  if (!account) return
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(deps.clock.now().getTime() + unlockMinutes * 60_000)
  await withAuthConnection(deps.db, (db) =>
    insertUnlock(db, { identifier: hashToken(token), userId: account.id, expiresAt }),
  )
  await sendEmail(deps, unlockEmail(email, `${deps.settings.appUrl}/sign-in?unlock=${token}`))
}

const asked = z.object({ email: z.string() })
const opened = z.object({ token: z.string().min(1).max(100) })

export const signInUnlockPlugin = (deps: AuthDeps, afterAnswer: AfterAnswer) => ({
  id: 'sign-in-unlock',
  endpoints: {
    requestSignInUnlock: createAuthEndpoint('/request-sign-in-unlock', { method: 'POST', body: asked }, async (ctx) => {
      afterAnswer.add(() => mailLink(deps, ctx.body.email))
      return ctx.json({ status: true, message: 'If this address has an account, a link was sent to it.' })
    }),
    unlockSignIn: createAuthEndpoint('/unlock-sign-in', { method: 'POST', body: opened }, async (ctx) => {
      const used = { identifier: hashToken(ctx.body.token), now: deps.clock.now() }
      const email = await withAuthConnection(deps.db, (db) => deleteUnlock(db, used))
      if (email === undefined)
        throw refused('INVALID_TOKEN', 'This link was used already, or it is too old. Request another one.')
      const address = ctx.headers?.get(clientAddressHeader) ?? ''
      await withAuthConnection(deps.db, (db) => unlockSignIns(db, { email, address }))
      return ctx.json({ status: true })
    }),
  },
})
