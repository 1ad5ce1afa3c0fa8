import type { OrganizationDelivery, WebhookScope } from '@noema/contracts/organization-webhooks.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorColumn, actorValue } from '../../../storage/actor-columns.ts'
import { hidesWebhookRow, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { Made } from '../../../storage/makers.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import type { EndpointSecrets } from '../endpoints/endpoints.ts'
import { isCreatedBy, isHeldBy } from '../endpoints/owner-queries.ts'

/** Whose the encrypted secrets of a webhook are: no Brain's, which begin with its number. */
export const secretContext = (id: string): string => `0/${id}`

export type WebhookRow = EndpointSecrets & {
  id: string
  url: string
  events: string[]
  agentId: string | null
  brain: string | null
  paused: boolean
  ownerLeft: boolean
  createdAt: Date
  createdBy: Actor
}

const columns = sql`webhook.id, webhook.url, webhook.events, webhook.agent_id as "agentId", webhook.brain, webhook.secret,
  webhook.next_secret as "nextSecret", webhook.next_from as "nextFrom", webhook.created_at as "createdAt",
  webhook.paused, webhook.owner_left as "ownerLeft",
  ${actorColumn(sql`webhook.created_by`, sql`webhook.created_by_actor`)} as "createdBy"`

/** The row of a statement that always has one. */
const one = <Row>([row]: readonly Row[]): Row => {
  if (row === undefined) throw new Error('A statement answered no row.')
  return row
}

/** Locks an organization, so that one at a time counts its webhooks; returns their number. */
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

type Page = PageRequest<string>

/** A page of an organization's webhooks. */
export const selectWebhooks = async (db: Queryable, organizationId: string, page: Page, viewer: Viewer) => {
  const { rows } = await sql<WebhookRow>`select ${columns} from organization_webhooks as webhook
    where organization_id = ${organizationId} and ${isAfter(sql`id`, page)}
      and ${isVisible(viewer, (userId) => hidesWebhookRow(sql`webhook.organization_id`, userId))}
    ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(db)
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

/** Those of some webhooks that are for the whole organization, for a Brain, or for one of these agents. */
export const selectConcerned = async (
  db: Queryable,
  organizationId: string,
  { webhooks, agentIds }: { webhooks: readonly string[]; agentIds: readonly string[] },
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`select id from organization_webhooks
    where organization_id = ${organizationId} and id = any(${[...webhooks]}::text[])
      and (agent_id is null or agent_id = any(${[...agentIds]}::text[])) order by id`.execute(db)
  return rows.map(({ id }) => id)
}

type Changed = Pick<WebhookRow, 'url' | 'events' | 'paused' | 'ownerLeft'> & {
  scope: WebhookScope | null
  /** The last who set the address; undefined if that is unknown. */
  urlBy: string | undefined
}

/** Changes where a webhook leads, what it receives and whether it is paused. */
export const updateWebhook = async (tx: Tx, id: string, { url, events, scope, ...given }: Changed) => {
  const agentId = scope && 'agentId' in scope ? scope.agentId : null
  const brain = scope && 'brain' in scope ? scope.brain : null
  const { rows } = await sql<WebhookRow>`update organization_webhooks as webhook
    set url = ${url}, url_by = coalesce(${given.urlBy ?? null}, url_by), events = ${events}, agent_id = ${agentId},
      brain = ${brain}, paused = ${given.paused}, owner_left = ${given.ownerLeft} where id = ${id}
    returning ${columns}`.execute(tx)
  return one(rows)
}

/** Makes the deliveries of a webhook wait that are under way or due. */
export const postponeDeliveries = (db: Queryable, webhooks: readonly string[]) =>
  sql`update organization_deliveries set due_at = 'infinity', next_attempt_at = null, lease = null
    where webhook_id = any(${[...webhooks]}) and state = 'pending'`.execute(db)

/** Makes the deliveries of a webhook due that waited while it was paused. */
export const resumeDeliveries = (tx: Tx, webhook: string, now: Date) =>
  sql`update organization_deliveries set due_at = ${now}, next_attempt_at = ${now}
    where webhook_id = ${webhook} and state = 'pending' and due_at = 'infinity'`.execute(tx)

type NewSecrets = EndpointSecrets & { secretBy: string }

export const updateSecrets = async (tx: Tx, id: string, { secret, secretBy, nextSecret, nextFrom }: NewSecrets) => {
  const { rows } = await sql<WebhookRow>`update organization_webhooks as webhook
    set secret = ${secret}, secret_by = ${secretBy}, next_secret = ${nextSecret}, next_from = ${nextFrom} where id = ${id}
    returning ${columns}`.execute(tx)
  return one(rows)
}

/** The webhooks of these organizations that these makers created, or that are theirs by their address or secret. */
export const selectWebhooksOfMakers = async (db: Queryable, { makers, organizationIds }: Made) => {
  const { rows } = await sql<{ id: string; url: string }>`
    select id, url from organization_webhooks as webhook
    where organization_id = any(${[...organizationIds]}) and (${isCreatedBy(makers)} or ${isHeldBy(makers)})
    order by id limit 1000`.execute(db)
  return rows
}

/** Deletes the webhooks of these organizations that these makers created. */
export const removeWebhooksOfMakers = async (db: Queryable, { makers, organizationIds }: Made) => {
  const { rows } = await sql<{ id: string; url: string }>`
    delete from organization_webhooks as webhook
    where organization_id = any(${[...organizationIds]}) and ${isCreatedBy(makers)} returning id, url`.execute(db)
  return rows
}

/** Pauses the webhooks of others whose address or secret is these makers', until someone sets the address again. */
export const pauseWebhooksOfMakers = async (db: Queryable, { makers, organizationIds }: Made) => {
  const { rows } = await sql<{ id: string; url: string }>`
    update organization_webhooks set paused = true, owner_left = true where id in (
      select id from organization_webhooks as webhook
      where organization_id = any(${[...organizationIds]}) and ${isHeldBy(makers)} order by id for no key update)
    returning id, url`.execute(db)
  if (rows.length > 0)
    await postponeDeliveries(
      db,
      rows.map(({ id }) => id),
    )
  return rows
}

export const removeWebhook = async (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<{ url: string } | undefined> => {
  const { rows } = await sql<{ url: string }>`delete from organization_webhooks
    where organization_id = ${organizationId} and id = ${id} returning url`.execute(db)
  return rows[0]
}

type DeliveryRow = Omit<OrganizationDelivery, 'createdAt' | 'nextAttemptAt'> & {
  createdAt: Date
  nextAttemptAt: Date | null
}

const deliveryColumns = sql`delivery.id, delivery.event, delivery.state, delivery.attempts, delivery.created_at as "createdAt",
  delivery.next_attempt_at as "nextAttemptAt", delivery.last_attempt as "lastAttempt"`

/** A page of a webhook's deliveries. */
export const selectDeliveries = async (db: Queryable, webhook: string, page: Page) => {
  const { rows } = await sql<DeliveryRow>`select ${deliveryColumns} from organization_deliveries as delivery
    where webhook_id = ${webhook} and ${isAfter(sql`id`, page)} ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(
    db,
  )
  return rows
}

/** Reads as `held` if a webhook is paused, and keeps it as it is until the statement ends. */
const holdPaused = (webhook: string) =>
  sql`held as materialized (select paused from organization_webhooks where id = ${webhook} for share)`

/** When a delivery of a webhook that begins again is due: while the webhook is paused, not before it goes on. */
const dueAgain = (
  now: Date,
) => sql`due_at = case when (select paused from held) then 'infinity' else ${now}::timestamptz end,
  next_attempt_at = case when not (select paused from held) then ${now}::timestamptz end`

/** Restarts a delivery, due at once. An attempt in progress stores no outcome. */
export const beginAgain = async (db: Queryable, webhook: string, id: string, now: Date) => {
  const { rows } = await sql<DeliveryRow>`with ${holdPaused(webhook)} update organization_deliveries as delivery
    set state = 'pending', turn = turn + 1, attempts = 0, lease = null, ${dueAgain(now)}
    where webhook_id = ${webhook} and id = ${id} returning ${deliveryColumns}`.execute(db)
  return rows[0]
}

type Again = { from: string; failed: boolean; max: number; now: Date }

/** A search for failed deliveries examines at most this many. */
const maxExamined = 10_000

/**
 * Restarts a delivery and later ones, within the limit and the number examined. Returns how many, and the next one; undefined if
 * there is no such delivery, and then the caller must roll back.
 */
export const beginManyAgain = async (
  db: Queryable,
  webhook: string,
  { from, failed, max, now }: Again,
): Promise<{ count: number; next: string | null } | undefined> => {
  const { rows } = await sql<{ count: number; next: string | null }>`
    with ${holdPaused(webhook)}, examined as materialized (
      select id, state from organization_deliveries where webhook_id = ${webhook} and id >= ${from}
      order by id limit ${maxExamined + 1}),
    requested as materialized (
      select id, row_number() over (order by id) as number
      from (select * from examined order by id limit ${maxExamined}) as looked_at
      where not ${failed}::boolean or state = 'failed'),
    begun as (
      update organization_deliveries as delivery
      set state = 'pending', turn = turn + 1, attempts = 0, lease = null, ${dueAgain(now)}
      from requested where delivery.id = requested.id and requested.number <= ${max} returning delivery.id)
    select (select count(*) from begun)::int as count, coalesce(
      (select id from requested where number = ${max + 1}),
      (select id from examined order by id offset ${maxExamined} limit 1)) as next
    where exists (select 1 from examined where id = ${from})`.execute(db)
  return rows[0]
}
