import type { Endpoint } from '@noema/contracts/endpoint.ts'
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
 * Adds to a refusal the address of the metadata, which leads to the authorization server (RFC 9728), and an error if the caller
 * sent a token that is not valid (RFC 6750).
 */
const addChallenge = (publicUrl: string, request: FastifyRequest, reply: FastifyReply): void => {
  const path = toResourcePath(findResource(request))
  const metadata = `resource_metadata="${publicUrl}${resourceMetadataPath}${path}"`
  const invalid = request.credential === undefined ? [] : ['error="invalid_token"']
  reply.header('www-authenticate', `Bearer ${[...invalid, metadata].join(', ')}`)
}

type Find = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

const challenging =
  (publicUrl: string, find: Find): Find =>
  async (request, reply) => {
    try {
      await find(request, reply)
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'unauthorized') addChallenge(publicUrl, request, reply)
      throw error
    }
  }

const refusingPages =
  (trusted: ReadonlySet<string>, find: Find): Find =>
  async (request, reply) => {
    await find(request, reply)
    checkPageOrigin(request.headers, trusted)
  }

type Edge = { publicUrl: string; trusted: ReadonlySet<string> }

/**
 * Finds the caller of an endpoint. One that apps may ask to be let in to says so when it refuses a caller; pages of other sites
 * may not use an MCP server.
 */
export const findCaller = ({ jsonRpc, openai }: Endpoint, { publicUrl, trusted }: Edge, find: Find): Find => {
  if (jsonRpc) return refusingPages(trusted, challenging(publicUrl, find))
  return openai ? challenging(publicUrl, find) : find
}
