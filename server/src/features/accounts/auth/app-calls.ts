import { appCapabilities } from '@noema/contracts/apps.ts'
import { isObject } from '@noema/contracts/json.ts'
import { toClientNetwork } from '../../../shared/network/client-network.ts'
import { readDescription } from '../apps/descriptions.ts'
import { countCall } from './account-queries.ts'
import { clientAddressHeader } from './auth-work.ts'
import type { AuthDeps } from './types.ts'

// Calls of apps to the authorization server, before Better Auth reads them: each keeps only the parameters that this service
// serves. None of them acts by a cookie but the authorization request, which only leads to the page of the consent.

/** Its refresh tokens are what lets an app stay connected, so every app gets them, whether it asks or not. */
export const offlineScope = 'offline_access'

const authorizeNames = [
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
]
const tokenNames = [
  'grant_type',
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
]
const revokeNames = ['token', 'token_type_hint', 'client_id', 'client_secret']

/** Registrations of all networks in an hour, in relation to those of one. Anyone can register, so each is a row for a stranger. */
const networksOfService = 30
const hourSeconds = 3_600

const pick = (given: URLSearchParams, names: readonly string[]): URLSearchParams => {
  const picked = new URLSearchParams()
  // A parameter that is sent twice stays, so that it is refused.
  for (const name of names) for (const value of given.getAll(name)) picked.append(name, value)
  return picked
}

/** The scopes of a request that exist here; a client may ask for others, which are not given (RFC 6749, 3.3). */
const toScope = (given: string | null): string => {
  const asked = (given ?? '').split(' ')
  const known = appCapabilities.filter((scope) => asked.includes(scope))
  return [...(known.length > 0 ? known : appCapabilities), offlineScope].join(' ')
}

const toAuthorizeQuery = (given: URLSearchParams): URLSearchParams => {
  const query = pick(given, [...authorizeNames, 'resource'])
  query.set('scope', toScope(given.get('scope')))
  // Each connection is a consent of its own: the person chooses where the app is let in.
  query.set('prompt', 'consent')
  return query
}

/** The body of a call from which neither cookie nor page counts. */
const withoutBrowser = (request: Request, type: string, body: string): Request => {
  const headers = new Headers({ 'content-type': type, accept: 'application/json' })
  for (const name of ['authorization', clientAddressHeader]) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return new Request(request.url, { method: 'POST', headers, body })
}

const form = 'application/x-www-form-urlencoded'

const toFormCall = async (request: Request, names: readonly string[]): Promise<Request> => {
  const given = new URLSearchParams(await request.text())
  const body = pick(given, names)
  if (names === tokenNames) {
    for (const resource of given.getAll('resource')) body.append('resource', resource)
    if (given.get('scope')) body.set('scope', toScope(given.get('scope')))
  }
  return withoutBrowser(request, request.headers.get('content-type') ?? form, body.toString())
}

type Refusal = { error: string; error_description: string }

/** A refusal in the fields of OAuth, and in those that every failure has. */
const refuse = (status: number, code: string, refusal: Refusal, headers: Record<string, string> = {}): Response =>
  Response.json(
    { ...refusal, code, message: refusal.error_description },
    { status, headers: { 'cache-control': 'no-store', ...headers } },
  )

/** Counts a registration; the seconds to wait where there were too many. */
const countRegistration = async ({ db, settings }: AuthDeps, address: string): Promise<number | undefined> => {
  const { appRegistrations: max } = settings.signIn
  const counts = [
    { key: `register ${toClientNetwork(address)}`, max },
    { key: 'register', max: max * networksOfService },
  ]
  for (const { key, max } of counts) {
    const { count, secondsLeft } = await countCall(db, key, hourSeconds)
    if (count > max) return Math.max(1, secondsLeft)
  }
  return undefined
}

const readJson = async (request: Request): Promise<unknown> => {
  try {
    return JSON.parse(await request.text())
  } catch {
    return undefined
  }
}

const toRegistration = async (deps: AuthDeps, request: Request): Promise<Request | Response> => {
  if (deps.settings.signIn.appRegistrations === 0)
    return refuse(403, 'FORBIDDEN', {
      error: 'access_denied',
      error_description: 'Apps cannot register themselves here.',
    })
  const seconds = await countRegistration(deps, request.headers.get(clientAddressHeader) ?? '')
  if (seconds !== undefined) {
    const error_description = 'There were too many registrations. Wait as long as Retry-After says.'
    const headers = { 'x-retry-after': String(seconds) }
    return refuse(429, 'TOO_MANY_REQUESTS', { error: 'slow_down', error_description }, headers)
  }
  const metadata = await readJson(request)
  const described = readDescription(isObject(metadata) ? metadata : undefined)
  if ('error' in described) return refuse(400, 'BAD_REQUEST', described)
  const body = {
    client_name: described.name,
    redirect_uris: described.redirectUris,
    token_endpoint_auth_method: described.authMethod,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
  }
  return withoutBrowser(request, 'application/json', JSON.stringify(body))
}

/** The call as Better Auth gets it, or its refusal. */
export const prepareAppCall = async (deps: AuthDeps, request: Request, path: string): Promise<Request | Response> => {
  if (path.endsWith('/oauth2/authorize')) {
    if (request.method !== 'GET')
      return refuse(404, 'NOT_FOUND', { error: 'invalid_request', error_description: 'Open this address instead.' })
    const url = new URL(request.url)
    const headers = new Headers(request.headers)
    // It is answered with a redirect, also to a program that follows it in a browser's place.
    headers.set('accept', 'text/html')
    headers.delete('sec-fetch-mode')
    return new Request(`${url.origin}${url.pathname}?${toAuthorizeQuery(url.searchParams)}`, { headers })
  }
  if (request.method !== 'POST') return request
  if (path.endsWith('/oauth2/token')) return toFormCall(request, tokenNames)
  if (path.endsWith('/oauth2/revoke')) return toFormCall(request, revokeNames)
  if (path.endsWith('/oauth2/register')) return toRegistration(deps, request)
  return request
}
