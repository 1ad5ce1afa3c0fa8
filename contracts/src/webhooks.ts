import { z } from 'zod'
import { cursor, deletedResult, itemId, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { lockErrors, testErrors } from './error-codes.ts'
import { eventTypes } from './event-types.ts'
import {
  attemptResult,
  testResult,
  webhookCreator,
  webhookPause,
  webhookSecret,
  webhookUrl,
} from './webhook-endpoints.ts'

/** Maximum number of attempts of one delivery, and of deliveries that are listed. */
export const webhookLimits = { attempts: 3, deliveriesKept: 100 } as const

const eventType = z.enum(eventTypes, {
  error: ({ input }) => `Unknown event type ${JSON.stringify(input)}; known are ${eventTypes.join(', ')}.`,
})

export const webhook = z
  .object({
    id: itemId,
    url: z.string().describe('The address.'),
    types: z.array(z.string()).describe('The types of events that are delivered.'),
    ...webhookCreator,
    pending: z.boolean().describe('True if there are events to deliver.'),
  })
  .describe(
    'A webhook: every event of these types, in order, to this URL. `pending`: there are events to be processed.',
  )
export type Webhook = z.infer<typeof webhook>

/** The last failed attempt. After 3 `attempts` the event was skipped. `status` is null if there was no response. */
export const webhookFailure = z.object({
  cursor,
  at: timestamp,
  attempts: z.int().min(1).describe('How many attempts were made.'),
  status: z.int().nullable().describe('The HTTP status of the answer; null if there was none.'),
  error: z.string().describe('The error.'),
})

export const webhookProgress = webhook
  .extend({
    lastCursor: cursor.nullable().describe('The cursor of the event that was settled last; null if there was none.'),
    lastFailure: webhookFailure.nullable().describe('The newest failure; null if there was none.'),
    behind: z.int().min(0).describe('How far behind it is.'),
    attempts: z.int().min(0).describe('How many attempts were made.'),
    nextAttemptAt: timestamp.nullable().describe('When it is tried again; null if it is not.'),
    failingSince: timestamp
      .nullable()
      .describe('Since when deliveries have failed without a success; null if they do not.'),
    ...webhookPause,
    nextSecretFrom: timestamp
      .nullable()
      .describe('From when on only the new secret signs; null if no rotation is under way.'),
  })
  .describe(
    'A webhook and its progress: `lastCursor` is the cursor of the last event that was delivered or skipped, and ' +
      '`behind` is how many events are left to be processed. `attempts` is how often the next event was tried in vain, ' +
      'and `nextAttemptAt` when it is tried again, null where nothing waits for a time. `failingSince` is when its ' +
      'attempts began to fail, null once one succeeds. Nothing is sent while it is `paused`. During a rotation, the ' +
      'old secret is used until `nextSecretFrom`.',
  )
export type WebhookProgress = z.infer<typeof webhookProgress>

export const webhookDelivery = z
  .object({
    cursor,
    type: z.string().describe('The type.'),
    attempt: z.int().min(1).describe('Which attempt it was, counted from 1.'),
    at: timestamp,
    outcome: z
      .enum(['delivered', 'retrying', 'skipped'])
      .describe(
        'The outcome of the attempt: `delivered`, `retrying` (it is tried again), or `skipped` (it was the last).',
      ),
    ...attemptResult,
  })
  .describe('One attempt to deliver an event.')
export type WebhookDelivery = z.infer<typeof webhookDelivery>

/** The body of a delivery. `previousCursor` is the cursor of the event delivered or skipped before, null for the first. */
export type WebhookBody<Event> = { webhook: string; previousCursor: string | null; event: Event }

/** The event that a test sends. It is not part of the stream, and its type occurs in no stream. */
export type TestEvent = { cursor: string; type: 'webhook.test'; occurredAt: string; data: { webhook: string } }

const path = '/v1/brains/{handle}/webhooks' as const
const admin = { capabilities: ['admin'] } as const
/** To decide where events go, see what was sent or learn the secret is to read the Brain's stream. */
const adminAndRead = { capabilities: ['admin', 'read'] } as const

export const createWebhook = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Deliver events to a URL as they are committed',
  description:
    'Creates a webhook. It starts with the next event that is committed, or after the cursor `after`; without ' +
    '`types` it receives every type. The URL must be https on a public host.',
  access: adminAndRead,
  body: z.object({
    url: webhookUrl,
    types: z.array(eventType).min(1).optional().describe('The types of events that are delivered.'),
    after: cursor.optional(),
  }),
  errors: [...lockErrors, 'too_many_webhooks', 'stale_cursor'],
  status: [201],
  result: z.object({ webhook: webhook.describe('The webhook.'), secret: webhookSecret }),
})

export const listWebhooks = defineEndpoint({
  method: 'GET',
  path,
  summary: "List a Brain's webhooks with their progress",
  description: "Lists a Brain's webhooks, oldest first, with their progress and never a secret. There are 25 at most.",
  access: admin,
  status: [200],
  result: z.object({ webhooks: z.array(webhookProgress).describe('The webhooks.') }),
})

export const getWebhook = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a webhook of a Brain with its progress',
  description: 'Reads a webhook of a Brain with its progress, never its secret.',
  access: admin,
  status: [200],
  result: z.object({ webhook: webhookProgress.describe('The webhook.') }),
})

export const patchWebhook = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change, pause or resume a webhook',
  description:
    "Changes a webhook's URL or types (null: every type), or pauses it. A delivery in progress is sent again, to the " +
    'new URL. A paused webhook keeps its position, and goes on from there. The last ' +
    'caller who set the address or rotated the secret is an owner of the webhook: when they lose their access, it is ' +
    'paused, and resuming it needs `url` (409).',
  access: { ...admin, fields: { url: ['read'], types: ['read'] } },
  body: z.object({
    url: webhookUrl.optional().describe('The address.'),
    types: z.array(eventType).min(1).nullable().optional().describe('The types of events that are delivered.'),
    paused: z.boolean().optional().describe('True pauses deliveries, false resumes them.'),
  }),
  errors: ['conflict'],
  status: [200],
  result: z.object({ webhook: webhookProgress.describe('The webhook.') }),
})

export const deleteWebhook = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a webhook',
  description: 'Deletes a webhook at once: an event that is being retried is not sent again.',
  access: admin,
  status: [200],
  result: deletedResult,
})

export const testWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/test`,
  summary: 'Send a test delivery and return the response',
  description:
    "Sends one signed delivery of type `webhook.test` now and returns the response. The webhook's progress stays the " +
    'same.',
  access: adminAndRead,
  errors: testErrors,
  status: [200],
  result: testResult,
})

export const rewindWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/rewind`,
  summary: 'Continue from another cursor, behind or ahead',
  description:
    'Continues after the cursor `after`, behind or ahead, or with the event of the cursor `from`, at once. Retries ' +
    'in progress are abandoned. Later events are sent again, too: deliveries keep their order.',
  access: adminAndRead,
  body: z
    .object({ after: cursor.optional(), from: cursor.optional() })
    .refine(({ after, from }) => (after === undefined) !== (from === undefined), {
      error: 'Send either after, the cursor to continue after, or from, that of the first event to send.',
    }),
  errors: ['stale_cursor'],
  status: [200],
  result: z.object({ webhook: webhookProgress.describe('The webhook.') }),
})

export const rotateWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/rotate`,
  summary: "Replace a webhook's secret",
  description: 'Creates a new secret. For 24 hours both secrets sign; then only the new one.',
  access: adminAndRead,
  errors: ['conflict'],
  status: [200],
  result: z.object({ webhook: webhookProgress.describe('The webhook.'), secret: webhookSecret }),
})

export const listWebhookDeliveries = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/deliveries`,
  summary: "List a webhook's latest deliveries",
  description: 'Lists the latest 100 attempts of a webhook.',
  access: adminAndRead,
  query: z.object(listQuery),
  status: [200],
  list: 'deliveries',
  result: z.object({ deliveries: z.array(webhookDelivery).describe('The deliveries of this page.'), ...pageResult }),
})
