import type { Trigger } from '@noema/contracts/triggers.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import type {
  DuePage,
  LeasedRow,
  LeasedRows,
  LeaseRequest,
  Settlement,
} from '../../../shared/concurrency/leased-work.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { chooseByShares, findStanding, toLeasedOfBrains, toShares } from '../../../storage/lease-queries.ts'

/** A trigger that this node may fire, until the lease ends or is taken away. Its key is its Brain's number. */
export type LeasedTrigger = LeasedRow &
  Pick<Trigger, 'id' | 'agentId' | 'name' | 'expectedOutcome' | 'requiredAccess' | 'kindScopes'> & {
    brainId: number
    handle: string
    knowledgeGraphId: string
    createdBy: Actor
    examined: number
  }

type Row = LeasedTrigger & { watched: string; leftOf: string | null }

/** Selects the heads of Brains. If they are on other servers than triggers, a separate statement reads them first. */
const selectHeads = async (
  { db, isDivided }: { db: Db; isDivided: boolean },
  brainIds: readonly (string | number)[],
): Promise<RawBuilder<unknown>> => {
  const heads = sql<object>`select brain_id, organization_id, handle, id as graph, position, deleted_at from brains
    where brain_id = any(${[...brainIds]}::bigint[])`
  if (!isDivided) return heads
  const { rows } = await heads.execute(db)
  return sql`select * from json_to_recordset(${JSON.stringify(rows)}::json) as head (brain_id bigint, organization_id text,
    handle text, graph text, position bigint, deleted_at timestamptz)`
}

/**
 * Leases triggers of these Brains that have events to examine and wait for nothing, within the shares. Brains without enabled
 * triggers are returned as absent.
 */
export const leaseTriggers = async (
  deps: { db: Db; isDivided: boolean },
  { keys, lease, now, until, running }: LeaseRequest,
): Promise<LeasedRows<LeasedTrigger>> => {
  const brains = sql`any(${[...keys]}::bigint[])`
  const isDue = sql`trigger.enabled and brain.deleted_at is null and (trigger.due_at <= ${now}
    or (trigger.due_at is null and trigger.paused_reason is null and brain.position > trigger.examined_position))`
  const heads = await selectHeads(deps, keys)
  const { rows: found } = await sql<Row>`
    with head as materialized (${heads}),
    candidate as materialized (
      select trigger.brain_id, trigger.id, brain.organization_id as organization, coalesce(trigger.due_at, ${now}) as due
      from triggers as trigger join head as brain using (brain_id) where trigger.brain_id = ${brains} and ${isDue}),
    chosen as materialized (${chooseByShares(toShares(running))}),
    locked as (
      select trigger.brain_id, trigger.id, brain.organization_id, brain.handle, brain.graph
      from chosen join triggers as trigger using (brain_id, id) join head as brain using (brain_id)
      where is_chosen and ${isDue} for update of trigger skip locked),
    leased as (
      update triggers as trigger set lease = ${lease}, due_at = ${until}
      from locked where trigger.brain_id = locked.brain_id and trigger.id = locked.id
      returning trigger.brain_id, trigger.brain_id::text as key, trigger.brain_id::text || '/' || trigger.id as owner,
        locked.organization_id as organization, trigger.lease, trigger.id, trigger.agent_id as "agentId", trigger.name,
        trigger.expected_outcome as "expectedOutcome", trigger.required_access as "requiredAccess",
        trigger.kind_scopes as "kindScopes", locked.handle, locked.graph as "knowledgeGraphId",
        trigger.created_by as "createdBy", trigger.examined_position as examined)
    select watched.brain_id::text as watched, remaining.organization as "leftOf", leased.*, leased.brain_id as "brainId"
    from (select distinct brain_id from triggers where brain_id = ${brains} and enabled) as watched
      left join (select distinct brain_id, organization from chosen where not is_chosen) as remaining using (brain_id)
      left join leased using (brain_id)`.execute(deps.db)
  return toLeasedOfBrains(keys, found)
}

/** Brains with events that a trigger has not seen while no node works on them, as after a lost wake. */
export const selectOverlookedBrains = async (db: Db, { after, limit }: DuePage): Promise<string[]> => {
  const { rows } = await sql<{ key: string }>`
    select brain_id::text as key from (select * from triggers) as trigger join brains as brain using (brain_id)
    where trigger.enabled and trigger.due_at is null and trigger.paused_reason is null and brain.deleted_at is null
      and brain.position > trigger.examined_position and brain_id > ${after ?? 0}
    group by brain_id order by brain_id limit ${limit}`.execute(db)
  return rows.map(({ key }) => key)
}

/** The progress of a trigger: the last event that it examined, and the run that it started last, if any. */
export type Progress = { examined: number; lastRunId: string | null; lastFiredAt: Date | null }

/**
 * The outcome of a leased trigger. `next` decides about the lease: `keep` it, `release` it unless more has been committed, or
 * leave it until `dueAt` (`wait`), which is never if only a change sets it going again.
 */
export type Outcome = Progress & {
  next: 'keep' | 'release' | 'wait'
  dueAt: Date | null
  pausedReason: string | null
}

/** Stores many outcomes at once, each only while its lease is valid, and returns which leases still are. */
export const storeTriggerOutcomes = async (
  deps: { db: Db; prepared: RunPrepared; isDivided: boolean },
  settlements: readonly Settlement<LeasedTrigger, Outcome>[],
): Promise<boolean[]> => {
  const given = settlements.map(({ row: { brainId, id, lease }, outcome }) => ({ brainId, id, lease, ...outcome }))
  const heads = await selectHeads(
    deps,
    given.map(({ brainId }) => brainId),
  )
  const rows = await deps.prepared(sql<{ id: string; brainId: number; lease: string }>`
    with head as materialized (${heads}),
    given as materialized (
      select row.* from json_to_recordset(${JSON.stringify(given)}::json) as row ("brainId" bigint, id text, lease text,
        examined bigint, "lastRunId" text, "lastFiredAt" timestamptz, next text, "dueAt" timestamptz, "pausedReason" text)),
    settled as (
      update triggers as trigger
      set examined_position = given.examined, last_run_id = coalesce(given."lastRunId", trigger.last_run_id),
        last_fired_at = coalesce(given."lastFiredAt", trigger.last_fired_at), paused_reason = given."pausedReason",
        lease = case when given.next = 'keep' or (given.next = 'release' and brain.position > given.examined)
          then trigger.lease end,
        due_at = case when given.next = 'keep' or (given.next = 'release' and brain.position > given.examined)
          then trigger.due_at else given."dueAt" end
      from given join head as brain on brain.brain_id = given."brainId"
      where trigger.brain_id = given."brainId" and trigger.id = given.id and trigger.lease = given.lease
      returning trigger.brain_id as "brainId", trigger.id, trigger.lease)
    select "brainId", id, lease from settled where lease is not null`)
  return findStanding(given, rows)
}
