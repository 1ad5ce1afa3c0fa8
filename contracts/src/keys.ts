import { z } from 'zod'
import { capability } from './access.ts'
import {
  displayName,
  emailAddress,
  idempotencyKey,
  itemId,
  listQuery,
  pageResult,
  timeInput,
  timestamp,
} from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/** `active` works, `revoked` was revoked, `expired` is past its expiry. Keys of all three states are listed. */
export const keyStatus = z.enum(['active', 'revoked', 'expired'])

const keyDetails = {
  id: itemId,
  name: displayName,
  status: keyStatus.describe('The current state.'),
  prefix: z.string().describe('The first 8 characters of the secret'),
  createdAt: timestamp,
  createdBy: z.string().nullable().describe('Who created it.'),
  lastUsedAt: timestamp.nullable().describe('When it was last used; null if never.'),
  expiresAt: timestamp.nullable().describe('When it expires; null if never.'),
  revokedAt: timestamp.nullable().describe('When it was revoked; null while it is not.'),
}

export const managementKey = z
  .object({ ...keyDetails, organizationId: z.string().describe('The id of the organization.') })
  .describe('A management key (`nsk_…`): every Brain of one organization.')
export type ManagementKey = z.infer<typeof managementKey>

export const brainKey = z
  .object({
    ...keyDetails,
    capabilities: z.array(capability).describe('The capabilities of the key.'),
    replacedBy: z.string().nullable().describe('The id of the key that replaced it.'),
  })
  .describe('A Brain key (`nbk_…`): one Brain, with the granted capabilities only.')
export type BrainKey = z.infer<typeof brainKey>

const keyName = z.string().min(1).max(200).describe('The name, for people.')
const secret = z.string().nullable().describe('Shown once; null in a repeated call')

export const mintManagementKey = defineEndpoint({
  method: 'POST',
  path: '/v1/keys',
  summary: 'Mint a management key',
  description: 'Mints a management key. A repeat with the same idempotencyKey returns the key with a null secret.',
  access: 'session',
  body: z.strictObject({
    name: keyName,
    expiresAt: timeInput.optional().describe('When it expires, from 1 to 365 days ahead; without it, never.'),
    idempotencyKey: idempotencyKey.optional(),
  }),
  idempotencyKey: 'body',
  errors: ['idempotency_key_reused', 'too_many_keys'],
  status: [201, 200],
  result: z.object({ key: managementKey.describe('The key.'), secret }).describe('The new key and its secret.'),
})

export const listManagementKeys = defineEndpoint({
  method: 'GET',
  path: '/v1/keys',
  summary: 'List the management keys of the organization',
  description: "Lists the organization's management keys, revoked ones included, never a secret.",
  access: 'session',
  query: z.object(listQuery),
  status: [200],
  list: 'keys',
  result: z.object({ keys: z.array(managementKey).describe('The keys.'), ...pageResult }),
})

export const getManagementKey = defineEndpoint({
  method: 'GET',
  path: '/v1/keys/{id}',
  summary: 'Read a management key',
  description: 'Reads a management key of the organization, also a revoked one, never its secret.',
  access: 'session',
  status: [200],
  result: z.object({ key: managementKey.describe('The key.') }),
})

const madeWebhooks = z
  .array(
    z.object({
      id: itemId,
      url: z.string().describe('The address that events are sent to.'),
      brain: z.string().nullable().describe('The Brain.'),
    }),
  )
  .describe('The webhooks.')

/** Things that a revoked key created and that stay active: `brain` is a handle, null for the whole organization. */
const remaining = z.object({
  brainKeys: z
    .array(z.object({ id: itemId, name: displayName, brain: z.string().describe('The handle of the Brain.') }))
    .describe('Keys of Brains.'),
  webhooks: madeWebhooks,
  providers: z
    .array(
      z.object({
        name: displayName,
        baseUrl: z.string().nullable().describe('The address of the API; null for the usual one.'),
      }),
    )
    .describe('The providers of models.'),
  connectors: z
    .array(z.object({ id: itemId, name: displayName, url: z.string().describe('The address.') }))
    .describe('The connectors.'),
  triggers: z.array(z.object({ id: itemId, name: displayName })).describe('The triggers.'),
  schedules: z
    .array(
      z.object({
        id: itemId,
        cron: z.string().describe('When to run, as five fields: minute, hour, day, month, weekday.'),
      }),
    )
    .describe('The schedules.'),
})

export const revokeManagementKey = defineEndpoint({
  method: 'DELETE',
  path: '/v1/keys/{id}',
  summary: 'Revoke a management key',
  description:
    'Revokes a management key, effective with its next request. Idempotent. Members revoke the keys that they ' +
    "minted, owners and admins any key; another's is 403. Things that the key made go on, such as Brain keys, webhooks, " +
    'connectors and triggers: `remaining` lists up to 1,000 of each.',
  access: 'session',
  status: [200],
  result: z.object({
    key: managementKey.describe('The key.'),
    remaining: remaining.describe('Things that remain in the organization and may need attention.'),
  }),
})

export const mintBrainKey = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/keys',
  summary: 'Mint a Brain key',
  description: 'Mints a key for one Brain. A repeat with the same idempotencyKey returns the key with a null secret.',
  access: 'management',
  minRole: 'reader',
  body: z.strictObject({
    name: keyName,
    capabilities: z.array(capability).min(1).describe('The capabilities of the key.'),
    idempotencyKey: idempotencyKey.optional(),
  }),
  idempotencyKey: 'body',
  errors: ['idempotency_key_reused', 'too_many_keys'],
  status: [201, 200],
  result: z.object({ key: brainKey.describe('The key.'), secret }).describe('The new key and its secret.'),
})

export const listBrainKeys = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/keys',
  summary: 'List the keys of a Brain',
  description: "Lists a Brain's keys, revoked ones included, never a secret.",
  access: 'management',
  minRole: 'reader',
  query: z.object(listQuery),
  status: [200],
  list: 'keys',
  result: z.object({ keys: z.array(brainKey).describe('The keys.'), ...pageResult }),
})

export const getBrainKey = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/keys/{keyId}',
  summary: 'Read a Brain key',
  description: 'Reads a key of a Brain, also a revoked one, never its secret.',
  access: 'management',
  minRole: 'reader',
  status: [200],
  result: z.object({ key: brainKey.describe('The key.') }),
})

export const rotateBrainKey = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/keys/{keyId}/rotate',
  summary: 'Replace a Brain key',
  description: 'Mints a replacement. The old secret keeps working for 60 seconds.',
  access: 'management',
  minRole: 'reader',
  errors: ['too_many_keys'],
  status: [201],
  result: z.object({
    key: brainKey.describe('The key.'),
    secret: z.string().describe('The secret. It is shown once.'),
    previous: z.object({ id: itemId, worksUntil: timestamp }).describe('The key that was replaced.'),
  }),
})

export const revokeBrainKey = defineEndpoint({
  method: 'DELETE',
  path: '/v1/brains/{handle}/keys/{keyId}',
  summary: 'Revoke a Brain key',
  description:
    'Revokes a Brain key, effective with its next request. Idempotent. Webhooks of the Brain that it created, or whose ' +
    'address or secret it was the last to set or see, are paused until someone sends their address again: `paused` lists them once.',
  access: 'management',
  minRole: 'reader',
  status: [200],
  result: z.object({
    key: brainKey.describe('The key.'),
    paused: z.object({ webhooks: madeWebhooks }).describe('The webhooks that were paused with it.'),
  }),
})

export const whoami = defineEndpoint({
  method: 'GET',
  path: '/v1/whoami',
  summary: 'Say who is calling',
  description: 'Says who is calling: the type of credential, what it belongs to and what it may do.',
  access: 'anyone',
  status: [200],
  result: z.object({
    kind: z.enum(['management', 'brain', 'session']).describe('Who calls, or what kind of thing it is.'),
    user: z
      .object({
        id: itemId,
        email: emailAddress,
        emailVerified: z.boolean().describe('True if the address is confirmed.'),
      })
      .nullable()
      .describe('The person behind the call; null if there is none.'),
    administrator: z.boolean().describe('Whether the caller administers the whole service'),
    organizations: z.array(z.object({ id: itemId, name: displayName })).describe('The organizations.'),
    brain: z
      .object({ id: itemId, handle: z.string().describe('The name of the Brain in addresses. It is its identity.') })
      .nullable()
      .describe('The Brain.'),
    capabilities: z
      .array(capability)
      .describe(
        'What a key may do on its Brains. Empty for a session, which has all four in each of its organizations',
      ),
  }),
})
