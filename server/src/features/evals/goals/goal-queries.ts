import { maxPageBytes } from '@noema/contracts/common.ts'
import type { GoalBudget, GoalState } from '@noema/contracts/goals.ts'
import { type RawBuilder, sql } from 'kysely'
import { actorValue } from '../../../storage/actor-columns.ts'
import { hidesGoal, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutByLength, inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import type { AttemptRow, GoalKey, GoalRow, LeasedGoal, StoredState } from './types.ts'

const runOfGoal = sql`(select run_id from goal_attempts as last where last.organization_id = goal.organization_id
  and last.goal_id = goal.id and last.number = goal.attempts)`

const isWaiting = sql`(goal.state = 'active' and exists (select 1 from run_tasks as asked
  where asked.organization_id = goal.organization_id and asked.run_id = ${runOfGoal} and asked.state = 'open'))`

const columns = sql`goal.organization_id as "organizationId", goal.id, goal.agent_id as "agentId",
  goal.conversation_id as "conversationId", goal.objective, goal.criteria, goal.budget, goal.state, ${isWaiting} as "isWaiting",
  goal.reason, goal.attempts, goal.best_score as "bestScore", goal.cost_nanodollars as "costNanodollars",
  ${runOfGoal} as "runId", goal.task_id as "taskId", goal.created_by as "createdBy", goal.created_at as "createdAt",
  goal.updated_at as "updatedAt", goal.completed_at as "completedAt"`

/** Locks an organization, so that one at a time counts its goals; returns how many have not ended. */
export const countOpenGoals = async (tx: Tx, organizationId: string): Promise<number> => {
  await sql`select from organization where id = ${organizationId} for no key update`.execute(tx)
  const { rows } = await sql<{ count: number }>`select count(*) as count from goals
    where organization_id = ${organizationId} and completed_at is null`.execute(tx)
  return rows[0]?.count ?? 0
}

type NewGoal = Pick<
  GoalRow,
  'agentId' | 'conversationId' | 'objective' | 'criteria' | 'budget' | 'createdBy' | 'createdAt'
> &
  GoalKey &
  Pick<LeasedGoal, 'pinned'>

export const insertGoal = (tx: Tx, given: NewGoal) =>
  sql`insert into goals (organization_id, id, agent_id, conversation_id, objective, criteria, pinned, budget, state, due_at,
      created_by, created_at, updated_at)
    values (${given.organizationId}, ${given.id}, ${given.agentId}, ${given.conversationId}, ${given.objective},
      ${JSON.stringify(given.criteria)}::json, ${JSON.stringify(given.pinned)}::json, ${JSON.stringify(given.budget)}::json,
      'active', ${given.createdAt}, ${actorValue(given.createdBy)}, ${given.createdAt}, ${given.createdAt})`.execute(tx)

/** A goal of an organization; `lock` keeps it as it is until the transaction ends. */
export const selectGoal = async (
  db: Queryable,
  { organizationId, id }: GoalKey,
  { lock = false } = {},
): Promise<GoalRow | undefined> => {
  const { rows } = await sql<GoalRow>`select ${columns} from goals as goal
    where goal.organization_id = ${organizationId} and goal.id = ${id} ${lock ? sql`for update of goal` : sql``}`.execute(
    db,
  )
  return rows[0]
}

const isIn = (state: GoalState): RawBuilder<unknown> => {
  if (state === 'waiting') return sql`and ${isWaiting}`
  return state === 'active' ? sql`and goal.state = 'active' and not ${isWaiting}` : sql`and goal.state = ${state}`
}

type Paged<Row> = { rows: Row[]; found: number }

const selectPage = async <Row>(
  db: Queryable,
  sized: Omit<Parameters<typeof cutByLength>[0], 'size'> & { size: RawBuilder<unknown> },
  page: PageRequest<string> | PageRequest<number>,
): Promise<Paged<Row>> => {
  const cut = cutByLength(sized, { ...page, maxBytes: maxPageBytes / 2 })
  const { rows } = await sql<
    Row & { found: number }
  >`select * from (${cut}) as fitting ${inOrder(sql`place`, page)}`.execute(db)
  return { rows, found: rows[0]?.found ?? 0 }
}

/** A page of the goals of an organization that a viewer may see. It ends early where they are long. */
export const selectGoals = (
  db: Queryable,
  organizationId: string,
  { state, agentId, viewer }: { state: GoalState | undefined; agentId: string | undefined; viewer: Viewer },
  page: PageRequest<string>,
): Promise<Paged<GoalRow>> =>
  selectPage<GoalRow>(
    db,
    {
      rows: sql`select goal.id as place, ${columns} from goals as goal
        where goal.organization_id = ${organizationId} and ${isAfter(sql`goal.id`, page)}
          ${agentId === undefined ? sql`` : sql`and goal.agent_id = ${agentId}`} ${state === undefined ? sql`` : isIn(state)}
          and ${isVisible(viewer, (userId) => hidesGoal(sql`goal.organization_id`, sql`goal.id`, userId))}
        ${inOrder(sql`goal.id`, page)} limit ${page.limit + 1}`,
      size: sql`pg_column_size(criteria) + pg_column_size(objective)`,
      length: sql`octet_length(criteria::text) + octet_length(objective)`,
    },
    page,
  )

/** A page of the attempts of a goal. */
export const selectAttempts = async (
  db: Queryable,
  { organizationId, id }: GoalKey,
  page: PageRequest<number>,
): Promise<Paged<AttemptRow>> => {
  const { rows, found } = await selectPage<AttemptRow & { place: number }>(
    db,
    {
      rows: sql`select number as place, run_id as "runId", state, error, grades, passed, score,
          cost_nanodollars as "costNanodollars", milliseconds, created_at as "createdAt", completed_at as "completedAt"
        from goal_attempts where organization_id = ${organizationId} and goal_id = ${id} and ${isAfter(sql`number`, page)}
        ${inOrder(sql`number`, page)} limit ${page.limit + 1}`,
      size: sql`pg_column_size(grades)`,
      length: sql`octet_length(grades::text)`,
    },
    page,
  )
  return { rows: rows.map(({ place, ...row }) => ({ ...row, number: place })), found }
}

/** A change of a goal whose row is locked. A node that works on it loses its lease. */
export type GoalChange = {
  state: StoredState
  reason?: string | null
  budget?: GoalBudget
  advice?: string
  now: Date
}

const endStates: readonly StoredState[] = ['met', 'exhausted', 'abandoned']

export const updateGoal = (tx: Tx, { organizationId, id }: GoalKey, change: GoalChange) => {
  const { state, reason = null, budget, advice, now } = change
  return sql`update goals set state = ${state}, reason = ${reason}, lease = null, waits = 0, updated_at = ${now},
      budget = coalesce(${budget === undefined ? null : JSON.stringify(budget)}::json, budget),
      advice = coalesce(${advice ?? null}, advice),
      stale = case when state = 'blocked' and ${state} <> 'blocked' then 0 else stale end,
      task_id = case when ${state} = 'blocked' then task_id end,
      due_at = ${state === 'active' ? now : null}::timestamptz,
      completed_at = ${endStates.includes(state) ? now : null}::timestamptz
    where organization_id = ${organizationId} and id = ${id}`.execute(tx)
}

/** Lets a goal that is blocked go on with the answer of a person. False where it is not blocked any more. */
export const continueBlocked = async (
  tx: Tx,
  { organizationId, id, advice }: GoalKey & { advice: string },
  now: Date,
): Promise<boolean> => {
  const { rows } = await sql`update goals set state = 'active', reason = null, stale = 0, task_id = null, waits = 0,
      advice = ${advice}, due_at = ${now}, lease = null, updated_at = ${now}
    where organization_id = ${organizationId} and id = ${id} and state = 'blocked' returning id`.execute(tx)
  return rows.length > 0
}

/** Makes goals due that wait for a run. Returns their organizations. */
export const wakeWaiting = async (db: Queryable, goals: readonly GoalKey[], now: Date): Promise<string[]> => {
  const { rows } = await sql<{ organizationId: string }>`
    with woken as (
      update goals as goal set due_at = ${now}
      from json_to_recordset(${JSON.stringify(goals)}::json) as given ("organizationId" text, id text)
      where goal.organization_id = given."organizationId" and goal.id = given.id and goal.state = 'active'
        and goal.lease is null and goal.due_at > ${now} and goal.reason is null
      returning goal.organization_id)
    select distinct organization_id as "organizationId" from woken`.execute(db)
  return rows.map((row) => row.organizationId)
}
