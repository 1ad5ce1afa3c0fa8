import type { TestApp, TestBrain } from '../app.ts'
import { fresh, unreachable } from './fresh.ts'
import { asIs, at, type EndpointRows, plain } from './row.ts'

// Webhooks of Brains and of the organization.

const sampleHook = { url: unreachable, types: ['date.reached'] }

const newWebhook = async (brain: TestBrain): Promise<string> =>
  (await brain.call('POST', '/webhooks', sampleHook)).body.data.webhook.id

const newOrganizationWebhook = async (test: TestApp, { key }: TestBrain): Promise<string> => {
  const body = { url: unreachable, events: ['knowledge.corrected'] }
  return (await test.request('POST', '/v1/webhooks', { key, body })).body.data.webhook.id
}

const onOrganizationWebhook = async (test: TestApp, brain: TestBrain) => ({
  params: { id: await newOrganizationWebhook(test, brain) },
})

/** A delivery that failed long ago. */
const onOrganizationDelivery = async (test: TestApp, brain: TestBrain) => {
  const [id, delivery] = [await newOrganizationWebhook(test, brain), fresh('msg')]
  await test.database.pool.query(
    `insert into organization_deliveries (id, webhook_id, event, body, state, created_at)
     values ($1, $2, 'knowledge.corrected', '{}', 'failed', now())`,
    [delivery, id],
  )
  return { params: { id, delivery } }
}

const onNewWebhook = async (_test: TestApp, brain: TestBrain) => ({ params: { id: await newWebhook(brain) } })

/** The Brain's own first webhook: there cannot be one for each call. */
const onWebhook = async (_test: TestApp, brain: TestBrain) => {
  const { body } = await brain.call('GET', '/webhooks')
  return { params: { id: body.data.webhooks[0]?.id ?? (await newWebhook(brain)) } }
}

/** A webhook of a Brain, and an event that was delivered to it. */
const onDelivered = async (test: TestApp, brain: TestBrain) => {
  const id = await newWebhook(brain)
  const { events } = (await brain.call('GET', '/events?limit=1')).body.data
  const delivery = {
    ...{ cursor: events[0].cursor, type: events[0].type, attempt: 1, at: events[0].occurredAt },
    ...{ outcome: 'delivered', status: 204, error: null, milliseconds: 41, answer: '' },
  }
  await test.database.pool.query(
    `insert into brain_webhook_deliveries (brain_id, webhook, slot, number, delivery)
     select brain_id, $2, 1, 1, $3 from brains where id = $1`,
    [brain.brain.id, id, JSON.stringify(delivery)],
  )
  return { params: { id } }
}

export const webhooksRows = {
  'webhooks.list': { needs: 'management', call: plain, aimed: asIs },
  'webhooks.get': { needs: 'management', call: onOrganizationWebhook, aimed: at('organizationWebhook') },
  'webhooks.deliveries': {
    needs: 'management',
    call: onOrganizationWebhook,
    aimed: at('organizationWebhook'),
    example: onOrganizationDelivery,
  },
  'brain.webhooks.list': { needs: ['admin'], call: plain, aimed: asIs },
  'brain.webhooks.get': { needs: ['admin'], call: onWebhook, aimed: at('webhook') },
  'brain.webhooks.deliveries': {
    needs: ['read', 'admin'],
    call: onWebhook,
    aimed: at('webhook'),
    example: onDelivered,
  },
  'brain.webhooks.create': {
    needs: ['read', 'admin'],
    call: () => ({ body: sampleHook }),
    aimed: () => [{ body: { url: unreachable, types: ['date.reached'] } }],
  },
  'brain.webhooks.patch': {
    needs: ['read', 'admin'],
    call: async (test, brain) => ({
      ...(await onWebhook(test, brain)),
      body: { url: unreachable + fresh('hook') },
    }),
    aimed: at('webhook', { paused: true }),
  },
  'brain.webhooks.test': {
    needs: ['read', 'admin'],
    call: onWebhook,
    aimed: at('webhook'),
    unaudited: 'a test changes nothing',
  },
  'brain.webhooks.rewind': {
    needs: ['read', 'admin'],
    call: async (test, brain) => ({
      ...(await onWebhook(test, brain)),
      body: { after: (await brain.call('GET', '/events')).body.data.cursor },
    }),
    aimed: ({ webhook, cursor }) => [{ params: { id: webhook }, body: { after: cursor } }],
  },
  'brain.webhooks.rotate': { needs: ['read', 'admin'], call: onNewWebhook, aimed: at('webhook') },
  'webhooks.create': {
    needs: 'management',
    call: () => ({ body: { url: unreachable, events: ['run.completed'] } }),
    aimed: () => [{ body: { url: unreachable, events: ['run.completed'] } }],
  },
  'webhooks.patch': {
    needs: 'management',
    call: async (test, brain) => ({
      ...(await onOrganizationWebhook(test, brain)),
      body: { events: ['run.failed'] },
    }),
    aimed: at('organizationWebhook', { events: ['run.failed'] }),
  },
  'webhooks.test': {
    needs: 'management',
    call: onOrganizationWebhook,
    aimed: at('organizationWebhook'),
    unaudited: 'a test changes nothing',
  },
  'webhooks.rotate': { needs: 'management', call: onOrganizationWebhook, aimed: at('organizationWebhook') },
  'webhooks.redeliver': {
    needs: 'management',
    call: onOrganizationDelivery,
    aimed: ({ organizationWebhook: id, organizationDelivery: delivery }) => [{ params: { id, delivery } }],
    unaudited: 'it sends an earlier message again, which deliveries keep',
  },
  'webhooks.rewind': {
    needs: 'management',
    call: async (test, brain) => {
      const { id, delivery } = (await onOrganizationDelivery(test, brain)).params
      return { params: { id }, body: { from: delivery } }
    },
    aimed: ({ organizationWebhook: id, organizationDelivery: from }) => [{ params: { id }, body: { from } }],
  },
  'webhooks.delete': { needs: 'management', call: onOrganizationWebhook, aimed: at('organizationWebhook') },
  'brain.webhooks.delete': { needs: ['admin'], call: onNewWebhook, aimed: at('webhook') },
} satisfies EndpointRows
