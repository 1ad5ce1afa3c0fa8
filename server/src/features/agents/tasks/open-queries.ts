import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns } from '../../../storage/ongoing-states.ts'

/** No more open tasks of an organization are counted. */
const maxCounted = 10_000

/** Agents whose runs ask people something, with how many tasks are open. */
export const selectOpenTasks = ({ organizationId, now }: StateScope): RawBuilder<unknown> => sql`
  select ${stateColumns({
    ...{ kind: 'tasks.open', targetType: 'agent', targetId: sql`asking.agent_id`, count: sql`asking.tasks` },
    name: sql`(select definition ->> 'name' from agents as agent join agent_versions as latest
      on latest.organization_id = agent.organization_id and latest.agent_id = agent.id and latest.version = agent.version
      where agent.organization_id = ${organizationId} and agent.id = asking.agent_id)`,
    since: sql`asking.since`,
  })}
  from (
    select agent_id, count(*) as tasks, min(created_at) as since
    from (select agent_id, created_at from run_tasks where organization_id = ${organizationId} and state = 'open'
      and (expires_at is null or expires_at > ${now}) limit ${maxCounted}) as open
    group by agent_id order by agent_id limit ${maxStates}) as asking`
