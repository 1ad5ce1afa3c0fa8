import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { authorize } from '../../access/authorize.ts'
import type { Principal } from '../../access/principal.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import { checkPageOrigin } from '../request/origin.ts'
import { reserveBody } from '../request/read-bytes.ts'
import { findHolder } from '../request/read-request.ts'
import type { RateLimit } from './rate-limit.ts'
import { createRechecks } from './rechecks.ts'

export type Authenticate = (request: FastifyRequest, handle: string | undefined) => Promise<Principal>

/** How requests of an endpoint are let in, and how those that are answered for long are asked for again. */
export const createAdmission = (
  endpoint: Endpoint,
  deps: AppDeps,
  edge: { authenticate: Authenticate; rateLimit: RateLimit; trusted: ReadonlySet<string> },
) => {
  const brainHandle = ({ params }: FastifyRequest) => (params as { handle?: string }).handle
  const authenticate = (request: FastifyRequest) => edge.authenticate(request, brainHandle(request))
  const authorizeCall = async (request: FastifyRequest, principal: Principal): Promise<void> => {
    await authorize(deps, endpoint, principal, brainHandle(request))
    if (endpoint.jsonRpc) checkPageOrigin(request.headers, edge.trusted)
  }
  return {
    /** Finds out who calls, and takes what the request needs of their shares; throws where it may not pass. */
    enter: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const principal = await edge.rateLimit.admit(request, reply, () => authenticate(request))
      await authorizeCall(request, principal)
      request.principal = principal
      if (endpoint.ndjson !== 'body') reserveBody(deps, findHolder(request), { request, reply })
    },
    /** Whether the caller may still do this. */
    recheck: createRechecks(async (request) => {
      const principal = await authenticate(request)
      await authorizeCall(request, principal)
      return principal
    }),
  }
}
