import type { OrganizationDelivery, OrganizationEvent, WebhookScope } from '@noema/contracts/organization-webhooks.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorColumn, actorValue } from '../../../storage/actor-columns.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { EndpointSecrets } from '../endpoints/endpoints.ts'

/** Whose the encrypted secrets of a webhook are: no Brain's, which begin with its number. */
export const secretContext = (id: string): string => `0/${id}`

export type WebhookRow = EndpointSecrets & {
  id: string
  url: string
  events: string[]
  agentId: string | null
  brain: string | null
  createdAt: Date
  createdBy: Actor
}

const columns = sql`webhook.id, webhook.url, webhook.events, webhook.agent_id as "agentId", webhook.brain, webhook.secret,
  webhook.next_secret as "nextSecret", webhook.next_from as "nextFrom", webhook.created_at as "createdAt",
  ${actorColumn(sql`webhook.created_by`, sql`webhook.created_by_actor`)} as "createdBy"`

/** The row of a statement that always has one. */
const one = <Row>([row]: readonly Row[]): Row => {
  if (row === undefined) throw new Error('A statement answered no row.')
  return row
}

/** Locks an organization, so that its webhooks are counted by one at a time; tells how many there are. */
export const countWebhooks = async (tx: Tx, organizationId: string): Promise<number> => {
  await sql`select from organization where id = ${organizationId} for no key update`.execute(tx)
  const { rows } = await sql<{ count: number }>`select count(*) as count from organization_webhooks
    where organization_id = ${organizationId}`.execute(tx)
  return rows[0]?.count ?? 0
}

export type NewWebhook = Pick<WebhookRow, 'id' | 'url' | 'events' | 'secret' | 'createdAt' | 'createdBy'> & {
  organizationId: string
  scope: WebhookScope | undefined
}

export const insertWebhook = async (tx: Tx, { scope, ...given }: NewWebhook): Promise<WebhookRow> => {
  const agentId = scope && 'agentId' in scope ? scope.agentId : null
  const brain = scope && 'brain' in scope ? scope.brain : null
  const { rows } = await sql<WebhookRow>`
    insert into organization_webhooks as webhook
      (id, organization_id, url, events, agent_id, brain, secret, created_at, created_by, created_by_actor)
    values (${given.id}, ${given.organizationId}, ${given.url}, ${given.events}, ${agentId}, ${brain}, ${given.secret},
      ${given.createdAt}, ${given.createdBy.id}, ${actorValue(given.createdBy)})
    returning ${columns}`.execute(tx)
  return one(rows)
}

type Page = { after: string; limit: number }

/** An organization's webhooks by id after one. */
export const selectWebhooks = async (db: Queryable, organizationId: string, { after, limit }: Page) => {
  const { rows } = await sql<WebhookRow>`select ${columns} from organization_webhooks as webhook
    where organization_id = ${organizationId} and id > ${after} order by id limit ${limit}`.execute(db)
  return rows
}

/** One webhook of an organization; `lock` keeps it as it is until the transaction ends. */
export const selectWebhook = async (
  db: Queryable,
  organizationId: string,
  id: string,
  { lock = false } = {},
): Promise<WebhookRow | undefined> => {
  const { rows } = await sql<WebhookRow>`select ${columns} from organization_webhooks as webhook
    where organization_id = ${organizationId} and id = ${id} ${lock ? sql`for update` : sql``}`.execute(db)
  return rows[0]
}

export const updateSecrets = async (tx: Tx, id: string, { secret, nextSecret, nextFrom }: EndpointSecrets) => {
  const { rows } = await sql<WebhookRow>`update organization_webhooks as webhook
    set secret = ${secret}, next_secret = ${nextSecret}, next_from = ${nextFrom} where id = ${id}
    returning ${columns}`.execute(tx)
  return one(rows)
}

export const removeWebhook = async (db: Queryable, organizationId: string, id: string): Promise<boolean> => {
  const { rows } = await sql`delete from organization_webhooks
    where organization_id = ${organizationId} and id = ${id} returning id`.execute(db)
  return rows.length > 0
}

/** The webhooks of an organization that want an event of this scope. */
export const selectListeners = async (
  db: Queryable,
  organizationId: string,
  event: OrganizationEvent,
  scope: { agentId?: string; brain?: string },
): Promise<{ id: string }[]> => {
  const { rows } = await sql<{ id: string }>`select id from organization_webhooks
    where organization_id = ${organizationId} and ${event} = any(events)
      and (agent_id is null or agent_id = ${scope.agentId ?? null}) and (brain is null or brain = ${scope.brain ?? null})
    order by id`.execute(db)
  return rows
}

type DeliveryRow = Omit<OrganizationDelivery, 'createdAt' | 'nextAttemptAt'> & {
  createdAt: Date
  nextAttemptAt: Date | null
}

const deliveryColumns = sql`delivery.id, delivery.event, delivery.state, delivery.attempts, delivery.created_at as "createdAt",
  delivery.next_attempt_at as "nextAttemptAt", delivery.last_attempt as "lastAttempt"`

export const insertDeliveries = (
  tx: Tx,
  rows: readonly { id: string; webhook: string; event: string; body: string }[],
  now: Date,
) =>
  sql`insert into organization_deliveries (id, webhook_id, event, body, created_at, next_attempt_at)
    select id, webhook, event, body, ${now}::timestamptz, ${now}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (id text, webhook text, event text, body text)`.execute(
    tx,
  )

/** A webhook's deliveries by id before one, newest first. */
export const selectDeliveries = async (db: Queryable, webhook: string, { after, limit }: Page) => {
  const { rows } = await sql<DeliveryRow>`select ${deliveryColumns} from organization_deliveries as delivery
    where webhook_id = ${webhook} ${after === '' ? sql`` : sql`and id < ${after}`}
    order by id desc limit ${limit}`.execute(db)
  return rows
}

/** Begins a delivery anew: another turn, whose job is yet to be queued. What is under way of the last one settles nothing. */
export const beginAgain = async (db: Queryable, webhook: string, id: string, now: Date) => {
  const { rows } = await sql<DeliveryRow>`update organization_deliveries as delivery
    set state = 'pending', turn = turn + 1, attempts = 0, queued = false, next_attempt_at = ${now}
    where webhook_id = ${webhook} and id = ${id} returning ${deliveryColumns}`.execute(db)
  return rows[0]
}

/** Whether anything is to be delivered, now or later. */
export const hasPendingDeliveries = async (db: Queryable): Promise<boolean> => {
  const { rows } = await sql<{ has: boolean }>`select exists (
    select from organization_deliveries where state = 'pending') as has`.execute(db)
  return rows[0]?.has === true
}

/** An attempt: of which delivery, in which turn, and the how manieth. */
export type Attempt = { delivery: string; turn: number; attempt: number }

/** Marks deliveries that have no job yet, and answers their first attempts. */
export const markQueued = async (tx: Tx, limit: number): Promise<Attempt[]> => {
  const { rows } = await sql<Attempt>`
    with waiting as (select id from organization_deliveries where state = 'pending' and not queued
      order by id limit ${limit} for update skip locked)
    update organization_deliveries as delivery set queued = true from waiting where delivery.id = waiting.id
    returning delivery.id as delivery, turn, 1 as attempt`.execute(tx)
  return rows
}

const isAttempt = ({ delivery, turn, attempt }: Attempt) =>
  sql`delivery.id = ${delivery} and turn = ${turn} and attempts = ${attempt - 1} and state = 'pending'`

/** What an attempt sends and where; undefined where it is not due any more. */
export const selectAttempt = async (db: Queryable, attempt: Attempt) => {
  const { rows } = await sql<EndpointSecrets & { webhook: string; url: string; body: string }>`
    select webhook.id as webhook, webhook.url, webhook.secret, webhook.next_secret as "nextSecret",
      webhook.next_from as "nextFrom", delivery.body
    from organization_deliveries as delivery join organization_webhooks as webhook on webhook.id = delivery.webhook_id
    where ${isAttempt(attempt)}`.execute(db)
  return rows[0]
}

/** Writes down what an attempt met. False where it is not this attempt's any more. */
export const settleAttempt = async (
  tx: Tx,
  attempt: Attempt,
  met: Pick<OrganizationDelivery, 'state' | 'lastAttempt'> & { nextAttemptAt: Date | null },
): Promise<boolean> => {
  const { rows } = await sql`update organization_deliveries as delivery
    set attempts = attempts + 1, state = ${met.state}, next_attempt_at = ${met.nextAttemptAt},
      last_attempt = ${JSON.stringify(met.lastAttempt)}
    where ${isAttempt(attempt)} returning id`.execute(tx)
  return rows.length > 0
}

/** Takes away deliveries of before a time that were settled. */
export const deleteSettled = async (db: Queryable, before: Date, atOnce: number): Promise<number> => {
  const { rows } = await sql`delete from organization_deliveries where id in (
    select id from organization_deliveries where created_at < ${before} and state <> 'pending' limit ${atOnce})
    returning id`.execute(db)
  return rows.length
}
