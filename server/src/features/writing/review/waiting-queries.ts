import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns } from '../../../storage/ongoing-states.ts'

/** No more are counted where a Brain's number is not kept yet. */
const maxCounted = 10_000

/** Brains in which changes wait for review, with how many: by the number on the Brain's row where that is kept. */
export const selectWaitingReviews = ({ organizationId }: StateScope): RawBuilder<unknown> => sql`
  select ${stateColumns({
    ...{ kind: 'review.waiting', targetType: 'brain', targetId: sql`brain.id` },
    ...{ name: sql`brain.handle`, brain: sql`brain.handle`, count: sql`brain.changes` },
  })}
  from (
    select id, handle, case when counted_gap = position - counted_events then pending_count
        else (select count(*) from (select from changes where changes.brain_id = brains.brain_id
          and application <> 'applied' and decision = 'pending' limit ${maxCounted}) as counted) end as changes
    from brains where organization_id = ${organizationId} and pending_count > 0 and deleted_at is null
    order by brain_id limit ${maxStates}) as brain
  where brain.changes > 0`
