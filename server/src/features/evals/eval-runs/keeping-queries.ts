import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import { deleteOldWork, deleteWorkOfBrain } from '../../agents/run-keeping/kept-work-queries.ts'

const evalRuns = {
  ...{ table: 'eval_runs', partId: 'eval_run_id', brains: 'eval_run_brains' },
  parts: ['eval_results', 'eval_run_brains', 'run_tasks'],
} as const

/** Deletes some runs of evals that ended before a time, with their results. Answers how many. */
export const deleteOldEvalRuns = deleteOldWork(evalRuns)

/** Deletes some runs whose results may have content of a Brain. Answers how many. */
export const deleteRunsOfBrain = deleteWorkOfBrain(evalRuns)

/** Deletes some evals that are about a Brain, with their versions and cases. Answers how many. */
export const deleteEvalsOfBrain = async (db: Queryable, brainId: number, limit: number): Promise<number> => {
  const ofOld = (table: string) => sql`delete from ${sql.table(table)} as mine using old
    where mine.organization_id = old.organization_id and mine.eval_id = old.id`
  const { rows } = await sql`
    with old as materialized (
        select tested.organization_id, tested.id from brain_directory as brain join evals as tested
          on tested.organization_id = brain.organization_id and tested.target_brain = brain.id
        where brain.brain_id = ${brainId} limit ${limit}),
      versions as (${ofOld('eval_versions')}), cases as (${ofOld('eval_cases')})
    delete from evals as mine using old where mine.organization_id = old.organization_id and mine.id = old.id
    returning mine.id`.execute(db)
  return rows.length
}
