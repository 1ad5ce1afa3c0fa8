import { failuresOfSchedule } from '@noema/contracts/notifications.ts'
import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns } from '../../../storage/ongoing-states.ts'
import { findLost } from './lost-target-queries.ts'

const nameOfAgent = sql`(select definition ->> 'name' from agents as named join agent_versions as latest
  on latest.organization_id = named.organization_id and latest.agent_id = named.id and latest.version = named.version
  where named.organization_id = schedule.organization_id and named.id = schedule.agent_id)`

const nameOfEval = sql`(select definition ->> 'name' from evals as named join eval_versions as latest
  on latest.organization_id = named.organization_id and latest.eval_id = named.id and latest.version = named.version
  where named.organization_id = schedule.organization_id and named.id = schedule.target->>'evalId')`

/** The target of a schedule, with its name. */
const nameOfTarget = sql`case
  when schedule.target is null then 'the agent ' || coalesce(${nameOfAgent}, 'without a name')
  when schedule.target->>'evalId' is not null then 'the eval ' || coalesce(${nameOfEval}, 'that was deleted')
  else 'a distillation into ' || (schedule.target->'distillation'->'into'->>'brain') end`

/** Schedules that are enabled and start nothing. */
export const selectPausedSchedules = ({ organizationId }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'schedule.paused', targetType: 'schedule', targetId: sql`schedule.id`, name: nameOfTarget },
  })}
  from schedules as schedule
  where schedule.organization_id = ${organizationId} and schedule.enabled
    and (schedule.paused_reason is not null or ${findLost('schedule')} is not null)
  order by schedule.id limit ${maxStates})`

const ofSchedule = sql`organization_id = schedule.organization_id and schedule_id = schedule.id
  and state in ('completed', 'failed', 'abandoned', 'canceled')`

/** The ended runs of a schedule, the newest first: `limit` of each kind, of which it has one. */
const selectEnded = (limit: number) => {
  const of = (table: string, order: string) => sql`(select state, completed_at from ${sql.table(table)}
    where ${ofSchedule} order by ${sql.ref(order)} desc limit ${limit})`
  return sql`(${of('runs', 'id')} union all ${of('eval_runs', 'scheduled_for')}
    union all ${of('distillations', 'scheduled_for')}) as started order by completed_at desc limit ${limit}`
}

/** Schedules whose last runs all failed. Most have one that did not fail, which excludes them by itself. */
export const selectFailingSchedules = ({ organizationId }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'schedule.failing', targetType: 'schedule', targetId: sql`schedule.id`, name: nameOfTarget },
    since: sql`ended.since`,
  })}
  from schedules as schedule
    cross join lateral (select state from ${selectEnded(1)}) as newest
    cross join lateral (
      select count(*) filter (where last.state = 'failed') as failures, min(last.completed_at) as since
      from (select state, completed_at from ${selectEnded(failuresOfSchedule)}) as last
      where newest.state = 'failed') as ended
  where schedule.organization_id = ${organizationId} and schedule.enabled and newest.state = 'failed'
    and ended.failures = ${failuresOfSchedule}
  order by schedule.id limit ${maxStates})`
