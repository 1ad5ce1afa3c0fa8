import { type EventType, eventTypes } from '@noema/contracts/event-types.ts'
import type { WebhookDelivery, webhookFailure } from '@noema/contracts/webhooks.ts'
import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import type { Actor } from '../../../shared/actor.ts'
import { actorColumn, actorValue } from '../../../storage/actor-columns.ts'
import { selectStrangers } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { Made } from '../../../storage/makers.ts'
import { forChange, type LockWait, lockingBriefly } from '../../kernel/locks/lock-queries.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import type { EndpointSecrets } from '../endpoints/endpoints.ts'
import { isCreatedBy, isHeldBy } from '../endpoints/owner-queries.ts'

export type Failure = z.infer<typeof webhookFailure>

/** A webhook's row, with the head of its Brain's stream. */
export type WebhookRow = {
  id: string
  url: string
  types: EventType[]
  createdAt: Date
  createdBy: Actor
  examined: number
  settled: number | null
  attempts: number
  /** When the next event is tried again; null where nothing waits for a time. */
  retryAt: Date | null
  failingSince: Date | null
  isPaused: boolean
  ownerLeft: boolean
  nextFrom: Date | null
  lastFailure: Failure | null
  head: number
}

/** Whose the encrypted secrets of a webhook are. */
export const secretContext = (brainId: number, id: string): string => `${brainId}/${id}`

const columns = sql`webhook.id, webhook.url, coalesce(webhook.types, ${[...eventTypes]}::text[]) as types,
  webhook.created_at as "createdAt", ${actorColumn(sql`webhook.created_by`, sql`webhook.created_by_actor`)} as "createdBy", webhook.examined_position as examined,
  webhook.settled_position as settled, webhook.attempts, webhook.next_from as "nextFrom", webhook.last_failure as "lastFailure",
  case when webhook.lease is null and webhook.due_at < 'infinity' then webhook.due_at end as "retryAt",
  webhook.failing_since as "failingSince",
  coalesce(webhook.due_at = 'infinity', false) as "isPaused", webhook.owner_left as "ownerLeft"`

const ofBrain = (brainId: number, rows: RawBuilder<unknown>) => sql<WebhookRow>`
  with webhook as (${rows}) select ${columns}, brain.position as head
  from webhook join brains as brain on brain.brain_id = ${brainId} order by webhook.id`

/** A Brain's webhooks, oldest first. */
export const selectWebhooks = async (db: Queryable, brainId: number): Promise<WebhookRow[]> =>
  (await ofBrain(brainId, sql`select * from brain_webhooks where brain_id = ${brainId}`).execute(db)).rows

type NewWebhook = {
  id: string
  url: string
  types: readonly EventType[] | undefined
  secret: Buffer
  createdAt: Date
  createdBy: Actor
  /** The start: after this position, or after the Brain's newest event. */
  after: number | undefined
}

/** Inserts a webhook; the Brain's row is locked. It is due at once where events wait already. */
export const insertWebhook = async (tx: Queryable, brainId: number, webhook: NewWebhook) => {
  const { id, url, types, secret, createdAt, createdBy, after = null } = webhook
  const inserted = sql`
    insert into brain_webhooks (brain_id, id, url, types, secret, created_at, created_by, created_by_actor,
      examined_position, settled_position, due_at)
    select brain_id, ${id}, ${url}, ${types ? [...types] : null}::text[], ${secret}, ${createdAt}, ${createdBy.id},
      ${actorValue(createdBy)},       coalesce(${after}::bigint, position), ${after}::bigint, case when ${after}::bigint < position then ${createdAt}::timestamptz end
    from brains where brain_id = ${brainId} returning *`
  return (await ofBrain(brainId, inserted).execute(tx)).rows[0]
}

/** Deletes a webhook, so that the holder of its lease can store nothing any more. */
export const removeWebhook = async (
  db: Queryable,
  brainId: number,
  id: string,
): Promise<{ url: string } | undefined> => {
  const { rows } = await sql<{ url: string }>`
    with webhook as (delete from brain_webhooks where brain_id = ${brainId} and id = ${id} returning url),
      log as (delete from brain_webhook_deliveries where brain_id = ${brainId} and webhook = ${id})
    select url from webhook`.execute(db)
  return rows[0]
}

/** The webhooks of Brains that these makers created, or that are theirs by their address or secret. */
export const selectWebhooksOfMakers = async (db: Queryable, { makers, organizationIds }: Made) => {
  const { rows } = await sql<{ id: string; url: string; brain: string }>`
    select webhook.id, webhook.url, brain.handle as brain
    from brains as brain join brain_webhooks as webhook on webhook.brain_id = brain.brain_id
    where brain.organization_id = any(${[...organizationIds]}) and brain.deleted_at is null
      and (${isCreatedBy(makers)} or ${isHeldBy(makers)})
    order by webhook.id limit 1000`.execute(db)
  return rows
}

/** Deletes the webhooks of Brains that these makers created. */
export const removeWebhooksOfMakers = async (db: Queryable, { makers, organizationIds }: Made) => {
  const { rows } = await sql<{ id: string; url: string; brain: string }>`
    with removed as (
        delete from brain_webhooks as webhook using brains as brain
        where brain.organization_id = any(${[...organizationIds]}) and webhook.brain_id = brain.brain_id
          and ${isCreatedBy(makers)}
        returning brain.brain_id, webhook.id, url, handle),
      log as (delete from brain_webhook_deliveries using removed
        where brain_webhook_deliveries.brain_id = removed.brain_id and brain_webhook_deliveries.webhook = removed.id)
    select id, url, handle as brain from removed order by id`.execute(db)
  return rows
}

/**
 * Pauses the webhooks of others whose address or secret is these makers', until someone sets the address again: those of one
 * Brain, or of all.
 */
export const pauseWebhooksOfMakers = async (db: Queryable, { makers, organizationIds }: Made, brainId?: number) => {
  const { rows } = await sql<{ id: string; url: string; brain: string }>`
    update brain_webhooks as webhook set due_at = 'infinity', attempts = 0, lease = null, owner_left = true,
      failing_since = null, failing_organization = null
    from brains as brain
    where brain.organization_id = any(${[...organizationIds]}) and brain.deleted_at is null
      and webhook.brain_id = brain.brain_id and ${isHeldBy(makers)}
      ${brainId === undefined ? sql`` : sql`and webhook.brain_id = ${brainId}`}
    returning webhook.id, webhook.url, brain.handle as brain`.execute(db)
  return rows
}

/** Pauses the webhooks of a Brain that belong to people to whom it is not open, until somebody sets their address again. */
export const pauseWebhooksOfStrangers = async (tx: Queryable, brainId: number): Promise<void> => {
  const { rows } = await sql<{ makers: (string | null)[] }>`
    select array[created_by, url_by, secret_by] as makers from brain_webhooks where brain_id = ${brainId}`.execute(tx)
  const makers = new Set(rows.flatMap((row) => row.makers.filter((maker) => maker !== null)))
  // Webhooks may be on another server than members and keys.
  const strangers = makers.size > 0 ? await selectStrangers(tx, brainId, [...makers]) : []
  if (strangers.length === 0) return
  await sql`update brain_webhooks as webhook set due_at = 'infinity', attempts = 0, lease = null, owner_left = true,
      failing_since = null, failing_organization = null
    where brain_id = ${brainId} and array[created_by, url_by, secret_by] && ${strangers}::text[]`.execute(tx)
}

const change = async (db: Queryable, brainId: number, id: string, assignments: RawBuilder<unknown>) => {
  const changed = sql`update brain_webhooks set ${assignments} where brain_id = ${brainId} and id = ${id} returning *`
  return (await ofBrain(brainId, changed).execute(db)).rows[0]
}

// A paused webhook is never due. Nodes of any version understand that, and the former holder of its lease can store nothing.
const dueUnlessPaused = (now: Date) => sql`case when due_at = 'infinity' then due_at else ${now}::timestamptz end`

/** Moves a webhook to a position and ends its lease. */
export const moveWebhook = (db: Queryable, brainId: number, id: string, { after, now }: { after: number; now: Date }) =>
  change(
    db,
    brainId,
    id,
    sql`examined_position = ${after}, settled_position = ${after}, attempts = 0, lease = null, due_at = ${dueUnlessPaused(now)}`,
  )

/** Locks a webhook and gives what of it can be changed. */
export const lockWebhook = async (tx: Tx, brainId: number, id: string) => {
  const { rows } = await sql<{ url: string; types: EventType[] | null; paused: boolean; ownerLeft: boolean }>`
    select url, types, coalesce(due_at = 'infinity', false) as paused, owner_left as "ownerLeft"
    from brain_webhooks where brain_id = ${brainId} and id = ${id} for update`.execute(tx)
  return rows[0]
}

type Changed = {
  url: string
  types: readonly EventType[] | null
  paused: boolean
  ownerLeft: boolean
  /** The last who set the address; undefined if that is unknown. */
  urlBy: string | undefined
}

/** Changes a webhook and takes it from the node that delivers for it. One that is paused fails no more. */
export const updateWebhook = (
  tx: Tx,
  brainId: number,
  id: string,
  { url, types, paused, ownerLeft, urlBy }: Changed,
  now: Date,
) =>
  change(
    tx,
    brainId,
    id,
    sql`url = ${url}, url_by = coalesce(${urlBy ?? null}, url_by), owner_left = ${ownerLeft}, types = ${types && [...types]}::text[], attempts = 0, lease = null,
      due_at = ${paused ? 'infinity' : now}::timestamptz,
      failing_since = case when not ${paused}::boolean then failing_since end,
      failing_organization = case when not ${paused}::boolean then failing_organization end`,
  )

/** Locks a webhook and gives what signs for it. */
export const lockSecrets = async (tx: Queryable, brainId: number, id: string) => {
  const { rows } = await sql<EndpointSecrets>`select secret, next_secret as "nextSecret", next_from as "nextFrom"
    from brain_webhooks where brain_id = ${brainId} and id = ${id} for update`.execute(tx)
  return rows[0]
}

export const updateSecrets = (
  db: Queryable,
  brainId: number,
  id: string,
  given: EndpointSecrets & { secretBy: string },
) =>
  change(
    db,
    brainId,
    id,
    sql`secret = ${given.secret}, secret_by = ${given.secretBy}, next_secret = ${given.nextSecret}, next_from = ${given.nextFrom}`,
  )

/** The URL of a webhook and its signer. */
export const selectTarget = async (db: Queryable, brainId: number, id: string) => {
  const { rows } = await sql<EndpointSecrets & { url: string }>`
    select url, secret, next_secret as "nextSecret", next_from as "nextFrom"
    from brain_webhooks where brain_id = ${brainId} and id = ${id}`.execute(db)
  return rows[0]
}

/** A delivery, and its number among all of its webhook. */
type NumberedDelivery = { number: number; delivery: WebhookDelivery }

/** A page of a webhook's latest deliveries. */
export const selectDeliveries = async (db: Queryable, brainId: number, id: string, page: PageRequest<number>) => {
  const { rows } = await sql<NumberedDelivery>`select number, delivery from brain_webhook_deliveries
    where brain_id = ${brainId} and webhook = ${id} and ${isAfter(sql`number`, page)}
    ${inOrder(sql`number`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** Locks a live Brain until the transaction ends and counts its webhooks. */
export const lockBrain = async (tx: Tx, brainId: number, wait: LockWait): Promise<{ webhooks: number } | undefined> => {
  const locking = { columns: sql`brain.brain_id`, where: sql`brain.brain_id = ${brainId}`, lock: forChange }
  await lockingBriefly(tx, wait, locking)
  const { rows } = await sql<{ webhooks: number }>`
    select (select count(*) from brain_webhooks where brain_id = ${brainId}) as webhooks
    from brains where brain_id = ${brainId} and deleted_at is null`.execute(tx)
  return rows[0]
}
