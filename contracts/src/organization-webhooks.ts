import { z } from 'zod'
import { handle } from './brains.ts'
import { listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { testErrors } from './error-codes.ts'
import { attemptResult, testResult, webhookCreator, webhookSecret, webhookUrl } from './webhook-endpoints.ts'

/** The events that an organization's webhooks can receive. */
export const organizationEvents = [
  'run.created',
  'run.completed',
  'run.failed',
  'run.abandoned',
  'task.created',
  'task.completed',
  'task.expired',
  'operation.succeeded',
  'operation.failed',
  'operation.abandoned',
  'knowledge.corrected',
] as const
export type OrganizationEvent = (typeof organizationEvents)[number]

/** When a failed delivery is retried, in seconds after the previous attempt: eight attempts in all, over more than a day. */
export const retrySeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const

const organizationEvent = z.enum(organizationEvents, {
  error: ({ input }) => `Unknown event ${JSON.stringify(input)}; known are ${organizationEvents.join(', ')}.`,
})

/** Only events of one agent, or of one Brain by its handle. One that does not exist is 404. */
const scope = z.union([z.strictObject({ agentId: z.string().min(1).max(200) }), z.strictObject({ brain: handle })], {
  error: 'scope is { agentId } or { brain }.',
})
export type WebhookScope = z.infer<typeof scope>

/** A webhook of an organization. During a rotation, the old secret is used until `nextSecretFrom`. */
export const organizationWebhook = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  scope: scope.nullable(),
  ...webhookCreator,
  nextSecretFrom: timestamp.nullable(),
})
export type OrganizationWebhook = z.infer<typeof organizationWebhook>

/**
 * One event for one webhook. Its id is the `webhook-id` of each attempt. `attempts` counts since the delivery was created
 * or sent again; a pending one is attempted at `nextAttemptAt`.
 */
export const organizationDelivery = z.object({
  id: z.string(),
  event: z.string(),
  state: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int().min(0),
  createdAt: timestamp,
  nextAttemptAt: timestamp.nullable(),
  lastAttempt: z.object({ at: timestamp, ...attemptResult }).nullable(),
})
export type OrganizationDelivery = z.infer<typeof organizationDelivery>

/** The body of a delivery. The same event may arrive more than once, with the same `webhook-id`. */
export type OrganizationWebhookBody = { event: string; timestamp: string; data: object }

const path = '/v1/webhooks' as const

/** Registers a URL for events of the whole organization, or of one agent or Brain. It must be https on a public host. */
export const createOrganizationWebhook = defineEndpoint({
  method: 'POST',
  path,
  summary: "Deliver an organization's events to a URL",
  access: 'management',
  body: z.object({
    url: webhookUrl,
    events: z.array(organizationEvent).min(1, 'Name at least one event.'),
    scope: scope.optional(),
  }),
  errors: ['not_found', 'too_many_webhooks'],
  status: [201],
  result: z.object({ webhook: organizationWebhook, secret: webhookSecret }),
})

/** Lists an organization's webhooks, never with a secret. */
export const listOrganizationWebhooks = defineEndpoint({
  method: 'GET',
  path,
  summary: "List an organization's webhooks",
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'webhooks',
  result: z.object({ webhooks: z.array(organizationWebhook), ...pageResult }),
})

/**
 * Changes where a webhook leads, which events it receives, or what it is limited to (null: nothing). What waits to be delivered goes
 * to the new URL; events and scope hold for what happens from now on.
 */
export const patchOrganizationWebhook = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change a webhook of the organization',
  access: 'management',
  body: z.object({
    url: webhookUrl.optional(),
    events: z.array(organizationEvent).min(1, 'Name at least one event.').optional(),
    scope: scope.nullable().optional(),
  }),
  errors: ['conflict'],
  status: [200],
  result: z.object({ webhook: organizationWebhook }),
})

/** Deletes a webhook with its deliveries; nothing is sent again. */
export const deleteOrganizationWebhook = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a webhook of the organization',
  access: 'management',
  status: [200],
  result: z.object({ deleted: z.literal(true) }),
})

/** Sends one signed delivery of the event `webhook.test` now and returns the receiver's response. */
export const testOrganizationWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/test`,
  summary: 'Send a test delivery and return the response',
  access: 'management',
  errors: testErrors,
  status: [200],
  result: testResult,
})

/** Creates a new secret. For 24 hours both secrets sign; then only the new one. */
export const rotateOrganizationWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/rotate`,
  summary: "Replace a webhook's secret",
  access: 'management',
  errors: ['conflict'],
  status: [200],
  result: z.object({ webhook: organizationWebhook, secret: webhookSecret }),
})

/** Lists the deliveries of a webhook, by id. Finished ones are kept for 30 days. */
export const listOrganizationDeliveries = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/deliveries`,
  summary: "List a webhook's deliveries",
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'deliveries',
  result: z.object({ deliveries: z.array(organizationDelivery), ...pageResult }),
})

/** Sends a delivery again, at once and with all its retries, whatever its outcome was. */
export const redeliverToOrganization = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/deliveries/{delivery}/redeliver`,
  summary: 'Send a delivery again',
  access: 'management',
  errors: ['conflict'],
  status: [202],
  result: z.object({ delivery: organizationDelivery }),
})

/** How many deliveries one call sends again. */
export const maxRewound = 1_000

/**
 * Sends a delivery again with all that were made after it, each at once and with all its retries; with `failed` those alone that
 * were given up. They arrive with the `webhook-id` that they had. One call sends at most 1,000 again: where there are more, `next`
 * is the one to go on `from`. 404 where the webhook has no delivery `from`.
 */
export const rewindOrganizationWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/rewind`,
  summary: 'Send a delivery and all later ones again',
  access: 'management',
  body: z.object({
    from: z.string().min(1).max(200).meta({ description: 'The id of the first delivery to send again' }),
    failed: z.boolean().default(false).meta({ description: 'Only those that failed' }),
  }),
  errors: ['conflict'],
  status: [202],
  result: z.object({
    count: z.int().min(0).meta({ description: 'How many deliveries are sent again' }),
    next: z
      .string()
      .nullable()
      .meta({ description: 'The id of the delivery to go on from; null where there are no more' }),
  }),
})
