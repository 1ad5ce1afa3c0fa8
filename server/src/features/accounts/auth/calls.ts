import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { createSemaphore } from '../../../shared/concurrency/semaphore.ts'
import { unavailable } from '../../../shared/errors.ts'
import { clientAddressHeader, runAuthTransaction, runAuthWork } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'
import { guessingCalls, toGuessed } from './sign-in-attempts.ts'

// How a call to /api/auth is answered: by which Better Auth, in which transaction, and after which count.

type BetterAuth = Awaited<ReturnType<typeof import('./better-auth.ts')['openBetterAuth']>>
type Answerer = { handler(request: Request): Promise<Response> }

/** Calls that are done whole or not at all. Sign-up is too, by a transaction of Better Auth's own. */
const wholeCalls =
  /\/(verify-email|reset-password|change-password|two-factor\/[a-z-]+|passkey\/(verify-registration|delete-passkey|update-passkey)|organization\/(create|update|invite-member|accept-invitation|update-member-role|remove-member|leave))$/

/** The way over the OpenID provider, there and back. */
const providerCalls = /\/(sign-in\/social|callback\/[^/]+)$/

/** More than an answer takes that sends a mail: what an address is of must not be read off the time. */
const evenMilliseconds = 250

const inEvenTime = async (answer: () => Promise<Response>): Promise<Response> => {
  const [response] = await Promise.all([answer(), delay(evenMilliseconds)])
  return response
}

/** Opens the way over the provider when it is first gone, and again until the provider answers. */
const openOverProvider = async (deps: AuthDeps): Promise<Answerer> => {
  const provider = deps.settings.signIn.openIdProvider
  if (provider === undefined) throw new Error('there is no provider')
  const { openWithProvider } = await import('./better-auth.ts')
  try {
    return await openWithProvider(deps, provider)
  } catch (error) {
    deps.log.warn({ reason: error instanceof Error ? error.message : 'unknown' }, 'the OpenID provider is not usable')
    throw unavailable('The provider of this sign-in does not answer as it should. Try again in a minute.')
  }
}

/** Somebody who comes back from the provider is told on a page. */
const leadBack = ({ settings }: AuthDeps): Answerer => ({
  handler: async () => Response.redirect(`${settings.appUrl}/?error=provider_unavailable`, 302),
})

export const createCalls = (deps: AuthDeps, betterAuth: () => Promise<BetterAuth>) => {
  const overProvider = onFirstUse(() => openOverProvider(deps))
  const hasProvider = deps.settings.signIn.openIdProvider !== undefined
  // Better Auth hashes a new password, a tenth of a second, while its transaction holds a connection: a crowd that signs
  // up at once must not take every connection from the rest of the service.
  const transactions = createSemaphore(4)
  const findAnswerer = (path: string): Promise<Answerer> => {
    if (!hasProvider || !providerCalls.test(path)) return betterAuth()
    const opened = overProvider()
    return path.includes('/callback/') ? opened.catch(() => leadBack(deps)) : opened
  }
  /** Counts a guess by itself: one that a transaction takes back was made all the same. */
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
    if (!wholeCalls.test(path)) return runAuthWork(answer)
    return transactions.run(() => runAuthTransaction(deps.db, ({ status }) => status < 400, answer))
  }
  return async (request: Request, clientAddress: string): Promise<Response> => {
    // Replaces what a caller sent by this name.
    request.headers.set(clientAddressHeader, clientAddress)
    const path = new URL(request.url).pathname
    const refused = guessingCalls.test(path) ? await refuseGuess(request, path) : undefined
    return refused ?? answerIn(request, path)
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

/** What Better Auth takes for failures of its own, and is what a caller sent. */
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

/** Makes something when it is first wanted, and again where that failed. */
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
