import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns } from '../../../storage/ongoing-states.ts'

/** A pause that ends by itself causes a notification after this long. */
const shortMilliseconds = 3_600_000

/** Enabled triggers that start nothing: until a person changes them, or for a while already. */
export const selectPausedTriggers = ({ organizationId, now }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'trigger.paused', targetType: 'trigger', targetId: sql`trigger.id`, name: sql`trigger.name` },
    brain: sql`brain.handle`,
  })}
  from triggers as trigger
    join brain_directory as brain on brain.brain_id = trigger.brain_id and brain.deleted_at is null
    left join agents as agent on agent.organization_id = trigger.organization_id and agent.id = trigger.agent_id
  where trigger.organization_id = ${organizationId} and trigger.enabled
    and (agent.archived_at is not null or trigger.paused_reason is not null
      and (trigger.due_at is null
        or coalesce(trigger.last_fired_at, trigger.updated_at) < ${new Date(now.getTime() - shortMilliseconds)}))
  order by trigger.id limit ${maxStates})`
