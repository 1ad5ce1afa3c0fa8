import type { Notification, NotificationKind, Waiting } from '@noema/contracts/notifications.ts'
import { type RawBuilder, sql } from 'kysely'
import {
  hidesAgent,
  hidesBrain,
  hidesEval,
  hidesGoal,
  hidesSchedule,
  hidesWebhook,
  type Viewer,
} from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { StateScope } from '../../../storage/ongoing-states.ts'
import { selectNewApps } from '../../accounts/apps/app-state-queries.ts'
import { selectExpiringKeys } from '../../accounts/keys/expiring-queries.ts'
import { selectUnprovenAgents } from '../../agents/agents/maker-queries.ts'
import { selectPausedGoals } from '../../agents/runs/paused-goal-queries.ts'
import { selectFailingSchedules, selectPausedSchedules } from '../../agents/schedules/state-queries.ts'
import { selectOpenTasks } from '../../agents/tasks/open-queries.ts'
import { selectPausedTriggers } from '../../agents/triggers/paused-queries.ts'
import { selectFailingWebhooks } from '../../delivery/brain-webhooks/failing-queries.ts'
import { selectFailingOrganizationWebhooks } from '../../delivery/organization-webhooks/failing-queries.ts'
import { selectFailingSources } from '../../files/web-sources/failing-queries.ts'
import { selectTakenOver, selectUnmanaged } from '../../kernel/brain-members/state-queries.ts'
import { selectWaitingReviews } from '../../writing/review/waiting-queries.ts'

/** The kind of a notification and its subject. */
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

type Select = (scope: StateScope) => RawBuilder<unknown>

/** The sorts of state of a Brain's own tables. */
const sourcesOfBrains: readonly Select[] = [selectWaitingReviews, selectFailingWebhooks, selectFailingSources]

/** The other sorts of state that cause notifications. */
const sources: readonly Select[] = [
  selectOpenTasks,
  selectFailingOrganizationWebhooks,
  selectPausedTriggers,
  selectPausedSchedules,
  selectFailingSchedules,
  selectPausedGoals,
  selectUnprovenAgents,
  selectExpiringKeys,
  selectTakenOver,
  selectUnmanaged,
  selectNewApps,
]

/** The database, and whether the tables of Brains are on several servers. */
type StateDb = { db: Queryable; isDivided: boolean }

/** Selects the states of Brains; where these are on several servers, statements of their own read them. */
const selectOfBrains = async ({ db, isDivided }: StateDb, scope: StateScope): Promise<RawBuilder<unknown>[]> => {
  const selects = sourcesOfBrains.map((select) => select(scope))
  if (!isDivided) return selects
  const found: object[] = []
  for (const select of selects) found.push(...(await sql<object>`select * from (${select}) as state`.execute(db)).rows)
  return [
    sql`select * from json_to_recordset(${JSON.stringify(found)}::json) as found (kind text, target_type text,
      target_id text, name text, brain text, people text[], count bigint, since timestamptz)`,
  ]
}

const selectAll = async (on: StateDb, scope: StateScope) =>
  sql.join(
    [...(await selectOfBrains(on, scope)), ...sources.map((select) => select(scope))].map(
      (select) => sql`select * from (${select}) as state`,
    ),
    sql` union all `,
  )

/** A state that goes on, or that has a notification which says so, with that notification for one reader. */
export type FoundState = State & { isOngoing: boolean; id: string | null; isRead: boolean; isHidden: boolean }

/**
 * True if a notification, a row of this name, is about a Brain that is not open to a person, or about an item that is hidden with
 * one. Owners see that a Brain has no manager.
 */
export const hidesNotification = (row: string, organization: string, viewer: Viewer): RawBuilder<unknown> => {
  if (viewer === undefined) return sql`false`
  const organizationId = sql`${organization}::text`
  const column = (name: string) => sql.ref(`${row}.${name}`)
  const [kind, brain, type, id] = [column('kind'), column('brain'), column('target_type'), column('target_id')]
  const of = (target: string, hides: typeof hidesAgent) =>
    sql`${type} = ${sql.lit(target)} and ${hides(organizationId, id, viewer)}`
  return sql`(not (${kind} = 'brain.unmanaged' and ${viewer} = any(${column('people')})) and (
    exists (select 1 from brain_directory as titled where titled.organization_id = ${organizationId}
      and titled.handle = ${brain} and titled.deleted_at is null and (${hidesBrain(sql`titled.brain_id`, viewer)}
        or ${kind} = 'review.waiting' and ${hidesBrain(sql`titled.brain_id`, viewer, 'reviewer')}))
    or ${of('agent', hidesAgent)} or ${of('eval', hidesEval)} or ${of('goal', hidesGoal)} or ${of('schedule', hidesSchedule)} or ${of('webhook', hidesWebhook)}))`
}

/** Whose marks are read, and the viewer whom states are shown to. */
type StateReader = { userId: string; viewer: Viewer }

/** States that go on and notifications that say that something does, side by side. */
const selectCompared = async (on: StateDb, scope: StateScope, { userId, viewer }: StateReader) => sql`
    with state as materialized (${await selectAll(on, scope)}),
    reported as (select * from notifications where organization_id = ${scope.organizationId} and resolved_at is null),
    compared as (select *, ${hidesNotification('noticed', scope.organizationId, viewer)} as is_hidden from (
      select coalesce(state.kind, reported.kind) as kind, coalesce(state.target_type, reported.target_type) as target_type,
        coalesce(state.target_id, reported.target_id) as target_id, coalesce(state.name, reported.name) as name,
        coalesce(state.brain, reported.brain) as brain,
        case when state.kind is null then reported.people else state.people end as people,
        state.count, state.since, state.kind is not null as is_ongoing, reported.id,
        mark.read_at is not null or coalesce(reported.id <= reader.read_through, false) as is_read
      from state full join reported on reported.kind = state.kind and reported.target_id = state.target_id
        left join notification_readers as reader
          on reader.organization_id = ${scope.organizationId} and reader.user_id = ${userId}
        left join notification_marks as mark on mark.organization_id = ${scope.organizationId}
          and mark.user_id = ${userId} and mark.notification_id = reported.id) as noticed)`

/** The ongoing states of an organization and their notifications, as one statement sees both. */
export const selectStates = async (on: StateDb, scope: StateScope, reader: StateReader): Promise<FoundState[]> => {
  const { rows } = await sql<FoundState>`${await selectCompared(on, scope, reader)}
    select kind, target_type as "targetType", target_id as "targetId", name, brain, people, count, since,
      is_ongoing as "isOngoing", id, is_read as "isRead", is_hidden as "isHidden" from compared`.execute(on.db)
  return rows
}

/** The numbers of what waits for a reader, and whether each state has its notification and each notification its state. */
export const countCompared = async (
  on: StateDb,
  scope: StateScope,
  { seesAll, ...reader }: StateReader & { seesAll: boolean },
): Promise<Waiting & { agrees: boolean }> => {
  const { rows } = await sql<Waiting & { agrees: boolean }>`${await selectCompared(on, scope, reader)}
    select count(*) filter (where not is_read and not is_hidden and (people is null or ${seesAll} or ${reader.userId} = any(people))) as unread,
      coalesce(sum(count) filter (where kind = 'review.waiting' and not is_hidden), 0)::bigint as changes,
      coalesce(sum(count) filter (where kind = 'tasks.open' and not is_hidden), 0)::bigint as tasks,
      coalesce(bool_and(is_ongoing and id is not null), true) as agrees
    from compared`.execute(on.db)
  return rows[0] ?? { unread: 0, changes: 0, tasks: 0, agrees: true }
}

/** Makes writers of an organization's notifications wait for each other until the transaction ends. */
export const lockNotifications = (tx: Tx, organizationId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`notifications/${organizationId}`}, 0))`.execute(tx)

export type NewNotification = Omit<State, 'count' | 'since'> & { id: string; at: Date }

/** Inserts notifications of new states. */
export const insertNotifications = (tx: Tx, organizationId: string, states: readonly NewNotification[]) =>
  sql`insert into notifications (organization_id, id, kind, target_type, target_id, name, brain, people, began_at)
    select ${organizationId}, id, kind, "targetType", "targetId", name, brain, people, at
    from json_to_recordset(${JSON.stringify(states)}::json) as given (id text, kind text, "targetType" text, "targetId" text,
      name text, brain text, people text[], at timestamptz)`.execute(tx)

/** Notes that states have ended. */
export const resolveNotifications = (tx: Tx, organizationId: string, ids: readonly string[], now: Date) =>
  sql`update notifications set resolved_at = ${now}
    where organization_id = ${organizationId} and id = any(${[...ids]}) and resolved_at is null`.execute(tx)
