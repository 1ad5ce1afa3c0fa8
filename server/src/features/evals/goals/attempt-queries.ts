import { sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { ResultRow } from '../eval-runs/types.ts'
import type { AttemptRow, GoalKey, HeldGoal, StoredState } from './types.ts'

// Statements of the work on goals. Each write holds the lease of its goal, so that a node that lost it stores nothing.

const held = ({ organizationId, id, lease }: HeldGoal) => sql`
  select from goals where organization_id = ${organizationId} and id = ${id} and lease = ${lease} for update`

/** The last attempt of a goal; undefined before the first. */
export const selectAttempt = async (
  db: Queryable,
  { organizationId, id }: GoalKey,
  number: number,
): Promise<AttemptRow | undefined> => {
  const { rows } = await sql<AttemptRow>`
    select number, run_id as "runId", state, output, error, grades, pending, passed, score,
      cost_nanodollars as "costNanodollars", milliseconds, created_at as "createdAt", completed_at as "completedAt"
    from goal_attempts where organization_id = ${organizationId} and goal_id = ${id} and number = ${number}`.execute(db)
  return rows[0]
}

/** Stores that an attempt was begun. False if the lease was lost; then nothing is stored. */
export const insertAttempt = async (
  db: Queryable,
  goal: HeldGoal,
  { number, runId, now }: { number: number; runId: string; now: Date },
): Promise<boolean> => {
  const { organizationId, id } = goal
  const { rows } = await sql`
    with held as materialized (${held(goal)}),
    begun as (
      insert into goal_attempts (organization_id, goal_id, number, run_id, state, created_at)
      select ${organizationId}, ${id}, ${number}, ${runId}, 'running', ${now} where exists (select 1 from held))
    update goals set attempts = ${number}, advice = null, reason = null
    where organization_id = ${organizationId} and id = ${id} and exists (select 1 from held) returning id`.execute(db)
  return rows.length > 0
}

const updateAttempt = ({ organizationId, id }: GoalKey, number: number, result: ResultRow, now: Date | null) => sql`
  update goal_attempts set state = ${result.state}, error = ${result.error}, grades = ${JSON.stringify(result.grades)}::json,
    output = ${result.state === 'judging' ? result.output : null},
    pending = ${result.pending === null ? null : JSON.stringify(result.pending)}::json, passed = ${result.passed},
    score = ${result.score}, cost_nanodollars = ${result.costNanodollars}, milliseconds = ${result.milliseconds},
    completed_at = ${now}
  where organization_id = ${organizationId} and goal_id = ${id} and number = ${number} and exists (select 1 from held)
  returning number`

/** Stores that judges work on an attempt. False if the lease was lost. */
export const storeJudging = async (
  db: Queryable,
  goal: HeldGoal,
  { number, result }: { number: number; result: ResultRow },
): Promise<boolean> => {
  const { rows } =
    await sql`with held as materialized (${held(goal)}) ${updateAttempt(goal, number, result, null)}`.execute(db)
  return rows.length > 0
}

/** The consequences of a graded attempt. */
export type Verdict = {
  state: Extract<StoredState, 'active' | 'met' | 'blocked' | 'exhausted'>
  reason: string | null
  stale: number
  taskId: string | null
}

/** Stores a graded attempt and what follows from it. False if the lease was lost; then nothing is stored. */
export const storeAttempt = async (
  tx: Tx,
  goal: HeldGoal,
  { number, result, verdict, now }: { number: number; result: ResultRow; verdict: Verdict; now: Date },
): Promise<boolean> => {
  const { organizationId, id } = goal
  const isOver = verdict.state === 'met' || verdict.state === 'exhausted'
  const { rows } = await sql`
    with held as materialized (${held(goal)}), graded as (${updateAttempt(goal, number, result, now)})
    update goals set state = ${verdict.state}, reason = ${verdict.reason}, stale = ${verdict.stale},
      task_id = ${verdict.taskId}, best_score = greatest(best_score, ${result.score ?? 0}::double precision),
      cost_nanodollars = cost_nanodollars + ${result.costNanodollars}, waits = 0, lease = null, updated_at = ${now},
      due_at = ${verdict.state === 'active' ? now : null}::timestamptz, completed_at = ${isOver ? now : null}::timestamptz
    where organization_id = ${organizationId} and id = ${id} and exists (select 1 from graded) returning id`.execute(tx)
  return rows.length > 0
}

/** Stores that a goal does not go on. False if the lease was lost. */
export const stopGoal = async (
  tx: Queryable,
  { organizationId, id, lease }: HeldGoal,
  { state, reason, now }: { state: 'paused' | 'exhausted' | 'abandoned'; reason: string; now: Date },
): Promise<boolean> => {
  const { rows } =
    await sql`update goals set state = ${state}, reason = ${reason}, lease = null, due_at = null, waits = 0,
      updated_at = ${now}, completed_at = ${state === 'paused' ? null : now}::timestamptz
    where organization_id = ${organizationId} and id = ${id} and lease = ${lease} returning id`.execute(tx)
  return rows.length > 0
}

/** The ids of the Brains whose content may be in the answers of a goal, also of those that are about to be erased. */
export const selectBrainsOfGoal = async (db: Queryable, { organizationId, id }: GoalKey): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    with recursive family as (
      select run_id as id, 0 as depth from goal_attempts where organization_id = ${organizationId} and goal_id = ${id}
      union all
      select child.id, family.depth + 1 from family join runs as child
        on child.organization_id = ${organizationId} and child.parent_run_id = family.id
      where family.depth < 10)
    select distinct brain.id from family join run_brains as reached
        on reached.organization_id = ${organizationId} and reached.run_id = family.id
      join brain_directory as brain on brain.brain_id = reached.brain_id
    order by brain.id limit 500`.execute(db)
  return rows.map((row) => row.id)
}
