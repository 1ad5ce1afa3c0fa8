import { z } from 'zod'
import { displayName, itemId, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { keyStatus } from './keys.ts'

// Apps: programs that members let in through OAuth, at the MCP servers of Brains and of the organization.

/** The capabilities that an app can get: no app administers a Brain. */
export const appCapability = z.enum(['read', 'write', 'review'])
export type AppCapability = z.infer<typeof appCapability>

/** All of them, in the order in which responses list them. */
export const appCapabilities: readonly AppCapability[] = appCapability.options

const capabilities = z.array(appCapability).min(1)

export const appGrant = z
  .object({
    id: itemId,
    brain: z
      .object({ id: itemId, handle: z.string().describe('The handle of the Brain.') })
      .nullable()
      .describe('The Brain that it reaches; null for the agents of the organization.'),
    capabilities: z.array(appCapability).describe('What the app may do there.'),
    status: keyStatus.describe('The current state.'),
    grantedBy: z.string().describe('The id of the member who let the app in.'),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable().describe('When it was last used; null if never.'),
    expiresAt: timestamp.describe('When it expires.'),
    revokedAt: timestamp.nullable().describe('When it was revoked; null while it is not.'),
  })
  .describe('The consent of one member: an app may reach one Brain, or the agents of the organization.')
export type AppGrant = z.infer<typeof appGrant>

export const app = z
  .object({
    id: itemId,
    clientId: z.string().describe('The client_id of OAuth. An https address is the address of its description.'),
    name: displayName,
    redirectHosts: z.array(z.string()).describe('The hosts that it is reached at after a consent.'),
    registeredAt: timestamp,
    grants: z.array(appGrant).describe('Its grants in this organization, newest first, 100 at most.'),
  })
  .describe('A program that members let in through OAuth. It chose its name itself.')
export type App = z.infer<typeof app>

const path = '/v1/apps' as const

export const listApps = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List the apps of the organization',
  description:
    'Lists the apps that members let in, with their grants, also those that ended. An app is removed a day after ' +
    'its last grant ended.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'apps',
  result: z.object({ apps: z.array(app).describe('The apps of this page.'), ...pageResult }),
})

export const revokeApp = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Revoke an app',
  description: 'Revokes all grants of an app in this organization, effective with its next request. Idempotent.',
  access: 'management',
  status: [200],
  result: z.object({ app: app.describe('The app.') }),
})

export const narrowAppGrant = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}/grants/{grantId}`,
  summary: 'Take capabilities from an app',
  description:
    'Keeps only these capabilities of a grant, effective with its next request. Only a new consent gives more.',
  access: 'management',
  body: z.object({ capabilities: capabilities.describe('The capabilities that it keeps.') }),
  errors: ['conflict'],
  status: [200],
  result: z.object({ grant: appGrant.describe('The grant.') }),
})

export const revokeAppGrant = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}/grants/{grantId}`,
  summary: 'Revoke a grant of an app',
  description: 'Revokes one grant of an app, effective with its next request. Idempotent.',
  access: 'management',
  status: [200],
  result: z.object({ grant: appGrant.describe('The grant.') }),
})
