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

/** Deletes the versions of evals that read a Brain before a later version read something else, with the cases of these versions alone. */
export const deleteVersionsOfBrain = (db: Queryable, brainId: number) =>
  sql`
  with old as materialized (
      select version.organization_id, version.eval_id, version.version from brain_directory as brain
        join eval_versions as version on version.organization_id = brain.organization_id
          and version.definition->'target'->>'brainId' = brain.id
        join evals as tested on tested.organization_id = version.organization_id and tested.id = version.eval_id
          and tested.version <> version.version
      where brain.brain_id = ${brainId}),
    versions as (delete from eval_versions as mine using old where mine.organization_id = old.organization_id
      and mine.eval_id = old.eval_id and mine.version = old.version)
  delete from eval_cases as mine using (select distinct organization_id, eval_id from old) as touched
  where mine.organization_id = touched.organization_id and mine.eval_id = touched.eval_id and mine.to_version is not null
    and not exists (select 1 from eval_versions as kept where kept.organization_id = mine.organization_id
      and kept.eval_id = mine.eval_id and kept.version >= mine.from_version and kept.version < mine.to_version
      and not exists (select 1 from old where old.organization_id = kept.organization_id and old.eval_id = kept.eval_id
        and old.version = kept.version))`.execute(db)
