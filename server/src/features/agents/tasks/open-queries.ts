import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns } from '../../../storage/ongoing-states.ts'

/** No more open tasks of an organization are counted. */
const maxCounted = 10_000

/** Agents whose runs ask people something and evals whose cases people grade, with how many tasks are open. */
export const selectOpenTasks = (scope: StateScope): RawBuilder<unknown> => sql`
  ${selectAsking(scope, 'agent', sql`eval_run_id is null`)} union all ${selectAsking(scope, 'eval', sql`eval_run_id is not null`)}`

/** `type`: the beginning of the names of the tables that say what asks, and of the column of its id. */
const selectAsking = ({ organizationId, now }: StateScope, type: 'agent' | 'eval', isOfType: RawBuilder<unknown>) => {
  const id = `${type}_id`
  return sql`
  select ${stateColumns({
    ...{ kind: 'tasks.open', targetType: type, targetId: sql.ref(`asking.${id}`), count: sql`asking.tasks` },
    name: sql`(select definition ->> 'name' from ${sql.table(`${type}s`)} as named join ${sql.table(`${type}_versions`)} as latest
      on latest.organization_id = named.organization_id and ${sql.ref(`latest.${id}`)} = named.id and latest.version = named.version
      where named.organization_id = ${organizationId} and named.id = ${sql.ref(`asking.${id}`)})`,
    since: sql`asking.since`,
  })}
  from (
    select ${sql.ref(id)}, count(*) as tasks, min(created_at) as since
    from (select ${sql.ref(id)}, created_at from run_tasks where organization_id = ${organizationId} and state = 'open'
      and ${isOfType} and (expires_at is null or expires_at > ${now}) limit ${maxCounted}) as open
    group by ${sql.ref(id)} order by ${sql.ref(id)} limit ${maxStates}) as asking`
}
