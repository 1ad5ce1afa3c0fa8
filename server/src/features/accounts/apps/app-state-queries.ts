import { daysOfNewApp } from '@noema/contracts/notifications.ts'
import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns } from '../../../storage/ongoing-states.ts'
import { selectGrantsIn } from './app-queries.ts'

/** Apps that are new in an organization, for the people who let them in. */
export const selectNewApps = ({ organizationId, now }: StateScope): RawBuilder<unknown> => {
  const since = new Date(now.getTime() - daysOfNewApp * 86_400_000)
  return sql`
  (select ${stateColumns({
    ...{ kind: 'app.connected', targetType: 'app', targetId: sql`app.id`, name: sql`app.name` },
    people: sql`granted.people`,
    since: sql`granted.since`,
  })}
  from (
    select app_id, min(created_at) as since, array_agg(distinct created_by) as people
    from ${selectGrantsIn(sql`${organizationId}`)} as key
    group by app_id having min(created_at) > ${since} and bool_or(revoked_at is null and expires_at > ${now})
  ) as granted join "oauthClient" as app on app.id = granted.app_id
  order by granted.since limit ${maxStates})`
}
