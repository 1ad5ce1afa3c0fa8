import { failuresOfSchedule } from '@noema/contracts/notifications.ts'
import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns } from '../../../storage/ongoing-states.ts'

const nameOfAgent = sql`(select definition ->> 'name' from agents as named join agent_versions as latest
  on latest.organization_id = named.organization_id and latest.agent_id = named.id and latest.version = named.version
  where named.organization_id = schedule.organization_id and named.id = schedule.agent_id)`

/** Schedules that are enabled and start nothing. */
export const selectPausedSchedules = ({ organizationId }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'schedule.paused', targetType: 'schedule', targetId: sql`schedule.id`, name: nameOfAgent },
  })}
  from schedules as schedule
    left join agents as agent on agent.organization_id = schedule.organization_id and agent.id = schedule.agent_id
  where schedule.organization_id = ${organizationId} and schedule.enabled
    and (schedule.paused_reason is not null or agent.archived_at is not null)
  order by schedule.id limit ${maxStates})`

const endedRuns = sql`from runs
  where organization_id = schedule.organization_id and schedule_id = schedule.id
    and state in ('completed', 'failed', 'abandoned')
  order by id desc`

/** Schedules whose last runs all failed. Most have one that did not fail, which excludes them by itself. */
export const selectFailingSchedules = ({ organizationId }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'schedule.failing', targetType: 'schedule', targetId: sql`schedule.id`, name: nameOfAgent },
    since: sql`ended.since`,
  })}
  from schedules as schedule
    cross join lateral (select state ${endedRuns} limit 1) as newest
    cross join lateral (
      select count(*) filter (where last.state = 'failed') as failures, min(last.completed_at) as since
      from (select state, completed_at ${endedRuns} limit ${failuresOfSchedule}) as last
      where newest.state = 'failed') as ended
  where schedule.organization_id = ${organizationId} and schedule.enabled and newest.state = 'failed'
    and ended.failures = ${failuresOfSchedule}
  order by schedule.id limit ${maxStates})`
