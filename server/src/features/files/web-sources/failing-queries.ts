import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns } from '../../../storage/ongoing-states.ts'

/** Web sources that are paused, or with a page that keeps failing. Each Brain is looked up by itself. */
export const selectFailingSources = ({ organizationId }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'web_source.failing', targetType: 'web_source', targetId: sql`source.id`, name: sql`source.name` },
    ...{ brain: sql`brain.handle`, since: sql`source.failing_since` },
  })}
  from web_sources as source cross join lateral (
    select handle from brains where brain_id = source.brain_id and deleted_at is null offset 0) as brain
  where source.failing_organization = ${organizationId}
  order by source.id limit ${maxStates})`
