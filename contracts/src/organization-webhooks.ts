import { z } from 'zod'
import { handle } from './brains.ts'
import { pageQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/** What an organization's webhooks can be told of. */
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

/** When a failed delivery is tried again, in seconds after the attempt before: eight attempts in all, over a day and more. */
export const retrySeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const

/** Most webhooks of one organization. */
export const mostOrganizationWebhooks = 100

const organizationEvent = z.enum(organizationEvents, {
  error: ({ input }) => `Unknown event ${JSON.stringify(input)}; known are ${organizationEvents.join(', ')}.`,
})

/** Only what concerns one agent, or one Brain by its handle. */
const scope = z.union([z.strictObject({ agentId: z.string().min(1).max(200) }), z.strictObject({ brain: handle })], {
  error: 'scope is { agentId } or { brain }.',
})
export type WebhookScope = z.infer<typeof scope>

/** A webhook of an organization. `nextSecretFrom` tells until when a rotation keeps the old secret. */
export const organizationWebhook = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  scope: scope.nullable(),
  createdAt: timestamp,
  createdByKeyId: z.string(),
  nextSecretFrom: timestamp.nullable(),
})
export type OrganizationWebhook = z.infer<typeof organizationWebhook>

/** What one attempt met: `answer` is the first kilobyte of what came back, `status` null where no answer came. */
const met = {
  status: z.int().nullable(),
  error: z.string().nullable(),
  answer: z.string(),
  milliseconds: z.int().min(0),
}

/**
 * One event for one webhook. Its id is the `webhook-id` of each attempt. `attempts` counts those since the delivery was
 * made or sent again; a pending one is tried at `nextAttemptAt`.
 */
export const organizationDelivery = z.object({
  id: z.string(),
  event: z.string(),
  state: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int().min(0),
  createdAt: timestamp,
  nextAttemptAt: timestamp.nullable(),
  lastAttempt: z.object({ at: timestamp, ...met }).nullable(),
})
export type OrganizationDelivery = z.infer<typeof organizationDelivery>

/** The body of a delivery. The same event may come more than once; `webhook-id` tells it again. */
export type OrganizationWebhookBody = { event: string; timestamp: string; data: object }

const path = '/v1/webhooks' as const
const secret = z.string().meta({ description: 'Signs deliveries; shown once' })

/** Registers a URL for events of the whole organization, or of one agent or Brain. It must be https on a public host. */
export const createOrganizationWebhook = defineEndpoint({
  method: 'POST',
  path,
  summary: "Deliver an organization's events to a URL",
  access: 'management',
  body: z.object({
    url: z.string().min(1).max(2048),
    events: z.array(organizationEvent).min(1, 'Name at least one event.'),
    scope: scope.optional(),
  }),
  status: [201],
  result: z.object({ webhook: organizationWebhook, secret }),
})

/** Lists an organization's webhooks, oldest first, never with a secret. */
export const listOrganizationWebhooks = defineEndpoint({
  method: 'GET',
  path,
  summary: "List an organization's webhooks",
  access: 'management',
  query: z.object(pageQuery),
  status: [200],
  list: 'webhooks',
  result: z.object({ webhooks: z.array(organizationWebhook), ...pageResult }),
})

/** Deletes a webhook with its deliveries; nothing is tried again. */
export const deleteOrganizationWebhook = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a webhook of the organization',
  access: 'management',
  status: [200],
  result: z.object({ deleted: z.literal(true) }),
})

/** Sends one signed delivery of the event `webhook.test` now and tells what came back. */
export const testOrganizationWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/test`,
  summary: 'Send a test delivery and tell what came back',
  access: 'management',
  status: [200],
  result: z.object({ delivered: z.boolean(), ...met }),
})

/** Makes a new secret. The old one goes on for 24 hours while both sign; then the new one alone. */
export const rotateOrganizationWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/rotate`,
  summary: "Replace a webhook's secret",
  access: 'management',
  status: [200],
  result: z.object({ webhook: organizationWebhook, secret }),
})

/** Lists the deliveries of a webhook, newest first. Settled ones are kept for 30 days. */
export const listOrganizationDeliveries = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/deliveries`,
  summary: "List a webhook's deliveries",
  access: 'management',
  query: z.object(pageQuery),
  status: [200],
  list: 'deliveries',
  result: z.object({ deliveries: z.array(organizationDelivery), ...pageResult }),
})

/** Sends a delivery again, at once and with all its retries, whatever became of it. */
export const redeliverToOrganization = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/deliveries/{delivery}/redeliver`,
  summary: 'Send a delivery again',
  access: 'management',
  status: [202],
  result: z.object({ delivery: organizationDelivery }),
})
