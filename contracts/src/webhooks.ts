import { z } from 'zod'
import { cursor, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { lockErrors, testErrors } from './error-codes.ts'
import { eventTypes } from './event-types.ts'
import { attemptResult, testResult, webhookCreator, webhookSecret, webhookUrl } from './webhook-endpoints.ts'

/** Maximum number of attempts of one delivery, and of deliveries that are listed. */
export const webhookLimits = { attempts: 3, deliveriesKept: 100 } as const

const eventType = z.enum(eventTypes, {
  error: ({ input }) => `Unknown event type ${JSON.stringify(input)}; known are ${eventTypes.join(', ')}.`,
})

/** A webhook: every event of these types, in order, to this URL. `pending`: there are events to be processed. */
export const webhook = z.object({
  id: z.string(),
  url: z.string(),
  types: z.array(z.string()),
  ...webhookCreator,
  pending: z.boolean(),
})
export type Webhook = z.infer<typeof webhook>

/** The last failed attempt. After 3 `attempts` the event was skipped. `status` is null if there was no response. */
export const webhookFailure = z.object({
  cursor,
  at: timestamp,
  attempts: z.int().min(1),
  status: z.int().nullable(),
  error: z.string(),
})

/**
 * A webhook and its progress: `lastCursor` is the cursor of the last event that was delivered or skipped, and `behind` is how
 * many events are left to be processed. `attempts` is how often the next event was tried in vain, and `nextAttemptAt` when it
 * is tried again, null where nothing waits for a time. `failingSince` is when its attempts began to fail, null once one succeeds.
 * Nothing is sent while it is `paused`. During a rotation, the old secret
 * is used until `nextSecretFrom`.
 */
export const webhookProgress = webhook.extend({
  lastCursor: cursor.nullable(),
  lastFailure: webhookFailure.nullable(),
  behind: z.int().min(0),
  attempts: z.int().min(0),
  nextAttemptAt: timestamp.nullable(),
  failingSince: timestamp.nullable(),
  paused: z.boolean(),
  nextSecretFrom: timestamp.nullable(),
})
export type WebhookProgress = z.infer<typeof webhookProgress>

/** One attempt to deliver an event. */
export const webhookDelivery = z.object({
  cursor,
  type: z.string(),
  attempt: z.int().min(1),
  at: timestamp,
  outcome: z.enum(['delivered', 'retrying', 'skipped']),
  ...attemptResult,
})
export type WebhookDelivery = z.infer<typeof webhookDelivery>

/** The body of a delivery. `previousCursor` is the cursor of the event delivered or skipped before, null for the first. */
export type WebhookBody<Event> = { webhook: string; previousCursor: string | null; event: Event }

/** The event that a test sends. It is not part of the stream, and its type occurs in no stream. */
export type TestEvent = { cursor: string; type: 'webhook.test'; occurredAt: string; data: { webhook: string } }

const path = '/v1/brains/{handle}/webhooks' as const
const admin = { capabilities: ['admin'] } as const

/**
 * Creates a webhook. It starts with the next event that is committed, or after the cursor `after`; without `types` it receives
 * every type. The URL must be https on a public host.
 */
export const createWebhook = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Deliver events to a URL as they are committed',
  access: { capabilities: ['admin', 'read'] },
  body: z.object({
    url: webhookUrl,
    types: z.array(eventType).min(1).optional(),
    after: cursor.optional(),
  }),
  errors: [...lockErrors, 'too_many_webhooks', 'stale_cursor'],
  status: [201],
  result: z.object({ webhook, secret: webhookSecret }),
})

/** Lists a Brain's webhooks, oldest first, with their progress and never a secret. There are 25 at most. */
export const listWebhooks = defineEndpoint({
  method: 'GET',
  path,
  summary: "List a Brain's webhooks with their progress",
  access: admin,
  status: [200],
  result: z.object({ webhooks: z.array(webhookProgress) }),
})

/**
 * Changes where a webhook leads, which types it receives (null: every type), or whether it is paused. What it was sending is sent
 * again, to the new URL. A webhook that is paused keeps its place, and goes on from there.
 */
export const patchWebhook = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change, pause or resume a webhook',
  access: admin,
  body: z.object({
    url: webhookUrl.optional(),
    types: z.array(eventType).min(1).nullable().optional(),
    paused: z.boolean().optional(),
  }),
  status: [200],
  result: z.object({ webhook: webhookProgress }),
})

/** Deletes a webhook at once: an event that is being retried is not sent again. */
export const deleteWebhook = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a webhook',
  access: admin,
  status: [200],
  result: z.object({ deleted: z.literal(true) }),
})

/** Sends one signed delivery of type `webhook.test` now and returns the response. The webhook's progress stays the same. */
export const testWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/test`,
  summary: 'Send a test delivery and return the response',
  access: admin,
  errors: testErrors,
  status: [200],
  result: testResult,
})

/**
 * Continues after the cursor `after`, behind or ahead, or with the event of the cursor `from`, at once. Retries in progress are
 * abandoned. What follows is sent again, too: deliveries keep their order.
 */
export const rewindWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/rewind`,
  summary: 'Continue from another cursor, behind or ahead',
  access: admin,
  body: z
    .object({ after: cursor.optional(), from: cursor.optional() })
    .refine(({ after, from }) => (after === undefined) !== (from === undefined), {
      error: 'Send either after, the cursor to continue after, or from, that of the first event to send.',
    }),
  errors: ['stale_cursor'],
  status: [200],
  result: z.object({ webhook: webhookProgress }),
})

/** Creates a new secret. For 24 hours both secrets sign; then only the new one. */
export const rotateWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/rotate`,
  summary: "Replace a webhook's secret",
  access: admin,
  errors: ['conflict'],
  status: [200],
  result: z.object({ webhook: webhookProgress, secret: webhookSecret }),
})

/** Lists the latest 100 attempts of a webhook. */
export const listWebhookDeliveries = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/deliveries`,
  summary: "List a webhook's latest deliveries",
  access: admin,
  query: z.object(listQuery),
  status: [200],
  list: 'deliveries',
  result: z.object({ deliveries: z.array(webhookDelivery), ...pageResult }),
})
