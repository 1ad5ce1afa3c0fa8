import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AppTarget, toResourcePath } from '../../features/accounts/apps/resources.ts'
import { ApiError } from '../../shared/errors.ts'
import { checkPageOrigin } from '../request/origin.ts'

/** The path of the metadata of a protected resource, in front of the resource's own path (RFC 9728). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource'

/** The target that a request to an MCP server is about. */
const findTarget = ({ params }: FastifyRequest): AppTarget => {
  const { handle } = params as { handle?: string }
  return handle === undefined ? 'agents' : { handle }
}

/**
 * Tells a caller who is refused at an MCP server where it can ask for a token (RFC 9728), and whether the one that it sent is not
 * valid (RFC 6750).
 */
const addChallenge = (publicUrl: string, request: FastifyRequest, reply: FastifyReply): void => {
  const path = toResourcePath(findTarget(request))
  const metadata = `resource_metadata="${publicUrl}${resourceMetadataPath}${path}"`
  const invalid = request.credential === undefined ? [] : ['error="invalid_token"']
  reply.header('www-authenticate', `Bearer ${[...invalid, metadata].join(', ')}`)
}

type Find = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Finds the caller of an MCP server, which apps may ask to be let in to and pages of other sites may not use. */
export const challengeApps =
  (publicUrl: string, trusted: ReadonlySet<string>, find: Find): Find =>
  async (request, reply) => {
    try {
      await find(request, reply)
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'unauthorized') addChallenge(publicUrl, request, reply)
      throw error
    }
    checkPageOrigin(request.headers, trusted)
  }
