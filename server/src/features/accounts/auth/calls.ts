import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { createSemaphore } from '../../../shared/concurrency/semaphore.ts'
import { unavailable } from '../../../shared/errors.ts'
import type { AfterAnswer } from './after-answer.ts'
import { prepareAppCall } from './app-calls.ts'
import { clientAddressHeader, runAuthTransaction, runAuthWork } from './auth-work.ts'
import { guessingCalls, toGuessed } from './sign-in-attempts.ts'
import type { AuthDeps } from './types.ts'

// Answers calls to /api/auth: chooses the Better Auth instance and the transaction, and counts guesses first.

type BetterAuth = Awaited<ReturnType<typeof import('./better-auth.ts')['openBetterAuth']>>
type Answerer = { handler(request: Request): Promise<Response> }

/** Calls that are one transaction. Sign-up is one too, which Better Auth opens itself. */
const wholeCalls =
  /\/(verify-email|reset-password|change-password|two-factor\/[a-z-]+|passkey\/(verify-registration|delete-passkey|update-passkey)|oauth2\/consent|organization\/(create|update|invite-member|accept-invitation|update-member-role|remove-member|leave))$/

/** Calls that are one transaction and keep what they stored when they are refused: a refresh token that is used twice ends its family. */
const keptCalls = /\/oauth2\/(token|revoke)$/

/** Sign-in through the OpenID provider: the redirect to it and the way back. */
const providerCalls = /\/(sign-in\/social|callback\/[^/]+)$/

/** Longer than an answer that sends an email takes, so that timing does not reveal whether an address has an account. */
const evenMilliseconds = 250

const inEvenTime = async (answer: () => Promise<Response>): Promise<Response> => {
  const [response] = await Promise.all([answer(), delay(evenMilliseconds)])
  return response
}

/** Sets up sign-in through the provider at first use, and retries until the provider answers. */
const openProvider = async (deps: AuthDeps, afterAnswer: AfterAnswer): Promise<Answerer> => {
  const provider = deps.settings.signIn.openIdProvider
  if (provider === undefined) throw new Error('there is no provider')
  const { openWithProvider } = await import('./better-auth.ts')
  try {
    return await openWithProvider(deps, provider, afterAnswer)
  } catch (error) {
    deps.log.warn({ reason: error instanceof Error ? error.message : 'unknown' }, 'the OpenID provider is not usable')
    throw unavailable('The provider of this sign-in does not answer as it should. Try again in a minute.')
  }
}

/** Shows the failure on a page to someone who comes back from the provider. */
const leadBack = ({ settings }: AuthDeps): Answerer => ({
  handler: async () => Response.redirect(`${settings.appUrl}/?error=provider_unavailable`, 302),
})

type Parts = { betterAuth: () => Promise<BetterAuth>; afterAnswer: AfterAnswer }

export const createCalls = (deps: AuthDeps, { betterAuth, afterAnswer }: Parts) => {
  const viaProvider = onFirstUse(() => openProvider(deps, afterAnswer))
  const hasProvider = deps.settings.signIn.openIdProvider !== undefined
  // Better Auth hashes a new password for a tenth of a second while its transaction holds a connection. Many sign-ups at once
  // must not take every connection from the rest of the service.
  const transactions = createSemaphore(4)
  const findAnswerer = (path: string): Promise<Answerer> => {
    if (!hasProvider || !providerCalls.test(path)) return betterAuth()
    const opened = viaProvider()
    return path.includes('/callback/') ? opened.catch(() => leadBack(deps)) : opened
  }
  /** Counts a guess in a separate transaction, because it must count even if the call is rolled back. */
  const refuseGuess = async (request: Request, path: string): Promise<Response | undefined> => {
    const { api } = await betterAuth()
    const counted = await runAuthWork(() =>
      api.countGuess({ headers: request.headers, body: { guessed: toGuessed(path) }, asResponse: true }),
    )
    return counted.status === 429 ? withUsualBody(counted, request) : undefined
  }
  const answerIn = async (request: Request, path: string): Promise<Response> => {
    const answer = async () => withUsualBody(await (await findAnswerer(path)).handler(request), request)
    if (path.endsWith('/sign-up/email')) return transactions.run(() => runAuthWork(answer))
    if (path.endsWith('/request-password-reset')) return inEvenTime(() => runAuthWork(answer))
    if (keptCalls.test(path)) return transactions.run(() => runAuthTransaction(deps.db, () => true, answer))
    if (!wholeCalls.test(path)) return runAuthWork(answer)
    return transactions.run(() => runAuthTransaction(deps.db, ({ status }) => status < 400, answer))
  }
  return async (request: Request, clientAddress: string): Promise<Response> => {
    // Overwrites any header of this name from the client.
    request.headers.set(clientAddressHeader, clientAddress)
    const path = new URL(request.url).pathname
    const refused = guessingCalls.test(path) ? await refuseGuess(request, path) : undefined
    if (refused) return refused
    const prepared = path.includes('/oauth2/') ? await prepareAppCall(deps, request, path) : request
    return prepared instanceof Response ? prepared : answerIn(prepared, path)
  }
}

/** Gives every failure the same two fields. */
const withUsualBody = async (response: Response, request: Request): Promise<Response> => {
  if (response.status < 400) return response
  const headers = new Headers(response.headers)
  const text = await response.text()
  const body = failureBody.safeParse(parseJson(text))
  const known = body.success ? body.data : {}
  const status = mistakes.includes(known.code ?? '') ? 400 : response.status
  headers.set('content-type', 'application/json')
  headers.delete('content-length')
  return Response.json(
    {
      ...known,
      code: known.code ?? codes[status] ?? 'FAILED',
      message: known.message ?? `${request.method} ${new URL(request.url).pathname} was refused.`,
    },
    { status, headers },
  )
}

/** Codes that Better Auth answers as its own failures although the request was wrong. */
const mistakes = ['FAILED_TO_VERIFY_REGISTRATION']

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

/** Makes a value at first use, and again after a failure. */
export const onFirstUse = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
