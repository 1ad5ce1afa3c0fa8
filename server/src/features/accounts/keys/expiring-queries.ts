import { daysBeforeExpiry } from '@noema/contracts/notifications.ts'
import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns } from '../../../storage/ongoing-states.ts'

const windowMilliseconds = daysBeforeExpiry * 86_400_000

/** Management keys that expire soon, for the people who minted them. Keys of Brains do not expire. */
export const selectExpiringKeys = ({ organizationId, now }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'key.expiring', targetType: 'management_key', targetId: sql`id`, name: sql`name` },
    people: sql`array[created_by]`,
    since: sql`greatest(created_at, expires_at - interval '${sql.lit(daysBeforeExpiry)} days')`,
  })}
  from management_keys where organization_id = ${organizationId} and revoked_at is null and app_id is null
    and expires_at > ${now} and expires_at <= ${new Date(now.getTime() + windowMilliseconds)}
  order by expires_at limit ${maxStates})`
