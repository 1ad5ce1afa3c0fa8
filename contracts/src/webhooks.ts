import { z } from 'zod'
import { cursor, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { eventTypes } from './events.ts'

/** Most webhooks of one Brain, and attempts of one delivery. */
export const webhookLimits = { perBrain: 25, attempts: 3, deliveriesKept: 100 } as const

const eventType = z.enum(eventTypes, {
  error: ({ input }) => `Unknown event type ${JSON.stringify(input)}; known are ${eventTypes.join(', ')}.`,
})

/** A webhook: every event of these types, in order, to this URL. `pending` says that events wait to be looked at. */
export const webhook = z.object({
  id: z.string(),
  url: z.string(),
  types: z.array(z.string()),
  createdAt: timestamp,
  createdByKeyId: z.string(),
  pending: z.boolean(),
})
export type Webhook = z.infer<typeof webhook>

/** The attempt that failed last. After `attempts` reached 3 the event was skipped. `status` is null where no answer came. */
export const webhookFailure = z.object({
  cursor,
  at: timestamp,
  attempts: z.int().min(1),
  status: z.int().nullable(),
  error: z.string(),
})

/**
 * A webhook and how far it is: `lastCursor` is that of the event it settled last, delivered or skipped, and `behind` how
 * many events stand after what it has looked at. `nextSecretFrom` tells until when a rotation keeps the old secret.
 */
export const webhookProgress = webhook.extend({
  lastCursor: cursor.nullable(),
  lastFailure: webhookFailure.nullable(),
  behind: z.int().min(0),
  nextSecretFrom: timestamp.nullable(),
})
export type WebhookProgress = z.infer<typeof webhookProgress>

/** What one attempt met: `answer` is the first kilobyte of what came back. */
const met = {
  status: z.int().nullable(),
  error: z.string().nullable(),
  answer: z.string(),
  milliseconds: z.int().min(0),
}

/** One attempt to deliver an event. */
export const webhookDelivery = z.object({
  cursor,
  type: z.string(),
  attempt: z.int().min(1),
  at: timestamp,
  outcome: z.enum(['delivered', 'retrying', 'skipped']),
  ...met,
})
export type WebhookDelivery = z.infer<typeof webhookDelivery>

/** The body of a delivery. `previousCursor` is that of the event settled just before, null on the first one. */
export type WebhookBody<Event> = { webhook: string; previousCursor: string | null; event: Event }

/** The event that a test sends: not of the stream, and of a type that no stream has. */
export type TestEvent = { cursor: string; type: 'webhook.test'; occurredAt: string; data: { webhook: string } }

const path = '/v1/brains/{handle}/webhooks' as const
const secret = z.string().meta({ description: 'Signs deliveries; shown once' })
const admin = { capabilities: ['admin'] } as const

/**
 * Makes a webhook. It begins with the next event that is committed, or after the cursor `after`; without `types` it takes
 * every type. The URL must be https on a public host.
 */
export const createWebhook = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Deliver events to a URL as they are committed',
  access: { capabilities: ['admin', 'read'] },
  body: z.object({
    url: z.string().min(1).max(2048),
    types: z.array(eventType).min(1).optional(),
    after: cursor.optional(),
  }),
  status: [201],
  result: z.object({ webhook, secret }),
})

/** Lists a Brain's webhooks, oldest first, with their progress and never a secret. There are 25 at most. */
export const listWebhooks = defineEndpoint({
  method: 'GET',
  path,
  summary: "List a Brain's webhooks and how far each one is",
  access: admin,
  status: [200],
  result: z.object({ webhooks: z.array(webhookProgress) }),
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

/** Sends one signed delivery of type `webhook.test` now and tells what came back. The webhook's progress stays. */
export const testWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/test`,
  summary: 'Send a test delivery and tell what came back',
  access: admin,
  status: [200],
  result: z.object({ delivered: z.boolean(), ...met }),
})

/** Goes on after this cursor, back or ahead, at once; what is being retried is given up. */
export const rewindWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/rewind`,
  summary: 'Deliver again, or go on, from a cursor',
  access: admin,
  body: z.object({ after: cursor }),
  status: [200],
  result: z.object({ webhook: webhookProgress }),
})

/** Makes a new secret. The old one goes on for 24 hours while both sign; then the new one alone. */
export const rotateWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/rotate`,
  summary: "Replace a webhook's secret",
  access: admin,
  status: [200],
  result: z.object({ webhook: webhookProgress, secret }),
})

/** Lists the latest attempts of a webhook, newest first. */
export const listWebhookDeliveries = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/deliveries`,
  summary: "List a webhook's latest deliveries",
  access: admin,
  status: [200],
  result: z.object({ deliveries: z.array(webhookDelivery) }),
})
