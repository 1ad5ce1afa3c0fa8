import type { EventType } from '@noema/contracts/events.ts'
import type { WebhookDelivery } from '@noema/contracts/webhooks.ts'
import { sql } from 'kysely'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import type { Failure, SealedSecrets } from './queries.ts'

/** A webhook that this node may deliver for, until the lease ends or is taken away. */
export type LeasedWebhook = SealedSecrets & {
  brainId: number
  cursorKey: Buffer
  deletedAt: Date | null
  head: number
  id: string
  lease: string
  url: string
  types: EventType[] | null
  examined: number
  settled: number | null
  attempts: number
}

/**
 * Leases webhooks of these Brains that have something to send and wait for nothing. Answers as well which of the Brains
 * have webhooks at all.
 */
export const leaseWebhooks = async (
  prepared: RunPrepared,
  brainIds: readonly number[],
  { lease, now, until, limit }: { lease: string; now: Date; until: Date; limit: number },
): Promise<{ leased: LeasedWebhook[]; watched: Set<number> }> => {
  const rows = await prepared(sql<LeasedWebhook & { watched: number }>`
    with due as (
      select webhook.brain_id, webhook.id, brain.cursor_key, brain.deleted_at, brain.position
      from brain_webhooks as webhook join brains as brain using (brain_id)
      where webhook.brain_id = any(${[...brainIds]}::bigint[]) and brain.position > webhook.examined_position
        and (webhook.due_at is null or webhook.due_at <= ${now})
      limit ${limit} for update of webhook skip locked),
    leased as (
      update brain_webhooks as webhook set lease = ${lease}, due_at = ${until}
      from due where webhook.brain_id = due.brain_id and webhook.id = due.id
      returning webhook.brain_id, due.cursor_key as "cursorKey", due.deleted_at as "deletedAt", due.position as head,
        webhook.id, webhook.lease, webhook.url, webhook.types, webhook.secret, webhook.next_secret as "nextSecret",
        webhook.next_from as "nextFrom", webhook.examined_position as examined, webhook.settled_position as settled,
        webhook.attempts)
    select watched.brain_id as watched, leased.*, leased.brain_id as "brainId"
    from (select distinct brain_id from brain_webhooks where brain_id = any(${[...brainIds]}::bigint[])) as watched
      left join leased on leased.brain_id = watched.brain_id`)
  return {
    leased: rows.filter(({ id }) => id !== null),
    watched: new Set(rows.map(({ watched }) => watched)),
  }
}

/** Brains whose webhooks must be looked at by the clock: an attempt is due, or a lease ran out. */
export const selectDueBrains = async (db: Db, now: Date): Promise<number[]> => {
  const { rows } = await sql<{ brainId: number }>`select distinct brain_id as "brainId" from
    (select brain_id from brain_webhooks where due_at <= ${now} order by due_at limit 1000) as due`.execute(db)
  return rows.map(({ brainId }) => brainId)
}

/** Brains with events that a webhook has not looked at though nobody is at it: what a lost wake leaves behind. */
export const selectOverlookedBrains = async (db: Db): Promise<number[]> => {
  const { rows } = await sql<{ brainId: number }>`
    select distinct brain_id as "brainId" from brain_webhooks as webhook join brains as brain using (brain_id)
    where webhook.due_at is null and brain.position > webhook.examined_position limit 1000`.execute(db)
  return rows.map(({ brainId }) => brainId)
}

/**
 * What became of a leased webhook's turn. `course` says how it goes on: `hold` keeps the lease, `release` ends it unless
 * more has been committed, `wait` ends it until `dueAt`.
 */
export type Settlement = {
  brainId: number
  id: string
  lease: string
  examined: number
  settled: number | null
  attempts: number
  course: 'hold' | 'release' | 'wait'
  dueAt: Date | null
  failure: Failure | null
  delivery: WebhookDelivery | null
}

/**
 * Settles many at once, each only while its lease stands, and answers which of them go on. PostgreSQL may acknowledge
 * before it has synced: what a crash loses there is delivered again, which is allowed, and never skipped.
 */
export const settleWebhooks = async (
  prepared: RunPrepared,
  settlements: readonly Settlement[],
  kept: number,
): Promise<Set<string>> => {
  const rows = await prepared(sql<{ id: string; brainId: number }>`
    with given as materialized (
      select row.*, set_config('synchronous_commit', 'off', true)
      from json_to_recordset(${JSON.stringify(settlements)}::json) as row ("brainId" bigint, id text, lease text,
        examined bigint, settled bigint, attempts integer, course text, "dueAt" timestamptz, failure json, delivery json)),
    settled as (
      update brain_webhooks as webhook
      set examined_position = given.examined, settled_position = given.settled, attempts = given.attempts,
        last_failure = coalesce(given.failure, webhook.last_failure),
        deliveries = webhook.deliveries + (given.delivery is not null)::integer,
        lease = case when given.course = 'hold' or (given.course = 'release' and brain.position > given.examined)
          then webhook.lease end,
        due_at = case when given.course = 'hold' or (given.course = 'release' and brain.position > given.examined)
          then webhook.due_at else given."dueAt" end
      from given join brains as brain on brain.brain_id = given."brainId"
      where webhook.brain_id = given."brainId" and webhook.id = given.id and webhook.lease = given.lease
      returning webhook.brain_id as "brainId", webhook.id, webhook.lease, webhook.deliveries, given.delivery),
    logged as (
      insert into brain_webhook_deliveries (brain_id, webhook, slot, number, delivery)
      select "brainId", id, deliveries % ${kept}, deliveries, delivery from settled where delivery is not null
      on conflict (brain_id, webhook, slot) do update set number = excluded.number, delivery = excluded.delivery)
    select "brainId", id from settled where lease is not null`)
  return new Set(rows.map(({ brainId, id }) => `${brainId}/${id}`))
}
