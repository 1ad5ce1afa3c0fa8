import type { RunInput } from '@noema/contracts/runs.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import { hidesSchedule, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import { findLost, type Lost } from './lost-target-queries.ts'
import type { WorkTarget } from './targets.ts'

export type ScheduleRow = {
  id: string
  /** The agent and its input; null for other targets. */
  agentId: string | null
  input: RunInput | null
  target: WorkTarget | null
  /** Whose access the target has; null for an agent. */
  actsFor: Actor | null
  /** The part of the target that is gone; null if it is there. */
  lost: Lost
  cron: string
  timezone: string
  enabled: boolean
  /** The instant of the next run; null where there is none. */
  nextAt: Date | null
  lastRunId: string | null
  lastFiredAt: Date | null
  pausedReason: string | null
  createdAt: Date
  updatedAt: Date
  createdBy: Actor
}

const columns = sql`id, agent_id as "agentId", cron, timezone, input, target, acts_for as "actsFor",
  ${findLost('schedules')} as lost, enabled, coalesce(next_at, target_at) as "nextAt",
  last_run_id as "lastRunId", last_fired_at as "lastFiredAt", paused_reason as "pausedReason", created_at as "createdAt",
  updated_at as "updatedAt", created_by as "createdBy"`

/** Locks an organization, so that one at a time counts its schedules; returns their number. */
export const countSchedules = async (tx: Tx, organizationId: string): Promise<number> => {
  await sql`select from organization where id = ${organizationId} for no key update`.execute(tx)
  const { rows } = await sql<{ count: number }>`select count(*) as count from schedules
    where organization_id = ${organizationId}`.execute(tx)
  return rows[0]?.count ?? 0
}

type Given = Pick<
  ScheduleRow,
  'id' | 'agentId' | 'cron' | 'timezone' | 'input' | 'target' | 'actsFor' | 'enabled' | 'nextAt'
> & { organizationId: string; now: Date }

/** The columns of what is started and when. Nodes of earlier releases start only what has `next_at`. */
const toValues = ({ agentId, input, target, actsFor, nextAt }: Given) => ({
  agent: sql`${agentId}`,
  input: input === null ? sql`null` : sql`${JSON.stringify(input)}::json`,
  target: target === null ? sql`null` : sql`${JSON.stringify(target)}::json`,
  actsFor: actsFor === null ? sql`null` : actorValue(actsFor),
  next: target === null ? sql`${nextAt}::timestamptz` : sql`null`,
  targetAt: target === null ? sql`null` : sql`${nextAt}::timestamptz`,
})

export const insertSchedule = (tx: Tx, given: Given & { createdBy: Actor }) => {
  const { agent, input, target, actsFor, next, targetAt } = toValues(given)
  return sql`insert into schedules (organization_id, id, agent_id, cron, timezone, input, target, acts_for, enabled, next_at,
      target_at, due_at, created_at, updated_at, created_by)
    values (${given.organizationId}, ${given.id}, ${agent}, ${given.cron}, ${given.timezone}, ${input}, ${target},
      ${actsFor}, ${given.enabled}, ${next}, ${targetAt}, ${given.nextAt}, ${given.now}, ${given.now},
      ${actorValue(given.createdBy)})`.execute(tx)
}

/** One schedule of an organization; `lock` keeps it as it is until the transaction ends. */
export const selectSchedule = async (
  db: Queryable,
  organizationId: string,
  id: string,
  { lock = false } = {},
): Promise<ScheduleRow | undefined> => {
  const { rows } = await sql<ScheduleRow>`select ${columns} from schedules
    where organization_id = ${organizationId} and id = ${id} ${lock ? sql`for no key update` : sql``}`.execute(db)
  return rows[0]
}

/** A page of an organization's schedules, all or those of one agent or eval. */
export const selectSchedules = async (
  db: Queryable,
  organizationId: string,
  { agentId, evalId, viewer }: { agentId: string | undefined; evalId: string | undefined; viewer: Viewer },
  page: PageRequest<string>,
) => {
  const { rows } = await sql<ScheduleRow>`select ${columns} from schedules
    where organization_id = ${organizationId} and ${isAfter(sql`id`, page)}
      ${agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`}
      ${evalId === undefined ? sql`` : sql`and target->>'evalId' = ${evalId}`}
      and ${isVisible(viewer, (userId) => hidesSchedule(sql`schedules.organization_id`, sql`schedules.id`, userId))}
    ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** Changes a schedule and ends its lease. */
export const updateSchedule = (tx: Tx, given: Given) => {
  const { agent, input, target, actsFor, next, targetAt } = toValues(given)
  return sql`update schedules set agent_id = ${agent}, cron = ${given.cron}, timezone = ${given.timezone}, input = ${input},
      target = ${target}, acts_for = ${actsFor}, enabled = ${given.enabled}, next_at = ${next}, target_at = ${targetAt},
      due_at = ${given.nextAt}, lease = null, paused_reason = null, updated_at = ${given.now}
    where organization_id = ${given.organizationId} and id = ${given.id}`.execute(tx)
}

export const removeSchedule = async (db: Queryable, organizationId: string, id: string): Promise<boolean> => {
  const { rows } = await sql`delete from schedules
    where organization_id = ${organizationId} and id = ${id} returning id`.execute(db)
  return rows.length > 0
}

type Made = { makers: readonly string[]; organizationIds: readonly string[] }

const isMade = ({ makers, organizationIds }: Made) => sql`organization_id = any(${[...organizationIds]})
  and (created_by->>'id' = any(${[...makers]}) or created_by->>'userId' = any(${[...makers]}))`

/** The schedules that these makers made in these organizations. */
export const selectSchedulesOfMakers = async (db: Queryable, made: Made): Promise<{ id: string; cron: string }[]> => {
  const { rows } = await sql<{ id: string; cron: string }>`select id, cron from schedules where ${isMade(made)}
    order by id limit 1000`.execute(db)
  return rows
}

/** Deletes the schedules that these makers made in these organizations. */
export const removeSchedulesOfMakers = async (db: Queryable, made: Made): Promise<{ id: string; cron: string }[]> => {
  const { rows } = await sql<{ id: string; cron: string }>`delete from schedules where ${isMade(made)}
    returning id, cron`.execute(db)
  return rows
}
