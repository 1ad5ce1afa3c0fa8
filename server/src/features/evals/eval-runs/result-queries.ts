import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { EvalRunKey, ResultRow } from './types.ts'

// Statements of the work on runs of evals. Each write holds the lease of its run, so that a node that lost it stores nothing.

/** Which run, and the lease of the node that works on it. */
export type HeldEvalRun = EvalRunKey & { lease: string }

const held = ({ organizationId, id, lease }: HeldEvalRun): RawBuilder<unknown> => sql`
  select from eval_runs where organization_id = ${organizationId} and id = ${id} and lease = ${lease} for update`

/**
 * Stores results and counts those that are done, each once. `nextCase`: the last case that was begun. False if the lease was lost;
 * then nothing is stored.
 */
export const storeResults = async (
  db: Queryable,
  run: HeldEvalRun,
  results: readonly ResultRow[],
  nextCase: string | undefined,
): Promise<boolean> => {
  const { organizationId, id } = run
  const { rows } = await sql<{ id: string }>`
    with held as materialized (${held(run)}),
    stored as (
      insert into eval_results as result (organization_id, eval_run_id, case_id, trial, state, run_id, receipts, output, error,
        grades, pending, passed, score, cost_nanodollars, milliseconds)
      select ${organizationId}, ${id}, "caseId", trial, state, "runId", receipts, output, error, grades, pending, passed, score,
        "costNanodollars", milliseconds
      from json_to_recordset(${JSON.stringify(results)}::json) as given ("caseId" text, trial integer, state text,
        "runId" text, receipts json, output text, error text, grades json, pending json, passed boolean,
        score double precision, "costNanodollars" bigint, milliseconds integer)
      where exists (select 1 from held)
      on conflict (organization_id, eval_run_id, case_id, trial) do update set state = excluded.state,
        run_id = excluded.run_id, receipts = excluded.receipts, output = excluded.output, error = excluded.error,
        grades = excluded.grades, pending = excluded.pending, passed = excluded.passed, score = excluded.score,
        cost_nanodollars = excluded.cost_nanodollars, milliseconds = excluded.milliseconds
      where result.state <> 'done'
      returning state, passed)
    update eval_runs set done = done + (select count(*) from stored where state = 'done'),
      passed = passed + (select count(*) from stored where state = 'done' and passed),
      next_case = coalesce(${nextCase ?? null}, next_case)
    where organization_id = ${organizationId} and id = ${id} and exists (select 1 from held) returning id`.execute(db)
  return rows.length > 0
}

const columns = sql`case_id as "caseId", trial, state, run_id as "runId", receipts, output, error, grades, pending, passed,
  score, cost_nanodollars as "costNanodollars", milliseconds`

/** Results that wait for runs of agents or judges. */
export const selectOpenResults = async (
  db: Queryable,
  { organizationId, id }: EvalRunKey,
  limit: number,
): Promise<ResultRow[]> => {
  const { rows } = await sql<ResultRow>`select ${columns} from eval_results
    where organization_id = ${organizationId} and eval_run_id = ${id} and state <> 'done'
    order by case_id, trial limit ${limit}`.execute(db)
  return rows
}

/** The Brains that a run and those that it started may have read. */
const ofFamily = ({ organizationId, id }: EvalRunKey): RawBuilder<unknown> => sql`
  with recursive family as (
    select ${id}::text as id, 0 as depth
    union all
    select child.id, family.depth + 1 from family join runs as child
      on child.organization_id = ${organizationId} and child.parent_run_id = family.id
    where family.depth < 10)
  select distinct reached.brain_id from family join run_brains as reached
    on reached.organization_id = ${organizationId} and reached.run_id = family.id`

/** Notes that content of the Brains that a run of an agent reached may be in the results. */
export const addBrainsOfRun = (db: Queryable, evalRun: EvalRunKey, runId: string) =>
  sql`insert into eval_run_brains (brain_id, organization_id, eval_run_id)
    select brain_id, ${evalRun.organizationId}, ${evalRun.id}
    from (${ofFamily({ organizationId: evalRun.organizationId, id: runId })}) as reached on conflict do nothing`.execute(
    db,
  )

/** The ids of the Brains whose content may be in the results of a run, also of those that are about to be erased. */
export const selectBrainsOfEvalRun = async (db: Queryable, { organizationId, id }: EvalRunKey): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select brain.id from eval_run_brains as graded join brain_directory as brain on brain.brain_id = graded.brain_id
    where graded.organization_id = ${organizationId} and graded.eval_run_id = ${id}
    order by brain.id limit 500`.execute(db)
  return rows.map((row) => row.id)
}

/** The ids of the Brains that a run of an agent itself could read. */
export const selectBrainsOfRun = async (db: Queryable, { organizationId, id }: EvalRunKey): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select brain.id from run_brains as reached join brain_directory as brain on brain.brain_id = reached.brain_id
    where reached.organization_id = ${organizationId} and reached.run_id = ${id} and reached.access <> 'none'
      and brain.deleted_at is null
    order by brain.id limit 100`.execute(db)
  return rows.map((row) => row.id)
}
