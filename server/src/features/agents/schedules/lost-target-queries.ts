import { type RawBuilder, sql } from 'kysely'

/** The part of the target of a schedule without which it starts nothing. */
export type Lost = 'agent' | 'eval' | 'brain' | null

/** The part of a schedule's target that is archived or deleted; null if it is there. `schedule`: the name of the row. */
export const findLost = (schedule: string): RawBuilder<Lost> => {
  const column = (name: string) => sql.ref(`${schedule}.${name}`)
  const [organization, target] = [column('organization_id'), column('target')]
  return sql<Lost>`case
    when ${column('agent_id')} is not null and not exists (select 1 from agents as used
      where used.organization_id = ${organization} and used.id = ${column('agent_id')} and used.archived_at is null)
      then 'agent'
    when ${target}->>'evalId' is not null and not exists (select 1 from evals as used
      where used.organization_id = ${organization} and used.id = ${target}->>'evalId' and used.archived_at is null)
      then 'eval'
    when ${target}->>'brainId' is not null and not exists (select 1 from brain_directory as used
      where used.organization_id = ${organization} and used.id = ${target}->>'brainId' and used.deleted_at is null)
      then 'brain' end`
}
