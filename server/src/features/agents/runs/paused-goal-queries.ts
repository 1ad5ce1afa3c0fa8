import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns } from '../../../storage/ongoing-states.ts'

const nameOfAgent = sql`(select definition ->> 'name' from agents as named join agent_versions as latest
  on latest.organization_id = named.organization_id and latest.agent_id = named.id and latest.version = named.version
  where named.organization_id = goal.organization_id and named.id = goal.agent_id)`

/** Goals that the service paused: a person who pauses one gives no reason. */
export const selectPausedGoals = ({ organizationId }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'goal.paused', targetType: 'goal', targetId: sql`goal.id`, name: nameOfAgent },
    since: sql`goal.updated_at`,
  })}
  from goals as goal
  where goal.organization_id = ${organizationId} and goal.completed_at is null and goal.state = 'paused'
    and goal.reason is not null
  order by goal.id limit ${maxStates})`
