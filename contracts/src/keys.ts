import { z } from 'zod'
import { capability } from './access.ts'
import { idempotencyKey, listQuery, pageResult, timeInput, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/** `active` works, `revoked` was revoked, `expired` is past its expiry. Keys of all three states are listed. */
export const keyStatus = z.enum(['active', 'revoked', 'expired'])

const keyDetails = {
  id: z.string(),
  name: z.string(),
  status: keyStatus,
  prefix: z.string().meta({ description: 'The first 8 characters of the secret' }),
  createdAt: timestamp,
  createdBy: z.string().nullable(),
  lastUsedAt: timestamp.nullable(),
  expiresAt: timestamp.nullable(),
  revokedAt: timestamp.nullable(),
}

/** A management key (`nsk_…`): every Brain of one organization. */
export const managementKey = z.object({ ...keyDetails, organizationId: z.string() })
export type ManagementKey = z.infer<typeof managementKey>

/** A Brain key (`nbk_…`): one Brain, with the granted capabilities only. */
export const brainKey = z.object({
  ...keyDetails,
  capabilities: z.array(capability),
  replacedBy: z.string().nullable(),
})
export type BrainKey = z.infer<typeof brainKey>

const keyName = z.string().min(1).max(200)
const secret = z.string().nullable().meta({ description: 'Shown once; null in a repeated call' })

/** Mints a management key. A repeat with the same idempotencyKey returns the key with a null secret. */
export const mintManagementKey = defineEndpoint({
  method: 'POST',
  path: '/v1/keys',
  summary: 'Mint a management key',
  access: 'session',
  body: z.strictObject({
    name: keyName,
    expiresAt: timeInput.optional(),
    idempotencyKey: idempotencyKey.optional(),
  }),
  idempotencyKey: 'body',
  errors: ['idempotency_key_reused', 'too_many_keys'],
  status: [201, 200],
  result: z.object({ key: managementKey, secret }),
})

/** Lists the organization's management keys, revoked ones included, never a secret. */
export const listManagementKeys = defineEndpoint({
  method: 'GET',
  path: '/v1/keys',
  summary: 'List the management keys of the organization',
  access: 'session',
  query: z.object(listQuery),
  status: [200],
  list: 'keys',
  result: z.object({ keys: z.array(managementKey), ...pageResult }),
})

/** What a revoked key made and that goes on until it is ended itself: `brain` is a handle, null for the whole organization. */
const remaining = z.object({
  brainKeys: z.array(z.object({ id: z.string(), name: z.string(), brain: z.string() })),
  webhooks: z.array(z.object({ id: z.string(), url: z.string(), brain: z.string().nullable() })),
  providers: z.array(z.object({ name: z.string(), baseUrl: z.string().nullable() })),
  connectors: z.array(z.object({ id: z.string(), name: z.string(), url: z.string() })),
  triggers: z.array(z.object({ id: z.string(), name: z.string() })),
  schedules: z.array(z.object({ id: z.string(), cron: z.string() })),
})

/**
 * Revokes a management key, effective with its next request. Idempotent. Members revoke the keys that they minted, owners and
 * admins anybody's; another's is 403. What the key made goes on, such as Brain keys, webhooks, connectors and triggers: `remaining` lists up to
 * 1,000 of each.
 */
export const revokeManagementKey = defineEndpoint({
  method: 'DELETE',
  path: '/v1/keys/{id}',
  summary: 'Revoke a management key',
  access: 'session',
  status: [200],
  result: z.object({ key: managementKey, remaining }),
})

/** Mints a key for one Brain. A repeat with the same idempotencyKey returns the key with a null secret. */
export const mintBrainKey = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/keys',
  summary: 'Mint a Brain key',
  access: 'management',
  body: z.strictObject({
    name: keyName,
    capabilities: z.array(capability).min(1),
    idempotencyKey: idempotencyKey.optional(),
  }),
  idempotencyKey: 'body',
  errors: ['idempotency_key_reused', 'too_many_keys'],
  status: [201, 200],
  result: z.object({ key: brainKey, secret }),
})

/** Lists a Brain's keys, revoked ones included, never a secret. */
export const listBrainKeys = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/keys',
  summary: 'List the keys of a Brain',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'keys',
  result: z.object({ keys: z.array(brainKey), ...pageResult }),
})

/** Mints a replacement. The old secret keeps working for 60 seconds. */
export const rotateBrainKey = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/keys/{keyId}/rotate',
  summary: 'Replace a Brain key',
  access: 'management',
  errors: ['too_many_keys'],
  status: [201],
  result: z.object({
    key: brainKey,
    secret: z.string(),
    previous: z.object({ id: z.string(), worksUntil: timestamp }),
  }),
})

/** Revokes a Brain key, effective with its next request. Idempotent. */
export const revokeBrainKey = defineEndpoint({
  method: 'DELETE',
  path: '/v1/brains/{handle}/keys/{keyId}',
  summary: 'Revoke a Brain key',
  access: 'management',
  status: [200],
  result: z.object({ key: brainKey }),
})

/** Says who is calling: the type of credential, what it belongs to and what it may do. */
export const whoami = defineEndpoint({
  method: 'GET',
  path: '/v1/whoami',
  summary: 'Say who is calling',
  access: 'anyone',
  status: [200],
  result: z.object({
    kind: z.enum(['management', 'brain', 'session']),
    user: z.object({ id: z.string(), email: z.string(), emailVerified: z.boolean() }).nullable(),
    administrator: z.boolean().meta({ description: 'Whether the caller administers the whole service' }),
    organizations: z.array(z.object({ id: z.string(), name: z.string() })),
    brain: z.object({ id: z.string(), handle: z.string() }).nullable(),
    capabilities: z.array(capability).meta({
      description:
        'What a key may do on its Brains. Empty for a session, which has all four in each of its organizations',
    }),
  }),
})
