import type {
  OrganizationDelivery,
  OrganizationEvent,
  OrganizationWebhook,
  WebhookScope,
} from '@noema/contracts/organization-webhooks.ts'
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import type { DeliveryRow } from '../webhooks/delivery-table.tsx'
import { paging } from './paging.ts'

// Webhooks of an organization. No event reports their state, so a visible page polls them.

const events = {
  'run.created': true,
  'run.completed': true,
  'run.failed': true,
  'run.abandoned': true,
  'task.created': true,
  'task.completed': true,
  'task.expired': true,
  'operation.succeeded': true,
  'operation.failed': true,
  'operation.abandoned': true,
  'goal.met': true,
  'goal.blocked': true,
  'goal.exhausted': true,
  'knowledge.corrected': true,
} as const satisfies Record<OrganizationEvent, true>

/** All events that they can subscribe to. */
export const organizationEvents = Object.keys(events) as OrganizationEvent[]

const askAgainMilliseconds = 5_000
const maxAttempts = 8

const webhooksKey = ({ organization }: Session) => [organization.id, 'webhooks'] as const

export const reloadOrganizationWebhooks = (queries: QueryClient, session: Session) =>
  queries.invalidateQueries({ queryKey: webhooksKey(session) })

/** The webhooks, oldest first. A single response contains all of them. */
export const organizationWebhooksQuery = (session: Session) =>
  queryOptions({
    queryKey: [...webhooksKey(session), 'list'],
    queryFn: async ({ signal }) => (await session.client.webhooks.list({ limit: 500 }, { signal })).webhooks,
  })

/** The newest delivery of a webhook, which shows its state; null if it has none. */
export const newestDeliveryQuery = (session: Session, id: string) =>
  queryOptions({
    queryKey: [...webhooksKey(session), 'newest', id],
    queryFn: async ({ signal }): Promise<OrganizationDelivery | null> => {
      const { deliveries } = await session.client.webhooks.deliveries(id, { limit: 1, order: 'desc' }, { signal })
      return deliveries[0] ?? null
    },
    refetchInterval: askAgainMilliseconds,
  })

/** The deliveries, newest first. */
export const organizationDeliveriesQuery = (session: Session, id: string) =>
  infiniteQueryOptions({
    queryKey: [...webhooksKey(session), 'deliveries', id],
    queryFn: ({ pageParam, signal }) =>
      session.client.webhooks.deliveries(id, { after: pageParam, limit: 100, order: 'desc' }, { signal }),
    ...paging,
    refetchInterval: askAgainMilliseconds,
  })

/** The scope of its events: everything, an agent by name, or a Brain. */
export const describeScope = (scope: WebhookScope | null, agents: readonly { id: string; name: string }[]): string => {
  if (scope === null) return 'the organization'
  if ('brain' in scope) return `Brain ${scope.brain}`
  return `agent ${agents.find(({ id }) => id === scope.agentId)?.name ?? scope.agentId}`
}

/** The event types in words. */
export const describeEvents = ({ events: chosen }: Pick<OrganizationWebhook, 'events'>): string => {
  if (chosen.length >= organizationEvents.length) return 'every event'
  return chosen.length === 1 ? (chosen[0] ?? '') : `${chosen.length} events`
}

/** The state of a delivery: a retry is distinguished from a first attempt. */
export const toDeliveryState = ({ state, lastAttempt }: OrganizationDelivery): DeliveryRow['state'] =>
  state === 'pending' && lastAttempt !== null ? 'retrying' : state

export const toDeliveryRow = (delivery: OrganizationDelivery): DeliveryRow => {
  const { id, event, attempts, nextAttemptAt, lastAttempt } = delivery
  const { at = null, status = null, error = null, answer = '', milliseconds = null } = lastAttempt ?? {}
  return {
    ...{ id, event, state: toDeliveryState(delivery), attempts, maxAttempts, nextAttemptAt },
    ...{ at, status, error, answer, milliseconds },
  }
}
