import { appCapabilities } from '@noema/contracts/apps.ts'
import { handle as handleSchema } from '@noema/contracts/brains.ts'
import { mcp, organizationMcp } from '@noema/contracts/mcp.ts'

// An app is let in to the MCP server of a Brain, or to the organization's agents: to their MCP server and to them as models. A handle names a Brain of one organization,
// so an address alone does not say whose Brain it is: the consent does.

/** The Brain of a handle, or the agents of an organization. */
export type AppTarget = { handle: string } | 'agents'

/** An address that apps ask for: an MCP server, or `models`, the agents in the format of OpenAI. */
export type AppResource = AppTarget | 'models'

/** The base URL of OpenAI's API. */
const modelsPath = '/v1'

/** The path of a resource below the public address. */
export const toResourcePath = (resource: AppResource): string => {
  if (resource === 'models') return modelsPath
  return resource === 'agents'
    ? organizationMcp.path
    : mcp.path.replace('{handle}', encodeURIComponent(resource.handle))
}

/** The address of a resource, which RFC 8707 calls its identifier. */
const toIdentifier = (publicUrl: string, resource: AppResource): string => publicUrl + toResourcePath(resource)

const [beforeHandle = '', afterHandle = ''] = mcp.path.split('{handle}')

/** The target of an address; undefined for one that is none of this service. */
export const readResource = (publicUrl: string, resource: string): AppTarget | undefined => {
  if (!resource.startsWith(`${publicUrl}/`)) return undefined
  const path = resource.slice(publicUrl.length)
  if (path === toResourcePath('agents') || path === modelsPath) return 'agents'
  if (!path.startsWith(beforeHandle) || !path.endsWith(afterHandle)) return undefined
  const handle = handleSchema.safeParse(path.slice(beforeHandle.length, -afterHandle.length))
  return handle.success ? { handle: handle.data } : undefined
}

/** The metadata of a protected resource (RFC 9728). It is the same for every handle, so it does not say which Brains exist. */
export const describeResource = (publicUrl: string, resource: AppResource) => ({
  resource: toIdentifier(publicUrl, resource),
  authorization_servers: [toIssuer(publicUrl)],
  scopes_supported: appCapabilities,
  bearer_methods_supported: ['header'],
  resource_name:
    typeof resource === 'string' ? 'Noema: the agents of an organization' : `Noema: the Brain ${resource.handle}`,
})

/** The path of the page where people consent, below the address of the pages. */
export const consentPage = '/authorize'

/** The authorization server's name, which is also the base of its addresses. */
const toIssuer = (publicUrl: string): string => `${publicUrl}/api/auth`

/** The metadata of the authorization server (RFC 8414). */
export const describeAuthorizationServer = (
  publicUrl: string,
  { takesRegistrations }: { takesRegistrations: boolean },
) => {
  const issuer = toIssuer(publicUrl)
  const methods = ['none', 'client_secret_basic', 'client_secret_post']
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth2/authorize`,
    token_endpoint: `${issuer}/oauth2/token`,
    ...(takesRegistrations ? { registration_endpoint: `${issuer}/oauth2/register` } : {}),
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    scopes_supported: [...appCapabilities, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  }
}

/**
 * The same for clients that know only OpenID's place for it, which is the one that a client finds below a base path. They insist on
 * these three; this server issues no ID tokens, so there are neither keys nor algorithms.
 */
export const describeOpenId = (publicUrl: string, settings: Parameters<typeof describeAuthorizationServer>[1]) => ({
  ...describeAuthorizationServer(publicUrl, settings),
  jwks_uri: `${toIssuer(publicUrl)}${keysPath}`,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [],
})

/** The path of the keys of ID tokens, of which there are none. */
export const keysPath = '/.well-known/jwks.json'
