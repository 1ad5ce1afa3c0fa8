import type { OrganizationDelivery } from '@noema/contracts/organization-webhooks.ts'
import { type RawBuilder, sql } from 'kysely'
import type {
  LeasedRow,
  LeasedRows,
  LeaseRequest,
  LeftRows,
  Settlement,
} from '../../../shared/concurrency/leased-work.ts'
import { isWebhookOfStranger, withSeeingRuns } from '../../../storage/brain-access.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { chooseByShares, toShares, withoutWaitingForDisk } from '../../../storage/lease-queries.ts'
import type { EndpointSecrets } from '../endpoints/endpoints.ts'

/** The deliveries of one event: the same body for each of these webhooks. */
export type NewDeliveries = { event: string; body: string; deliveries: readonly { id: string; webhook: string }[] }

/**
 * Inserts deliveries to the webhooks that are still there, due at once, or once a paused webhook goes on. One that is being resumed is
 * waited for: it makes due only deliveries that are there.
 */
export const insertDeliveries = (tx: Tx, made: readonly NewDeliveries[], now: Date) =>
  sql`insert into organization_deliveries (id, webhook_id, event, body, run_id, created_at, next_attempt_at, due_at)
    select delivery.id, webhook.id, made.event, made.body,
      case when made.event in ('run.completed', 'run.failed') then made.body::json->'data'->>'runId' end,
      ${now}::timestamptz, case when not webhook.paused then ${now}::timestamptz end,
      case when webhook.paused then 'infinity' else ${now}::timestamptz end
    from json_to_recordset(${JSON.stringify(made)}::json) as made (event text, body text, deliveries json)
      cross join json_to_recordset(made.deliveries) as delivery (id text, webhook text)
      join organization_webhooks as webhook on webhook.id = delivery.webhook
    order by webhook.id for share of webhook`.execute(tx)

/** The outputs of runs, as part of a statement that erases them from the JSON object about their ends. */
const withoutContents = (data: RawBuilder<unknown>): RawBuilder<unknown> => sql`((${data}::jsonb - 'output')
  || case when ${data}::jsonb ? 'failureReason' then jsonb_build_object('failureReason', 'Erased.') else '{}' end)`

/** Erases the outputs of runs from past and future deliveries. A delivery in progress may still arrive. */
export const eraseDeliveries = async (db: Queryable, runs: readonly { organizationId: string; id: string }[]) => {
  const organizationIds = [...new Set(runs.map(({ organizationId }) => organizationId))]
  const runIds = runs.map(({ id }) => id)
  // One after the other: what becomes a delivery meanwhile is seen by the second.
  await sql`update outbox set data = ${withoutContents(sql`data`)}::json, lease = null
    where organization_id = any(${organizationIds}) and event in ('run.completed', 'run.failed')
      and data->>'runId' = any(${runIds})`.execute(db)
  await sql`update organization_deliveries as delivery
    set body = jsonb_set(body::jsonb, '{data}', ${withoutContents(sql`(body::jsonb->'data')`)})::text
    from organization_webhooks as webhook
    where delivery.run_id = any(${runIds}) and webhook.id = delivery.webhook_id
      and webhook.organization_id = any(${organizationIds})`.execute(db)
}

/** Deletes the deliveries about a Brain, or runs that content of it may have come to, to webhooks of people to whom it is not open. One in progress may still arrive. */
export const dropDeliveriesToStrangers = (
  db: Queryable,
  { brainId, organizationId, handle }: { brainId: number; organizationId: string; handle: string },
) =>
  sql`${withSeeingRuns(sql`${organizationId}::text`, sql`${brainId}::bigint`)}
    delete from organization_deliveries as delivery using organization_webhooks as webhook
    where webhook.organization_id = ${organizationId} and delivery.webhook_id = webhook.id
      and ${isWebhookOfStranger(sql`${brainId}::bigint`)}
      and (delivery.event = 'knowledge.corrected' and delivery.body::json->'data'->>'brain' = ${handle}
        or delivery.body::json->'data'->>'runId' in (select id from seeing))`.execute(db)

type LastAttempt = OrganizationDelivery['lastAttempt']

/** A delivery that this node may attempt. Its key is its webhook, which may have so many turns at once. */
export type LeasedDelivery = LeasedRow &
  EndpointSecrets & { id: string; url: string; body: string; attempts: number; lastAttempt: LastAttempt }

type Row = LeasedDelivery & { asked: string; askedOf: string; limit: LeftRows['limit'] | null }

/**
 * Leases due deliveries of these webhooks, within their organizations' shares and `maxTurns` of each webhook: it examines no more
 * of a webhook than it may lease.
 */
export const leaseDeliveries = async (
  db: Db,
  { keys, lease, now, until, running }: LeaseRequest,
  maxTurns: number,
): Promise<LeasedRows<LeasedDelivery>> => {
  // Not prepared: a plan that was made while there were few deliveries would be kept for the burst that follows.
  const { rows } = await sql<Row>`
    with asked as materialized (
      select webhook.*, ${maxTurns} - coalesce(busy.turns, 0) as room
      from organization_webhooks as webhook left join json_to_recordset(${JSON.stringify(running.owners)}::json)
        as busy (owner text, turns integer) on busy.owner = webhook.id
      where webhook.id = any(${[...keys]}) and not webhook.paused),
    due as materialized (
      select asked.id as webhook, asked.organization_id as organization, asked.room, delivery.id, delivery.due_at as due,
        row_number() over (partition by asked.id order by delivery.due_at) as number
      from asked cross join lateral (
        select id, due_at from organization_deliveries
        where webhook_id = asked.id and state = 'pending' and due_at <= ${now}
        order by due_at limit greatest(0, asked.room) + 1) as delivery),
    candidate as (select *, ${withoutWaitingForDisk} from due where number <= room),
    chosen as materialized (${chooseByShares(toShares(running))}),
    locked as (
      select delivery.id from chosen join organization_deliveries as delivery using (id)
      where is_chosen and delivery.state = 'pending' and delivery.due_at <= ${now}
      for update of delivery skip locked),
    leased as (
      update organization_deliveries as delivery set lease = ${lease}, due_at = ${until}
      from locked where delivery.id = locked.id
      returning delivery.id, delivery.webhook_id, delivery.lease, delivery.body, delivery.attempts,
        delivery.last_attempt as "lastAttempt")
    select asked.id as asked, asked.organization_id as "askedOf",
      case when exists (select 1 from chosen where webhook = asked.id and not is_chosen) then 'organization'
        when exists (select 1 from due where webhook = asked.id and number > room) then 'owner' end as limit,
      asked.id as key, asked.id as owner, asked.organization_id as organization, asked.url, asked.secret,
      asked.next_secret as "nextSecret", asked.next_from as "nextFrom", leased.*
    from asked left join leased on leased.webhook_id = asked.id`.execute(db)
  const asked = new Map(rows.map((row) => [row.asked, row]))
  return {
    rows: rows.filter(({ id }) => id !== null),
    left: [...asked.values()].flatMap(({ asked: key, askedOf: organization, limit }) =>
      limit === null ? [] : { key, organization, limit },
    ),
  }
}

/** The outcome of an attempt. A delivery that is still pending is due again. */
export type Attempt = {
  state: OrganizationDelivery['state']
  attempts: number
  dueAt: Date | null
  lastAttempt: LastAttempt
}

/** Stores the outcomes of attempts, each only while its lease is valid. */
export const storeDeliveryOutcomes = async (
  db: Db,
  settlements: readonly Settlement<LeasedDelivery, Attempt>[],
): Promise<boolean[]> => {
  const given = settlements.map(({ row: { id, lease }, outcome }) => ({ id, lease, ...outcome }))
  const { rows } = await sql<{ id: string }>`
    with given as materialized (
      select row.*, ${withoutWaitingForDisk}
      from json_to_recordset(${JSON.stringify(given)}::json) as row (id text, lease text, state text, attempts integer,
        "dueAt" timestamptz, "lastAttempt" json))
    update organization_deliveries as delivery
    set state = given.state, attempts = given.attempts, due_at = given."dueAt", next_attempt_at = given."dueAt",
      last_attempt = given."lastAttempt", lease = null
    from given where delivery.id = given.id and delivery.lease = given.lease returning delivery.id`.execute(db)
  const settled = new Set(rows.map(({ id }) => id))
  return given.map(({ id }) => settled.has(id))
}

/** Deletes old deliveries that have ended, or that wait for a paused webhook. */
export const deleteSettled = async (db: Queryable, before: Date, limit: number): Promise<number> => {
  const { rows } = await sql`delete from organization_deliveries where id in (
    select id from organization_deliveries where created_at < ${before} and (state <> 'pending' or due_at = 'infinity') limit ${limit})
    returning id`.execute(db)
  return rows.length
}
