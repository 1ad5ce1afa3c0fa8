import type { EventType } from '@noema/contracts/event-types.ts'
import type { WebhookDelivery } from '@noema/contracts/webhooks.ts'
import { CompiledQuery, sql } from 'kysely'
import type {
  DuePage,
  LeasedRow,
  LeasedRows,
  LeaseRequest,
  Settlement,
} from '../../../shared/concurrency/leased-work.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import {
  chooseByShares,
  findStanding,
  type LeaseValues,
  skipLocked,
  toLeasedOfBrains,
  toLeaseValues,
  withoutWaitingForDisk,
} from '../../../storage/lease-queries.ts'
import { defineStatement, toBoundStatement } from '../../../storage/statements.ts'
import type { EndpointSecrets } from '../endpoints/endpoints.ts'
import type { Failure } from './webhook-queries.ts'

/** A webhook that this node may deliver for, until the lease ends or is taken away. Its key is its Brain's number. */
export type LeasedWebhook = LeasedRow &
  EndpointSecrets & {
    brainId: number
    cursorKey: Buffer
    deletedAt: Date | null
    head: number
    id: string
    url: string
    types: EventType[] | null
    examined: number
    settled: number | null
    attempts: number
  }

type Row = LeasedWebhook & { watched: string; leftOf: string | null }

const lease = defineStatement<LeaseValues & { isDivided: boolean }, Row>(
  (given) => {
    const { keys, lease: token, now, until, isDivided, ...shares } = given
    const brains = sql`any(${keys}::bigint[])`
    const isFree = sql`(webhook.due_at is null or webhook.due_at <= ${now})`
    const isDue = sql`brain.position > webhook.examined_position and ${isFree}`
    return sql<Row>`
    with candidate as materialized (
      select webhook.brain_id, webhook.id, brain.organization_id as organization, coalesce(webhook.due_at, ${now}::timestamptz) as due,
        ${withoutWaitingForDisk}
      from brain_webhooks as webhook join brains as brain using (brain_id)
      where webhook.brain_id = ${brains} and ${isDue}),
    chosen as materialized (${chooseByShares(shares)}),
    locked as (
      select webhook.brain_id, webhook.id, brain.cursor_key, brain.deleted_at, brain.position, brain.organization_id
      from chosen join brain_webhooks as webhook using (brain_id, id) join brains as brain using (brain_id)
      where is_chosen and ${isDue} ${skipLocked(isDivided, 'webhook')}),
    leased as (
      update brain_webhooks as webhook set lease = ${token}, due_at = ${until}
      from locked where webhook.brain_id = locked.brain_id and webhook.id = locked.id and ${isFree}
      returning webhook.brain_id, webhook.brain_id::text as key, webhook.brain_id::text || '/' || webhook.id as owner,
        locked.organization_id as organization, locked.cursor_key as "cursorKey", locked.deleted_at as "deletedAt",
        locked.position as head, webhook.id, webhook.lease, webhook.url, webhook.types, webhook.secret,
        webhook.next_secret as "nextSecret", webhook.next_from as "nextFrom", webhook.examined_position as examined,
        webhook.settled_position as settled, webhook.attempts)
    select watched.brain_id::text as watched, remaining.organization as "leftOf", leased.*, leased.brain_id as "brainId"
    from (select distinct brain_id from brain_webhooks where brain_id = ${brains}) as watched
      left join (select distinct brain_id, organization from chosen where not is_chosen) as remaining using (brain_id)
      left join leased using (brain_id)`
  },
  { fixed: { isDivided: [true, false] } },
)

/**
 * Leases webhooks of these Brains that have something to send and wait for nothing, as far as the shares allow. Brains
 * without webhooks are answered as absent.
 */
export const leaseWebhooks = async (
  prepared: RunPrepared,
  request: LeaseRequest,
  isDivided = false,
): Promise<LeasedRows<LeasedWebhook>> =>
  toLeasedOfBrains(request.keys, await prepared(lease({ ...toLeaseValues(request), isDivided })))

/** Brains with events that a webhook has not seen while no node works on them, as after a lost wake. */
export const selectOverlookedBrains = async (db: Db, { after, limit }: DuePage): Promise<string[]> => {
  const { rows } = await sql<{ key: string }>`
    select brain_id::text as key from brain_webhooks as webhook join brains as brain using (brain_id)
    where webhook.due_at is null and brain.position > webhook.examined_position and brain_id > ${after ?? 0}
    group by brain_id order by brain_id limit ${limit}`.execute(db)
  return rows.map(({ key }) => key)
}

/**
 * The outcome of a leased webhook's event. `next` decides about the lease: `keep` it, `release` it unless more has been
 * committed, or leave it until `dueAt` (`retry_at`).
 */
export type Outcome = {
  examined: number
  settled: number | null
  attempts: number
  next: 'keep' | 'release' | 'retry_at'
  dueAt: Date | null
  failure: Failure | null
  delivery: WebhookDelivery | null
}

/** Stores many outcomes at once, each only while its lease is valid, and returns which leases still are. */
export const storeWebhookOutcomes = async (
  prepared: RunPrepared,
  settlements: readonly Settlement<LeasedWebhook, Outcome>[],
  kept: number,
): Promise<boolean[]> => {
  const given = settlements.map(({ row: { brainId, id, lease }, outcome }) => ({
    brainId,
    id,
    lease,
    ...outcome,
    failedAt: outcome.failure?.at ?? null,
  }))
  const rows = await prepared(sql<{ id: string; brainId: number; lease: string }>`
    with given as materialized (
      select row.*, ${withoutWaitingForDisk}
      from json_to_recordset(${JSON.stringify(given)}::json) as row ("brainId" bigint, id text, lease text,
        examined bigint, settled bigint, attempts integer, next text, "dueAt" timestamptz, failure json, delivery json, "failedAt" timestamptz)),
    settled as (
      update brain_webhooks as webhook
      set examined_position = given.examined, settled_position = given.settled, attempts = given.attempts,
        last_failure = coalesce(given.failure, webhook.last_failure),
        failing_since = case when given.failure is not null
          then coalesce(webhook.failing_since, given."failedAt")
          when given.delivery is null then webhook.failing_since end,
        failing_organization = case when given.failure is not null then brain.organization_id
          when given.delivery is null then webhook.failing_organization end,
        deliveries = webhook.deliveries + (given.delivery is not null)::integer,
        lease = case when given.next = 'keep' or (given.next = 'release' and brain.position > given.examined)
          then webhook.lease end,
        due_at = case when given.next = 'keep' or (given.next = 'release' and brain.position > given.examined)
          then webhook.due_at else given."dueAt" end
      from given join brains as brain on brain.brain_id = given."brainId"
      where webhook.brain_id = given."brainId" and webhook.id = given.id and webhook.lease = given.lease
      returning webhook.brain_id as "brainId", webhook.id, webhook.lease, webhook.deliveries, given.delivery),
    logged as (
      insert into brain_webhook_deliveries (brain_id, webhook, slot, number, delivery)
      select "brainId", id, deliveries % ${kept}, deliveries, delivery from settled where delivery is not null
      on conflict (brain_id, webhook, slot) do update set number = excluded.number, delivery = excluded.delivery)
    select "brainId", id, lease from settled where lease is not null`)
  return findStanding(given, rows)
}

/** The same statement with another text: connections prepare a text wherever it is sent, once anyone asked for it. */
export const toUnprepared = (statement: Parameters<RunPrepared>[0]): CompiledQuery => {
  const { text, values } = 'text' in statement ? statement : toBoundStatement(statement)
  return CompiledQuery.raw(`${text} /* for many */`, [...values])
}
