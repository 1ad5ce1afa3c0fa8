import { type RawBuilder, sql } from 'kysely'
import type { Db, Queryable } from '../../../storage/database.ts'

/** Deletes runs of evals, `old` with their organizations and ids, with their results. Answers how many. */
const deleteRuns = async (db: Queryable, old: RawBuilder<unknown>): Promise<number> => {
  const ofOld = (table: string) => sql`delete from ${sql.table(table)} as mine using old
    where mine.organization_id = old.organization_id and mine.eval_run_id = old.id`
  const { rows } = await sql`
    with old as materialized (${old}), results as (${ofOld('eval_results')}), brains as (${ofOld('eval_run_brains')}),
      tasks as (${ofOld('run_tasks')})
    delete from eval_runs as ran using old where ran.organization_id = old.organization_id and ran.id = old.id
    returning ran.id`.execute(db)
  return rows.length
}

/** Deletes some runs of evals that ended before a time. Answers how many. */
export const deleteOldEvalRuns = (db: Queryable, before: Date, limit: number): Promise<number> =>
  deleteRuns(
    db,
    sql`select organization_id, id from eval_runs where completed_at < ${before} order by completed_at limit ${limit}
      for update skip locked`,
  )

/**
 * Deletes some runs whose results may have content of a Brain, whether or not they have ended. Answers how many. Their leases end
 * first, in a statement of their own: a node that is storing a result then is waited for, and its result is deleted, too.
 */
export const deleteRunsOfBrain = (db: Db, brainId: number, limit: number): Promise<number> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ organizationId: string; id: string }>`
      select organization_id as "organizationId", eval_run_id as id from eval_run_brains where brain_id = ${brainId}
      order by organization_id, eval_run_id limit ${limit}`.execute(tx)
    const ids = rows.map(({ id }) => id)
    const organizations = rows.map(({ organizationId }) => organizationId)
    const old = sql`select * from unnest(${organizations}::text[], ${ids}::text[]) as old (organization_id, id)`
    await sql`with old as (${old}) update eval_runs as ran set lease = null, due_at = null from old
      where ran.organization_id = old.organization_id and ran.id = old.id`.execute(tx)
    await deleteRuns(tx, old)
    return rows.length
  })

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
