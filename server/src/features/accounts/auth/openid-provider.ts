import { z } from 'zod'
import type { OpenIdProvider } from '../../../config/sign-in.ts'
import { askOperator } from '../../../shared/outbound/operator-endpoint.ts'

// Requests to the operator's OpenID provider: discovery, code exchange and user info. Its address comes from the operator, so it may
// be private; each answer is still limited in time and size.

const seconds = 10
const maxBytes = 1024 * 1024

const discovered = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  userinfo_endpoint: z.url().optional(),
  jwks_uri: z.url(),
})
export type Discovered = z.infer<typeof discovered>

const request = async (what: string, sent: { url: string; headers: Record<string, string>; body?: string }) => {
  const { status, body } = await askOperator({ ...sent, signal: AbortSignal.timeout(seconds * 1000), maxBytes })
  if (status !== 200) throw new Error(`the provider answered ${what} with ${status}`)
  try {
    return JSON.parse(body) as unknown
  } catch {
    throw new Error(`the provider answered ${what} with something other than JSON`)
  }
}

/** The address of the provider's discovery document. */
export const discoveryUrl = ({ issuer }: OpenIdProvider): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`

/** Reads the provider's discovery document. Throws if its issuer differs from the settings. */
export const discover = async (provider: OpenIdProvider): Promise<Discovered> => {
  const read = discovered.safeParse(await request('its discovery', { url: discoveryUrl(provider), headers: {} }))
  if (!read.success) throw new Error('the provider’s discovery lacks its issuer, its endpoints or its keys')
  if (read.data.issuer !== provider.issuer)
    throw new Error(`NOEMA_OIDC_ISSUER must be written as the provider writes it: ${read.data.issuer.slice(0, 500)}`)
  return read.data
}

const granted = z.looseObject({ access_token: z.string().optional(), id_token: z.string() })

// RFC 6749 asks for both to be encoded as in a form before they are joined.
const encodePart = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+')

type Code = { code: string; redirectURI: string; codeVerifier?: string | undefined }

/** Exchanges a code. Throws unless the provider answers with an ID token. */
export const exchangeCode = async (
  { clientId, clientSecret, clientAuth }: OpenIdProvider,
  { token_endpoint: url }: Discovered,
  { code, redirectURI, codeVerifier }: Code,
): Promise<{ idToken: string; accessToken?: string }> => {
  const body = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectURI })
  if (codeVerifier !== undefined) body.set('code_verifier', codeVerifier)
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  }
  if (clientSecret !== undefined && clientAuth === 'basic') {
    const pair = `${encodePart(clientId)}:${encodePart(clientSecret)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  } else {
    body.set('client_id', clientId)
    if (clientSecret !== undefined) body.set('client_secret', clientSecret)
  }
  const { id_token, access_token } = granted.parse(await request('a code', { url, headers, body: body.toString() }))
  return { idToken: id_token, ...(access_token === undefined ? {} : { accessToken: access_token }) }
}

const claims = z.looseObject({
  sub: z.string().min(1).max(255),
  email: z.string().optional(),
  email_verified: z.union([z.boolean(), z.string()]).optional(),
  name: z.string().optional(),
  preferred_username: z.string().optional(),
})
type Claims = z.infer<typeof claims>

const decode = (idToken: string): Claims =>
  claims.parse(JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8')))

/**
 * The provider's claims about the person of a verified ID token. If the token has no address, they come from the user info endpoint,
 * which must answer about the same person.
 */
export const readClaims = async (
  { userinfo_endpoint: url }: Discovered,
  { idToken, accessToken }: { idToken: string; accessToken?: string | undefined },
): Promise<Claims> => {
  const claimed = decode(idToken)
  if (claimed.email !== undefined || url === undefined || accessToken === undefined) return claimed
  const headers = { accept: 'application/json', authorization: `Bearer ${accessToken}` }
  const info = claims.parse(await request('a user info request', { url, headers }))
  if (info.sub !== claimed.sub) throw new Error('the user info is about another person than the ID token')
  return { ...info, ...claimed }
}
