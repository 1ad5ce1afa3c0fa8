import { z } from 'zod'
import { conflict, validation } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { hasUsers, insertVerifiedUser, newAccountId } from './account-queries.ts'
import { createAfterAnswer } from './after-answer.ts'
import { runAuthWork } from './auth-work.ts'
import { createCalls, onFirstUse } from './calls.ts'
import { isGuessable } from './guessable-passwords.ts'
import { createPersonalOrganization } from './personal-organization.ts'
import type { AuthDeps } from './types.ts'

// People: sign-up, sign-in, sessions, and the members of organizations. Better Auth does the work; the rest of the service uses
// it only through this file.

/** The person that the cookie of a request belongs to. */
export type SignedIn = { userId: string; email: string; emailVerified: boolean; sessionId: string; signedInAt: Date }

export type Accounts = {
  /** Serves /api/auth/*. Throws if the database does not answer, instead of answering "no session". */
  handle(request: Request, clientAddress: string): Promise<Response>
  /** Resolves when nothing is left to do for calls that were answered. */
  idle(): Promise<void>
  /** The live session of a request's cookie. Throws if the database does not answer. */
  session(headers: Headers): Promise<SignedIn | undefined>
  /** Makes a verified account with its personal organization; used for the first administrator. */
  createVerified(account: NewAccount): Promise<{ userId: string; organizationId: string }>
  /** Makes a verified account for the administrator unless someone has signed up already. */
  createFirst(account: NewAccount): Promise<void>
}

type NewAccount = { email: string; password: string; name?: string }

export const createAccounts = (deps: AuthDeps): Accounts => {
  const afterAnswer = createAfterAnswer(deps.log)
  const betterAuth = onFirstUse(async () => {
    const { openBetterAuth } = await import('./better-auth.ts')
    return openBetterAuth(deps, afterAnswer)
  })
  const createVerified = async (account: NewAccount) => {
    const { password } = await (await betterAuth()).$context
    return createVerifiedAccount(deps, account, password)
  }
  return {
    handle: createCalls(deps, { betterAuth, afterAnswer }),
    idle: afterAnswer.idle,
    async session(headers) {
      if (!headers.has('cookie')) return undefined
      return runAuthWork(async () => {
        const { api } = await betterAuth()
        // Refreshing a session sets a cookie, which only get-session can send back.
        const found = await api.getSession({ headers, query: { disableRefresh: true } })
        if (!found) return undefined
        const { user, session } = found
        const { id: userId, email, emailVerified } = user
        return { userId, email, emailVerified, sessionId: session.id, signedInAt: new Date(session.createdAt) }
      })
    },
    createVerified,
    async createFirst(account) {
      if (await hasAccounts(deps.db)) return
      await createVerified(account)
      deps.log.info({ email: account.email }, 'created the first account')
    },
  }
}

/** Checks whether anyone has signed up yet. */
export const hasAccounts = (db: Db): Promise<boolean> => hasUsers(db)

const createVerifiedAccount = async (
  { db, clock }: Pick<AuthDeps, 'db' | 'clock'>,
  account: NewAccount,
  password: {
    hash(password: string): Promise<string>
    config: { minPasswordLength: number; maxPasswordLength: number }
  },
) => {
  const email = z.email().safeParse(account.email.toLowerCase())
  if (!email.success) throw validation(`${account.email} is not an email address.`)
  const { minPasswordLength: min, maxPasswordLength: max } = password.config
  if (account.password.length < min || account.password.length > max)
    throw validation(`A password has ${min} to ${max} characters.`)
  if (isGuessable(account.password, [account.email, account.name ?? '']))
    throw validation('This password is too easy to guess. Choose another.')
  const user = { id: newAccountId(), email: email.data, name: account.name ?? '' }
  const passwordHash = await password.hash(account.password)
  return db.transaction().execute(async (tx) => {
    const isNew = await insertVerifiedUser(tx, { ...user, passwordHash }, clock.now())
    if (!isNew) throw conflict(`An account with the address ${user.email} exists.`)
    return { userId: user.id, organizationId: await createPersonalOrganization(tx, user) }
  })
}
