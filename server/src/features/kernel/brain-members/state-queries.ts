import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns } from '../../../storage/ongoing-states.ts'

/** A takeover is reported for this long. */
const reportedMilliseconds = 7 * 86_400_000

/** Restricted Brains that an owner took over lately, for their other managers. */
export const selectTakenOver = ({ organizationId, now }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'brain.taken_over', targetType: 'brain', targetId: sql`titled.id`, name: sql`titled.handle` },
    brain: sql`titled.handle`,
    people: sql`array(select named.user_id from brain_members as named where named.brain_id = restricted.brain_id
      and named.role = 'manager' and named.user_id <> restricted.taken_over_by)`,
    since: sql`restricted.taken_over_at`,
  })}
  from restricted_brains as restricted
    join brain_directory as titled on titled.brain_id = restricted.brain_id and titled.deleted_at is null
  where restricted.organization_id = ${organizationId}
    and restricted.taken_over_at > ${new Date(now.getTime() - reportedMilliseconds)}
  order by titled.id limit ${maxStates})`

/** Restricted Brains without a manager, for the owners of the organization. */
export const selectUnmanaged = ({ organizationId }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'brain.unmanaged', targetType: 'brain', targetId: sql`titled.id`, name: sql`titled.handle` },
    brain: sql`titled.handle`,
    people: sql`array(select owner."userId" from member as owner
      where owner."organizationId" = ${organizationId} and owner.role = 'owner')`,
  })}
  from restricted_brains as restricted
    join brain_directory as titled on titled.brain_id = restricted.brain_id and titled.deleted_at is null
  where restricted.organization_id = ${organizationId} and not exists (select 1 from brain_members as named
    where named.brain_id = restricted.brain_id and named.role = 'manager')
  order by titled.id limit ${maxStates})`
