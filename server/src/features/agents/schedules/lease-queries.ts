import { sql } from 'kysely'
import type { LeasedRow, LeasedRows, LeaseRequest, Settlement } from '../../../shared/concurrency/leased-work.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import {
  chooseByShares,
  type FoundOfOrganization,
  selectLeased,
  toLeasedOfOrganizations,
  toShares,
} from '../../../storage/lease-queries.ts'
import type { ScheduleRow } from './schedule-queries.ts'

/** A schedule whose time has come, until the lease ends or is taken away. Its key is its organization. */
export type LeasedSchedule = LeasedRow &
  Pick<ScheduleRow, 'id' | 'agentId' | 'cron' | 'timezone' | 'input' | 'target' | 'actsFor' | 'createdBy'> & {
    nextAt: Date
  }

/** Leases schedules of these organizations that are due, as far as the shares allow. */
export const leaseSchedules = async (
  db: Db,
  { keys, lease, now, until, running }: LeaseRequest,
): Promise<LeasedRows<LeasedSchedule>> => {
  const isDue = sql`schedule.enabled and coalesce(schedule.next_at, schedule.target_at) is not null
    and schedule.due_at <= ${now}`
  const { rows } = await sql<LeasedSchedule & FoundOfOrganization>`
    with candidate as materialized (
      select schedule.organization_id as organization, schedule.id, schedule.due_at as due from schedules as schedule
      where schedule.organization_id = any(${[...keys]}) and ${isDue}),
    chosen as materialized (${chooseByShares(toShares(running))}),
    locked as (
      select schedule.organization_id, schedule.id from chosen
        join schedules as schedule on schedule.organization_id = chosen.organization and schedule.id = chosen.id
      where is_chosen and ${isDue} for update of schedule skip locked),
    leased as (
      update schedules as schedule set lease = ${lease}, due_at = ${until} from locked
      where schedule.organization_id = locked.organization_id and schedule.id = locked.id
      returning schedule.organization_id as key, schedule.organization_id as organization, schedule.id as owner,
        schedule.lease, schedule.id, schedule.agent_id as "agentId", schedule.cron, schedule.timezone, schedule.input,
        schedule.target, schedule.acts_for as "actsFor", schedule.created_by as "createdBy",
        coalesce(schedule.next_at, schedule.target_at) as "nextAt")
    ${selectLeased(keys)}`.execute(db)
  return toLeasedOfOrganizations(rows)
}

/** The outcome of a schedule's time: the started run and the next due time; or the reason for none, and when to try again. */
export type Outcome = {
  nextAt: Date | null
  dueAt: Date | null
  lastRunId: string | null
  lastFiredAt: Date | null
  pausedReason: string | null
}

/** Stores many outcomes at once, each only while its lease is valid, and returns which were stored. */
export const storeScheduleOutcomes = async (
  prepared: RunPrepared,
  settlements: readonly Settlement<LeasedSchedule, Outcome>[],
): Promise<boolean[]> => {
  const given = settlements.map(({ row: { organization, id, lease }, outcome }) => ({
    ...{ organization, id, lease },
    ...outcome,
  }))
  const rows = await prepared(sql<{ id: string }>`
    update schedules as schedule set next_at = case when schedule.target is null then given."nextAt" end,
      target_at = case when schedule.target is not null then given."nextAt" end, due_at = given."dueAt", lease = null,
      last_run_id = coalesce(given."lastRunId", schedule.last_run_id),
      last_fired_at = coalesce(given."lastFiredAt", schedule.last_fired_at), paused_reason = given."pausedReason"
    from json_to_recordset(${JSON.stringify(given)}::json) as given (organization text, id text, lease text,
      "nextAt" timestamptz, "dueAt" timestamptz, "lastRunId" text, "lastFiredAt" timestamptz, "pausedReason" text)
    where schedule.organization_id = given.organization and schedule.id = given.id and schedule.lease = given.lease
    returning schedule.id`)
  const settled = new Set(rows.map(({ id }) => id))
  return given.map(({ id }) => settled.has(id))
}
