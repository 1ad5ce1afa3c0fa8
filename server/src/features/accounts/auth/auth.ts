import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { conflict, validation } from '../../../shared/errors.ts'
import { createSemaphore } from '../../../shared/semaphore.ts'
import type { Db } from '../../../storage/database.ts'
import { clientAddressHeader, runAuthTransaction, runAuthWork } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'
import { isGuessable } from './guessable-passwords.ts'
import { createPersonalOrganization } from './personal-organization.ts'
import { hasUsers, insertVerifiedUser, newAccountId } from './queries.ts'

export type { EndAccess } from './ended-access.ts'
export { findAccount, findRole, selectFirstAccount, selectMemberNames, selectOrganizations } from './queries.ts'

// Who people are: sign-up, sign-in, sessions, and the members of organizations. Better Auth does the work; this file is
// what the rest of the service sees of it.

/** A person, as the cookie of their request shows them. */
export type SignedIn = { userId: string; email: string; emailVerified: boolean; sessionId: string }

export type Accounts = {
  /** Serves /api/auth/*. Throws when the database does not answer, and never says "no session" instead. */
  handle(request: Request, clientAddress: string): Promise<Response>
  /** The live session of a request's cookie. Throws when the database does not answer. */
  session(headers: Headers): Promise<SignedIn | undefined>
  /** Makes a verified account with its personal organization; used for the first administrator. */
  createVerified(account: NewAccount): Promise<{ userId: string; organizationId: string }>
  /** Makes an administrator's verified account where nobody signed up yet. */
  createFirst(account: NewAccount): Promise<void>
}

/** Calls that are done whole or not at all. Sign-up is too, by a transaction of Better Auth's own. */
const wholeCalls =
  /\/(verify-email|reset-password|change-password|organization\/(create|update|invite-member|accept-invitation|update-member-role|remove-member|leave))$/

type NewAccount = { email: string; password: string; name?: string }

export const createAccounts = (deps: AuthDeps): Accounts => {
  const betterAuth = onFirstUse(async () => {
    const { openBetterAuth } = await import('./better-auth.ts')
    return openBetterAuth(deps)
  })
  // Better Auth hashes a new password, a tenth of a second, while its transaction holds a connection: a crowd that signs
  // up at once must not take every connection from the rest of the service.
  const transactions = createSemaphore(4)
  const createVerified = async (account: NewAccount) => {
    const { password } = await (await betterAuth()).$context
    return createVerifiedAccount(deps, account, password)
  }
  return {
    handle(request, clientAddress) {
      // Replaces what a caller sent by this name.
      request.headers.set(clientAddressHeader, clientAddress)
      const answer = async () => {
        const { handler } = await betterAuth()
        return withUsualBody(await handler(request), request)
      }
      const path = new URL(request.url).pathname
      if (path.endsWith('/sign-up/email')) return transactions.run(() => runAuthWork(answer))
      if (path.endsWith('/request-password-reset')) return inEvenTime(() => runAuthWork(answer))
      if (!wholeCalls.test(path)) return runAuthWork(answer)
      return transactions.run(() => runAuthTransaction(deps.db, ({ status }) => status < 400, answer))
    },
    async session(headers) {
      if (!headers.has('cookie')) return undefined
      return runAuthWork(async () => {
        const { api } = await betterAuth()
        // Prolonging a session sets a cookie, which only get-session can send back.
        const found = await api.getSession({ headers, query: { disableRefresh: true } })
        if (!found) return undefined
        const { user, session } = found
        return { userId: user.id, email: user.email, emailVerified: user.emailVerified, sessionId: session.id }
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

/** More than an answer takes that sends a mail: what an address is of must not be read off the time. */
const evenMilliseconds = 250

const inEvenTime = async (answer: () => Promise<Response>): Promise<Response> => {
  const [response] = await Promise.all([answer(), delay(evenMilliseconds)])
  return response
}

/** Whether anyone signed up yet. */
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
  if (!email.success) throw validation(`${account.email} is not a mail address.`)
  const { minPasswordLength: min, maxPasswordLength: max } = password.config
  if (account.password.length < min || account.password.length > max)
    throw validation(`A password has ${min} to ${max} characters.`)
  if (isGuessable(account.password, [account.email, account.name ?? '']))
    throw validation('This password is among the first that are guessed. Choose another.')
  const user = { id: newAccountId(), email: email.data, name: account.name ?? '' }
  const passwordHash = await password.hash(account.password)
  return db.transaction().execute(async (tx) => {
    const isNew = await insertVerifiedUser(tx, { ...user, passwordHash }, clock.now())
    if (!isNew) throw conflict(`An account with the address ${user.email} exists.`)
    return { userId: user.id, organizationId: await createPersonalOrganization(tx, user) }
  })
}

/** Gives every failure the same two fields, and says in the standard header when to come back (SUR-04). */
const withUsualBody = async (response: Response, request: Request): Promise<Response> => {
  if (response.status < 400) return response
  const headers = new Headers(response.headers)
  const retryAfter = headers.get('x-retry-after')
  if (retryAfter !== null) headers.set('retry-after', retryAfter)
  const text = await response.text()
  const body = failureBody.safeParse(parseJson(text))
  const known = body.success ? body.data : {}
  headers.set('content-type', 'application/json')
  headers.delete('content-length')
  return Response.json(
    {
      ...known,
      code: known.code ?? codes[response.status] ?? 'FAILED',
      message: known.message ?? `${request.method} ${new URL(request.url).pathname} was refused.`,
    },
    { status: response.status, headers },
  )
}

const failureBody = z.looseObject({ code: z.string().optional(), message: z.string().optional() })

const codes: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const onFirstUse = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
