import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import type { Db, Queryable } from '../../../storage/database.ts'

// Tasks that ask people to grade cases of evals: rows like those of runs, which belong to a run of an eval.

type EvalRunKey = { organizationId: string; evalRunId: string }

type NewEvalTask = EvalRunKey & {
  id: string
  evalId: string
  /** The case, the trial and the grader. */
  place: string
  question: string
  options: readonly string[]
  createdAt: Date
  expiresAt: Date
}

/** Asks people to grade a case, and answers the id of the task: that of the first attempt if this one repeats it. */
export const insertEvalTask = async (db: Queryable, task: NewEvalTask): Promise<string> => {
  const { organizationId, id, evalRunId, evalId, place, question, options, createdAt, expiresAt } = task
  const { rows } = await sql<{ id: string }>`
    insert into run_tasks (organization_id, id, run_id, agent_id, operation_id, state, question, options, created_at, expires_at,
      eval_run_id, eval_id, eval_place)
    values (${organizationId}, ${id}, '', '', '', 'open', ${question}, ${JSON.stringify(options)}::json, ${createdAt},
      ${expiresAt}, ${evalRunId}, ${evalId}, ${place})
    on conflict (organization_id, eval_run_id, eval_place) where eval_run_id is not null
      do update set eval_place = excluded.eval_place
    returning id`.execute(db)
  return rows[0]?.id ?? id
}

export type EvalTask = { id: string; state: string; answer: string | null; answeredBy: Actor | null }

/** The tasks of a run of an eval with these ids. Open ones whose time is over expire now. */
export const settleEvalTasks = async (
  db: Db,
  { organizationId, evalRunId }: EvalRunKey,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<EvalTask[]> => {
  if (ids.length === 0) return []
  const isOf = sql`organization_id = ${organizationId} and eval_run_id = ${evalRunId} and id = any(${[...ids]}::text[])`
  await sql`update run_tasks set state = 'expired', completed_at = ${now}
    where ${isOf} and state = 'open' and expires_at <= ${now}`.execute(db)
  const { rows } = await sql<EvalTask>`select id, state, answer, answered_by as "answeredBy" from run_tasks
    where ${isOf}`.execute(db)
  return rows
}
