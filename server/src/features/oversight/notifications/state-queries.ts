import type { Notification, NotificationKind } from '@noema/contracts/notifications.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { StateScope } from '../../../storage/ongoing-states.ts'
import { selectExpiringKeys } from '../../accounts/keys/keys.ts'
import { selectFailingSchedules, selectPausedSchedules } from '../../agents/schedules/schedules.ts'
import { selectOpenTasks } from '../../agents/tasks/tasks.ts'
import { selectPausedTriggers } from '../../agents/triggers/triggers.ts'
import { selectFailingWebhooks } from '../../delivery/brain-webhooks/brain-webhooks.ts'
import { selectFailingOrganizationWebhooks } from '../../delivery/organization-webhooks/organization-webhooks.ts'
import { selectWaitingReviews } from '../../writing/review/review.ts'

/** What a notification tells of, and of whom. */
export type State = {
  kind: NotificationKind
  targetType: Notification['target']['type']
  targetId: string
  name: string | null
  brain: string | null
  people: string[] | null
  count: number | null
  since: Date | null
}

/** Every sort of state that people are told of. */
const sources: readonly ((scope: StateScope) => RawBuilder<unknown>)[] = [
  selectWaitingReviews,
  selectOpenTasks,
  selectFailingWebhooks,
  selectFailingOrganizationWebhooks,
  selectPausedTriggers,
  selectPausedSchedules,
  selectFailingSchedules,
  selectExpiringKeys,
]

const selectAll = (scope: StateScope) =>
  sql.join(
    sources.map((select) => sql`select * from (${select(scope)}) as state`),
    sql` union all `,
  )

/** A state that goes on, or that has a notification which says so, with that notification for one reader. */
export type FoundState = State & { isOngoing: boolean; id: string | null; isRead: boolean }

/** What goes on in an organization, beside the notifications that say that something does, as one statement sees both. */
export const selectStates = async (db: Queryable, scope: StateScope, userId: string): Promise<FoundState[]> => {
  const { organizationId } = scope
  const { rows } = await sql<FoundState>`
    with state as materialized (${selectAll(scope)}),
    told as (select * from notifications where organization_id = ${organizationId} and resolved_at is null)
    select coalesce(state.kind, told.kind) as kind, coalesce(state.target_type, told.target_type) as "targetType",
      coalesce(state.target_id, told.target_id) as "targetId", coalesce(state.name, told.name) as name,
      coalesce(state.brain, told.brain) as brain,
      case when state.kind is null then told.people else state.people end as people,
      state.count, state.since, state.kind is not null as "isOngoing", told.id,
      mark.read_at is not null or coalesce(told.id <= reader.read_through, false) as "isRead"
    from state full join told on told.kind = state.kind and told.target_id = state.target_id
      left join notification_readers as reader
        on reader.organization_id = ${organizationId} and reader.user_id = ${userId}
      left join notification_marks as mark on mark.organization_id = ${organizationId} and mark.user_id = ${userId}
        and mark.notification_id = told.id`.execute(db)
  return rows
}

/** Has whoever writes notifications of an organization wait for each other until the transaction ends. */
export const lockNotifications = (tx: Tx, organizationId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`notifications/${organizationId}`}, 0))`.execute(tx)

export type NewNotification = Omit<State, 'count' | 'since'> & { id: string; at: Date }

/** Tells of states that began. */
export const insertNotifications = (tx: Tx, organizationId: string, states: readonly NewNotification[]) =>
  sql`insert into notifications (organization_id, id, kind, target_type, target_id, name, brain, people, began_at)
    select ${organizationId}, id, kind, "targetType", "targetId", name, brain, people, at
    from json_to_recordset(${JSON.stringify(states)}::json) as given (id text, kind text, "targetType" text, "targetId" text,
      name text, brain text, people text[], at timestamptz)`.execute(tx)

/** Notes that states have ended. */
export const resolveNotifications = (tx: Tx, organizationId: string, ids: readonly string[], now: Date) =>
  sql`update notifications set resolved_at = ${now}
    where organization_id = ${organizationId} and id = any(${[...ids]}) and resolved_at is null`.execute(tx)
