import type { FastifyRequest } from 'fastify'
import type { KeyAuthentication } from '../../access/authenticate-key.ts'
import type { SessionAuthentication } from '../../access/authenticate-session.ts'
import type { Accounts } from '../../features/accounts/auth/auth.ts'
import { forbidden, unauthorized } from '../../shared/errors.ts'
import { untrustedOrigin } from '../request/origin.ts'
import type { Authenticate } from './admission.ts'

/** The organization that a request wants to act in. An empty header names none. */
const toOrganization = ({ headers }: FastifyRequest): string | undefined => {
  const given = headers['x-organization-id']
  return typeof given === 'string' && given !== '' ? given : undefined
}

const webHeaders = (request: FastifyRequest): Headers => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  return headers
}

/**
 * Finds the caller of a request: by its key, else by its session cookie. The origin is validated only if the cookie counts:
 * no browser adds a key by itself (D-11b).
 */
export const createAuthenticate =
  (deps: {
    keys: KeyAuthentication
    sessions: SessionAuthentication
    accounts: Accounts
    trusted: ReadonlySet<string>
  }): Authenticate =>
  async (request) => {
    const { handle } = request.params as { handle?: string }
    const { credential } = request
    if (credential !== undefined) {
      if (credential.token === undefined) throw unauthorized('The authorization header is not "Bearer <key>".')
      const principal = await deps.keys.authenticate(credential.token, handle, credential.hash)
      if (principal) return principal
      throw unauthorized('This key is not valid: it is mistyped, revoked or expired. Mint another.')
    }
    if (request.headers.cookie === undefined) return { kind: 'public' }
    const session = await deps.accounts.session(webHeaders(request))
    if (!session) return { kind: 'public' }
    const reason = untrustedOrigin(request.headers, deps.trusted)
    if (reason !== undefined) throw forbidden(reason, { code: 'MISSING_OR_NULL_ORIGIN' })
    return deps.sessions.authenticate(session, { organizationId: toOrganization(request), handle })
  }
