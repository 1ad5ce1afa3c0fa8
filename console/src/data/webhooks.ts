import { eventTypes } from '@noema/contracts/event-types.ts'
import type { WebhookDelivery, WebhookProgress } from '@noema/contracts/webhooks.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import type { DeliveryRow } from '../webhooks/delivery-table.tsx'

// What the pages read of the webhooks of a Brain. No event of the stream tells how they fare, so they are asked again while they
// are seen, and often while something is under way.

const maxAttempts = 3
const whileQuiet = 10_000
const whileBusy = 1_500

/** What everything read of a Brain's webhooks is kept under. */
const webhooksKey = ({ organization }: Session, handle: string) => [organization.id, 'brain', handle, 'webhooks']

export const reloadWebhooks = (queries: QueryClient, session: Session, handle: string) =>
  queries.invalidateQueries({ queryKey: webhooksKey(session, handle) })

const isBusy = ({ pending, paused }: WebhookProgress): boolean => pending && !paused

/** The webhooks of a Brain with their progress; there are few enough for one answer. */
export const webhooksQuery = (session: Session, handle: string) =>
  queryOptions({
    queryKey: [...webhooksKey(session, handle), 'list'],
    queryFn: async ({ signal }) => (await session.client.brain(handle).webhooks.list({ signal })).webhooks,
    refetchInterval: ({ state }) => (state.data?.some(isBusy) ? whileBusy : whileQuiet),
  })

/** All attempts of a webhook that are kept, newest first. */
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

/** The state of a webhook, in a word. */
export const toWebhookState = (webhook: WebhookProgress): WebhookState => {
  if (webhook.paused) return 'paused'
  if (webhook.attempts > 0) return 'retrying'
  if (webhook.pending) return 'delivering'
  // What failed last was passed over, and nothing has arrived since.
  return webhook.failingSince === null ? 'healthy' : 'skipped'
}

export const webhookTones = {
  paused: 'warning',
  retrying: 'danger',
  delivering: 'info',
  skipped: 'danger',
  healthy: 'good',
} as const

/** Which events it is sent, in words. */
export const describeTypes = (types: readonly string[]): string => {
  if (types.length >= eventTypes.length) return 'every event'
  return types.length === 1 ? (types[0] ?? '') : `${types.length} types`
}

/** A page of a Brain's deliveries as rows of the table. The attempt that is under way knows when it is made again. */
export const toDeliveryRows = (
  deliveries: readonly WebhookDelivery[] | undefined,
  { attempts, nextAttemptAt }: Pick<WebhookProgress, 'attempts' | 'nextAttemptAt'>,
): (DeliveryRow & { cursor: string })[] | undefined =>
  deliveries?.map(({ cursor, type, attempt, at, outcome, status, error, answer, milliseconds }, index) => ({
    ...{ id: `${cursor} ${attempt} ${at}`, cursor, event: type, state: outcome, attempts: attempt, maxAttempts, at },
    ...{ status, error, answer, milliseconds },
    nextAttemptAt: index === 0 && outcome === 'retrying' && attempt === attempts ? nextAttemptAt : null,
  }))
