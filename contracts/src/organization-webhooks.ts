import { z } from 'zod'
import { handle } from './brains.ts'
import { deletedResult, itemId, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { testErrors } from './error-codes.ts'
import {
  attemptResult,
  testResult,
  webhookCreator,
  webhookPause,
  webhookSecret,
  webhookUrl,
} from './webhook-endpoints.ts'

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
  'goal.met',
  'goal.blocked',
  'goal.exhausted',
  'knowledge.corrected',
] as const
export type OrganizationEvent = (typeof organizationEvents)[number]

/** When a failed delivery is retried, in seconds after the previous attempt: eight attempts in all, over more than a day. */
export const retrySeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const

const organizationEvent = z.enum(organizationEvents, {
  error: ({ input }) => `Unknown event ${JSON.stringify(input)}; known are ${organizationEvents.join(', ')}.`,
})

/** Only events of one agent, or of one Brain by its handle. One that does not exist is 404. */
const scope = z.union(
  [
    z.strictObject({ agentId: z.string().min(1).max(200).describe('The id of the agent.') }),
    z.strictObject({ brain: handle.describe('The handle of the Brain.') }),
  ],
  {
    error: 'scope is { agentId } or { brain }.',
  },
)
export type WebhookScope = z.infer<typeof scope>

export const organizationWebhook = z
  .object({
    id: itemId,
    url: z.string().describe('The address.'),
    events: z.array(z.string()).describe('The events that are delivered.'),
    scope: scope.nullable().describe('The agent or Brain that the webhook is limited to; null for everything.'),
    ...webhookCreator,
    ...webhookPause,
    nextSecretFrom: timestamp
      .nullable()
      .describe('From when on only the new secret signs; null if no rotation is under way.'),
  })
  .describe('A webhook of an organization. During a rotation, the old secret is used until `nextSecretFrom`.')
export type OrganizationWebhook = z.infer<typeof organizationWebhook>

export const organizationDelivery = z
  .object({
    id: itemId,
    event: z.string().describe('The event.'),
    state: z.enum(['pending', 'delivered', 'failed']).describe('The current state.'),
    attempts: z.int().min(0).describe('How many attempts were made.'),
    createdAt: timestamp,
    nextAttemptAt: timestamp.nullable().describe('When it is tried again; null if it is not.'),
    lastAttempt: z
      .object({ at: timestamp, ...attemptResult })
      .nullable()
      .describe('The newest attempt; null if there was none.'),
  })
  .describe(
    'One event for one webhook. Its id is the `webhook-id` of each attempt. `attempts` counts since the delivery was ' +
      'created or sent again; a pending one is attempted at `nextAttemptAt`.',
  )
export type OrganizationDelivery = z.infer<typeof organizationDelivery>

/** The body of a delivery. The same event may arrive more than once, with the same `webhook-id`. */
export type OrganizationWebhookBody = { event: string; timestamp: string; data: object }

const path = '/v1/webhooks' as const

export const createOrganizationWebhook = defineEndpoint({
  method: 'POST',
  path,
  summary: "Deliver an organization's events to a URL",
  description:
    'Registers a URL for events of the whole organization, or of one agent or Brain. It must be https on a public ' +
    'host.',
  access: 'management',
  body: z.object({
    url: webhookUrl,
    events: z.array(organizationEvent).min(1, 'Name at least one event.').describe('The events to deliver.'),
    scope: scope
      .optional()
      .describe('The agent or Brain that the webhook is limited to; without it, it hears of everything.'),
  }),
  errors: ['not_found', 'too_many_webhooks'],
  status: [201],
  result: z.object({ webhook: organizationWebhook.describe('The webhook.'), secret: webhookSecret }),
})

export const listOrganizationWebhooks = defineEndpoint({
  method: 'GET',
  path,
  summary: "List an organization's webhooks",
  description: "Lists an organization's webhooks, never with a secret.",
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'webhooks',
  result: z.object({ webhooks: z.array(organizationWebhook).describe('The webhooks.'), ...pageResult }),
})

export const getOrganizationWebhook = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a webhook of the organization',
  description: 'Reads a webhook of the organization, never its secret.',
  access: 'management',
  status: [200],
  result: z.object({ webhook: organizationWebhook.describe('The webhook.') }),
})

export const patchOrganizationWebhook = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change a webhook of the organization',
  description:
    "Changes a webhook's URL, events or scope (null: no limit), or pauses it. Waiting deliveries go to the new URL; a " +
    'change of events or scope affects new events only. Events during a pause are delivered once it is resumed, for up ' +
    'to 30 days. The last caller who set the address or ' +
    'rotated the secret is an owner of the webhook: when they lose their access, it is paused, and resuming it needs ' +
    '`url` (409).',
  access: 'management',
  body: z.object({
    url: webhookUrl.optional().describe('The address.'),
    events: z.array(organizationEvent).min(1, 'Name at least one event.').optional().describe('The events to deliver.'),
    scope: scope
      .nullable()
      .optional()
      .describe('The agent or Brain that the webhook is limited to; null for everything.'),
    paused: z.boolean().optional().describe('True pauses deliveries, false resumes them.'),
  }),
  errors: ['conflict'],
  status: [200],
  result: z.object({ webhook: organizationWebhook.describe('The webhook.') }),
})

export const deleteOrganizationWebhook = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a webhook of the organization',
  description: 'Deletes a webhook with its deliveries; nothing is sent again.',
  access: 'management',
  status: [200],
  result: deletedResult,
})

export const testOrganizationWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/test`,
  summary: 'Send a test delivery and return the response',
  description: "Sends one signed delivery of the event `webhook.test` now and returns the receiver's response.",
  access: 'management',
  errors: testErrors,
  status: [200],
  result: testResult,
})

export const rotateOrganizationWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/rotate`,
  summary: "Replace a webhook's secret",
  description: 'Creates a new secret. For 24 hours both secrets sign; then only the new one.',
  access: 'management',
  errors: ['conflict'],
  status: [200],
  result: z.object({ webhook: organizationWebhook.describe('The webhook.'), secret: webhookSecret }),
})

export const listOrganizationDeliveries = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/deliveries`,
  summary: "List a webhook's deliveries",
  description: 'Lists the deliveries of a webhook, by id. Finished ones are kept for 30 days.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'deliveries',
  result: z.object({
    deliveries: z.array(organizationDelivery).describe('The deliveries of this page.'),
    ...pageResult,
  }),
})

export const redeliverToOrganization = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/deliveries/{delivery}/redeliver`,
  summary: 'Send a delivery again',
  description: 'Sends a delivery again, at once and with all its retries, also if it succeeded before.',
  access: 'management',
  errors: ['conflict'],
  status: [202],
  result: z.object({ delivery: organizationDelivery.describe('The delivery.') }),
})

/** Maximum number of deliveries that one call sends again. */
export const maxRewound = 1_000

export const rewindOrganizationWebhook = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/rewind`,
  summary: 'Send a delivery and all later ones again',
  description:
    'Sends a delivery again with all that were made after it, each at once and with all its retries; with `failed` ' +
    'those alone that were given up. They arrive with the `webhook-id` that they had. One call sends at most 1,000 ' +
    'again: where there are more, `next` is the one to go on `from`. 404 where the webhook has no delivery `from`.',
  access: 'management',
  body: z.object({
    from: z.string().min(1).max(200).describe('The id of the first delivery to send again'),
    failed: z.boolean().default(false).describe('Only those that failed'),
  }),
  errors: ['conflict'],
  status: [202],
  result: z.object({
    count: z.int().min(0).describe('How many deliveries are sent again'),
    next: z.string().nullable().describe('The id of the delivery to go on from; null where there are no more'),
  }),
})
