import type { OrganizationEvent } from '@noema/contracts/organization-webhooks.ts'
import { type RawBuilder, sql } from 'kysely'
import type { LeasedRow, LeasedRows, LeaseRequest } from '../../../shared/concurrency/leased-work.ts'
import type { JsonObject } from '../../../shared/text/json.ts'
import { isWebhookOfStranger, isWebhookOfStrangerToRun } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { chooseByShares, toShares } from '../../../storage/lease-queries.ts'

/** An event in an organization. `scope`: the agent or the Brain, by its handle, that it belongs to. */
export type OutboxEvent = {
  organizationId: string
  event: OrganizationEvent
  at: Date
  scope: { agentId?: string; brain?: string }
  data: JsonObject
}

/** A waiting event. `webhookIds`: the webhooks that it is for. */
export type StoredEvent = Omit<OutboxEvent, 'scope'> & { id: number; attempts: number; webhookIds: string[] }

/**
 * The webhooks that subscribe to an event: nothing else in the outbox depends on subscriptions. The agents that a correction
 * concerns are found when its deliveries are made, so until then it is for the webhooks of every agent.
 */
const selectWanting = (event: Record<'organizationId' | 'event' | 'agentId' | 'brain', RawBuilder<unknown>>) => sql`
  select array_agg(id order by id) as wanted_by from organization_webhooks as webhook
  where webhook.organization_id = ${event.organizationId} and ${event.event} = any(webhook.events)
    and (webhook.agent_id is null or webhook.agent_id = ${event.agentId} or ${event.event} = 'knowledge.corrected')
    and (webhook.brain is null or webhook.brain = ${event.brain})`

/** Inserts an event if a webhook subscribes to it. */
export const insertRequestedEvent = ({ organizationId, event, at, scope, data }: OutboxEvent): RawBuilder<unknown> => {
  const [agentId, brain] = [scope.agentId ?? null, scope.brain ?? null]
  const wanting = selectWanting({
    organizationId: sql`${organizationId}`,
    event: sql`${event}`,
    agentId: sql`${agentId}::text`,
    brain: sql`${brain}::text`,
  })
  return sql`
    insert into outbox (organization_id, event, at, agent_id, brain, data, wanted_by, due_at)
    select ${organizationId}, ${event}, ${at}::timestamptz, ${agentId}, ${brain}, ${JSON.stringify(data)}::json, wanted_by,
      ${at}::timestamptz
    from (${wanting}) as wanting where wanted_by is not null`
}

/**
 * Inserts events that a select returns (organization_id, event, at, agent_id, brain, data), if a webhook subscribes to them, as
 * one part of a statement.
 */
export const insertRequestedEvents = (events: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into outbox (organization_id, event, at, agent_id, brain, data, wanted_by, due_at)
  select event.organization_id, event.event, event.at, event.agent_id, event.brain, event.data, wanting.wanted_by, event.at
  from (${events}) as event cross join lateral (${selectWanting({
    organizationId: sql`event.organization_id`,
    event: sql`event.event`,
    agentId: sql`event.agent_id`,
    brain: sql`event.brain`,
  })}) as wanting where wanting.wanted_by is not null`

/** Those of some webhooks whose people may see the Brain or the run that an event, a row called `leased`, is about. */
const withoutStrangers = (webhooks: RawBuilder<unknown>) => sql`
  case when exists (select 1 from restricted_brains as restricted where restricted.organization_id = leased.organization_id)
    then array(select webhook.id from organization_webhooks as webhook where webhook.id = any(${webhooks})
      and not case when leased.event = 'knowledge.corrected'
        then ${isWebhookOfStranger(sql`(leased.data->>'brainId')::bigint`)}
        else ${isWebhookOfStrangerToRun(sql`leased.organization_id`, sql`leased.data->>'runId'`)} end
      order by webhook.id)
    else ${webhooks} end`

/** Events of one organization, leased together. */
export type LeasedEvents = LeasedRow & { events: readonly StoredEvent[] }

type Row = StoredEvent & { asked: string; lease: string; isLeft: boolean | null }

/** Leases due events: up to `limit` of each organization that its share allows a job. */
export const leaseEvents = async (
  db: Queryable,
  { keys, lease, now, until, running }: LeaseRequest,
  limit: number,
): Promise<LeasedRows<LeasedEvents>> => {
  const { rows } = await sql<Row>`
    with candidate as (
      select organization_id as organization, min(due_at) as due from outbox
      where organization_id = any(${[...keys]}) and due_at <= ${now} group by organization_id),
    chosen as materialized (${chooseByShares(toShares(running))}),
    locked as (
      select due.id from chosen cross join lateral (
        select id from outbox where organization_id = chosen.organization and due_at <= ${now}
        order by due_at limit ${limit} for update skip locked) as due
      where is_chosen),
    leased as (
      update outbox set lease = ${lease}, due_at = ${until} from locked where outbox.id = locked.id returning outbox.*)
    select chosen.organization as asked, not is_chosen as "isLeft", leased.id, leased.organization_id as "organizationId",
      leased.event, leased.at, leased.data, leased.attempts, leased.lease,
      ${withoutStrangers(sql`coalesce(leased.wanted_by, old.wanted_by, '{}')`)} as "webhookIds"
    from chosen left join leased on leased.organization_id = chosen.organization
      left join lateral (${selectWanting({
        organizationId: sql`leased.organization_id`,
        event: sql`leased.event`,
        agentId: sql`leased.agent_id`,
        brain: sql`leased.brain`,
      })}) as old on leased.wanted_by is null
    order by leased.id`.execute(db)
  const batches = Map.groupBy(
    rows.filter(({ id }) => id !== null),
    ({ organizationId }) => organizationId,
  )
  return {
    rows: [...batches].map(([organization, events]) => ({
      ...{ key: organization, organization, owner: organization, lease },
      events: events.map(({ asked: _asked, isLeft: _isLeft, lease: _lease, ...event }) => event),
    })),
    left: rows.flatMap(({ asked, isLeft }) =>
      isLeft ? { key: asked, organization: asked, limit: 'organization' as const } : [],
    ),
  }
}

type Held = { id: number; lease: string }

type Postponed = Held & { dueAt: Date; attempts: number }

const given = (events: readonly (Held | Postponed)[]) =>
  sql`json_to_recordset(${JSON.stringify(events)}::json)
    as given (id bigint, lease text, "dueAt" timestamptz, attempts integer)`

/** Removes events; the caller stores their results in the same transaction. Returns those whose lease still held. */
export const takeEvents = async (tx: Tx, events: readonly Held[]): Promise<Set<number>> => {
  const { rows } = await sql<{ id: number }>`
    delete from outbox using ${given(events.map(({ id, lease }) => ({ id, lease })))}
    where outbox.id = given.id and outbox.lease = given.lease
    returning outbox.id`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** Postpones events that could not be expanded. */
export const postponeEvents = (tx: Tx, events: readonly Postponed[]) =>
  sql`update outbox set attempts = given.attempts, lease = null, due_at = given."dueAt"
    from ${given(events)} where outbox.id = given.id and outbox.lease = given.lease`.execute(tx)
