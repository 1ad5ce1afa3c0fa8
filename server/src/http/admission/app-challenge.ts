import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AppResource, toResourcePath } from '../../features/accounts/apps/resources.ts'
import { ApiError } from '../../shared/errors.ts'
import { checkPageOrigin } from '../request/origin.ts'

/** The path of the metadata of a protected resource, in front of the resource's own path (RFC 9728). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource'

/** The resource that a request asks for. */
const findResource = ({ params, routeOptions }: FastifyRequest): AppResource => {
  const { handle } = params as { handle?: string }
  if (handle !== undefined) return { handle }
  return routeOptions.config.isOpenAi ? 'models' : 'agents'
}

/**
 * Tells a caller who is refused where it can ask for a token (RFC 9728), and whether the one that it sent is not valid
 * (RFC 6750).
 */
const addChallenge = (publicUrl: string, request: FastifyRequest, reply: FastifyReply): void => {
  const path = toResourcePath(findResource(request))
  const metadata = `resource_metadata="${publicUrl}${resourceMetadataPath}${path}"`
  const invalid = request.credential === undefined ? [] : ['error="invalid_token"']
  reply.header('www-authenticate', `Bearer ${[...invalid, metadata].join(', ')}`)
}

type Find = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Finds the caller of an endpoint that apps may ask to be let in to. */
export const challengeApps =
  (publicUrl: string, find: Find): Find =>
  async (request, reply) => {
    try {
      await find(request, reply)
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'unauthorized') addChallenge(publicUrl, request, reply)
      throw error
    }
  }

/** Finds the caller of an MCP server, which pages of other sites may not use. */
export const refusePages =
  (trusted: ReadonlySet<string>, find: Find): Find =>
  async (request, reply) => {
    await find(request, reply)
    checkPageOrigin(request.headers, trusted)
  }
