import { eventTypes } from '@noema/contracts/event-types.ts'
import type { WebhookDelivery, WebhookProgress } from '@noema/contracts/webhooks.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import type { DeliveryRow } from '../webhooks/delivery-table.tsx'

// The queries of a Brain's webhooks. No event reports their state, so a visible page polls them, more often during a delivery.

const maxAttempts = 3
const whileQuiet = 10_000
const whileBusy = 1_500

/** The prefix of all queries of a Brain's webhooks. */
const webhooksKey = ({ organization }: Session, handle: string) => [organization.id, 'brain', handle, 'webhooks']

export const reloadWebhooks = (queries: QueryClient, session: Session, handle: string) =>
  queries.invalidateQueries({ queryKey: webhooksKey(session, handle) })

const isBusy = ({ pending, paused }: WebhookProgress): boolean => pending && !paused

/** The webhooks of a Brain with their progress. A single response contains all of them. */
export const webhooksQuery = (session: Session, handle: string) =>
  queryOptions({
    queryKey: [...webhooksKey(session, handle), 'list'],
    queryFn: async ({ signal }) => (await session.client.brain(handle).webhooks.list({ signal })).webhooks,
    refetchInterval: ({ state }) => (state.data?.some(isBusy) ? whileBusy : whileQuiet),
  })

/** All stored attempts of a webhook, newest first. */
export const deliveriesQuery = (
  session: Session,
  handle: string,
  webhook: Pick<WebhookProgress, 'id'> & { isBusy: boolean },
) =>
  queryOptions({
    queryKey: [...webhooksKey(session, handle), 'deliveries', webhook.id],
    queryFn: async ({ signal }) =>
      (await session.client.brain(handle).webhooks.deliveries(webhook.id, { order: 'desc', limit: 100 }, { signal }))
        .deliveries,
    refetchInterval: webhook.isBusy ? whileBusy : whileQuiet,
  })

export type WebhookState = 'paused' | 'retrying' | 'delivering' | 'skipped' | 'healthy'

/** The state of a webhook in one word. */
export const toWebhookState = (webhook: WebhookProgress): WebhookState => {
  if (webhook.paused) return 'paused'
  if (webhook.attempts > 0) return 'retrying'
  if (webhook.pending) return 'delivering'
  // The last failed event was skipped, and no later one has arrived.
  return webhook.failingSince === null ? 'healthy' : 'skipped'
}

export const webhookTones = {
  paused: 'warning',
  retrying: 'danger',
  delivering: 'info',
  skipped: 'danger',
  healthy: 'good',
} as const

/** The subscribed events in words. */
export const describeTypes = (types: readonly string[]): string => {
  if (types.length >= eventTypes.length) return 'every event'
  return types.length === 1 ? (types[0] ?? '') : `${types.length} types`
}

/** A page of a Brain's deliveries as rows of the table. A running attempt has the time of its retry. */
export const toDeliveryRows = (
  deliveries: readonly WebhookDelivery[] | undefined,
  { attempts, nextAttemptAt }: Pick<WebhookProgress, 'attempts' | 'nextAttemptAt'>,
): (DeliveryRow & { cursor: string })[] | undefined =>
  deliveries?.map(({ cursor, type, attempt, at, outcome, status, error, answer, milliseconds }, index) => ({
    ...{ id: `${cursor} ${attempt} ${at}`, cursor, event: type, state: outcome, attempts: attempt, maxAttempts, at },
    ...{ status, error, answer, milliseconds },
    nextAttemptAt: index === 0 && outcome === 'retrying' && attempt === attempts ? nextAttemptAt : null,
  }))
