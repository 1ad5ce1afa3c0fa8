import type { EvalSummary } from '@noema/contracts/eval-runs.ts'
import { maxFlipped } from '@noema/contracts/eval-runs.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../storage/database.ts'
import type { HeldEvalRun } from './result-queries.ts'
import type { EvalRunKey } from './types.ts'

// The summary of a run, counted by the database: no result is loaded.

/** The cases of a run: passed if every trial did, and the mean of their scores. */
const selectCaseScores = ({ organizationId, id }: EvalRunKey): RawBuilder<unknown> => sql`
  select case_id, bool_and(coalesce(passed, false)) as passed, avg(coalesce(score, 0)) as score from eval_results
  where organization_id = ${organizationId} and eval_run_id = ${id} group by case_id`

const nanodollarsPerCent = 10_000_000

/** Counts the results of a run. */
export const summarize = async (tx: Tx, run: EvalRunKey): Promise<EvalSummary> => {
  const { organizationId, id } = run
  const isOf = sql`organization_id = ${organizationId} and eval_run_id = ${id}`
  const { rows } = await sql<EvalSummary>`
    with cases as materialized (${selectCaseScores(run)})
    select (select count(*) from cases) as cases, (select count(*) from cases where passed) as passed,
      coalesce((select avg(score) from cases), 0) as score,
      coalesce((select json_agg(json_build_object('grader', name, 'graded', graded, 'passed', passed, 'score', score)
          order by name) from (
        select grade.value->>'grader' as name, count(*) as graded,
          count(*) filter (where (grade.value->>'passed')::boolean) as passed, avg((grade.value->>'score')::float8) as score
        from eval_results cross join json_array_elements(grades) as grade (value) where ${isOf}
        group by 1) as graded), '[]') as "byGrader",
      (select coalesce(sum(cost_nanodollars), 0)::float8 / ${nanodollarsPerCent}::float8 from eval_results
        where ${isOf}) as "costCents",
      (select round(percentile_cont(0.5) within group (order by milliseconds))::integer from eval_results
        where ${isOf} and milliseconds is not null) as "p50Ms"`.execute(tx)
  const [summary] = rows
  if (!summary) throw new Error('a summary counted nothing')
  return summary
}

/** The comparison of a run with its baseline. */
export type Comparison = { delta: number | null; flipped: string[]; flippedCases: number }

/** Marks the results of cases that pass in only one of two runs, and returns these cases. */
export const compare = async (tx: Tx, run: EvalRunKey, baselineId: string): Promise<Omit<Comparison, 'delta'>> => {
  const { organizationId, id } = run
  const { rows } = await sql<{ flipped: string[]; flippedCases: number }>`
    with own as materialized (${selectCaseScores(run)}),
    other as materialized (${selectCaseScores({ organizationId, id: baselineId })}),
    paired as materialized (
      select own.case_id, other.passed as former, own.passed <> other.passed as flipped from own join other using (case_id)),
    marked as (
      update eval_results as result set baseline_passed = paired.former, is_flipped = paired.flipped from paired
      where result.organization_id = ${organizationId} and result.eval_run_id = ${id} and result.case_id = paired.case_id)
    select coalesce((select json_agg(case_id order by case_id) from (
        select case_id from paired where flipped order by case_id limit ${maxFlipped}) as first), '[]') as flipped,
      (select count(*) from paired where flipped) as "flippedCases"`.execute(tx)
  return rows[0] ?? { flipped: [], flippedCases: 0 }
}

/** The score of a completed run. */
export const selectScore = async (tx: Tx, { organizationId, id }: EvalRunKey): Promise<number | null> => {
  const { rows } = await sql<{ score: number | null }>`select (summary->>'score')::float8 as score from eval_runs
    where organization_id = ${organizationId} and id = ${id} and state = 'completed'`.execute(tx)
  return rows[0]?.score ?? null
}

/** Completes a run. False if the lease was lost. */
export const completeEvalRun = async (
  tx: Tx,
  { organizationId, id, lease }: HeldEvalRun,
  { summary, baseline, now }: { summary: EvalSummary; baseline: Comparison | null; now: Date },
): Promise<boolean> => {
  const { rows } = await sql`update eval_runs set state = 'completed', summary = ${JSON.stringify(summary)}::json,
      baseline = ${baseline === null ? null : JSON.stringify(baseline)}::json, waiting = null, due_at = null, lease = null,
      completed_at = ${now}
    where organization_id = ${organizationId} and id = ${id} and lease = ${lease} returning id`.execute(tx)
  return rows.length > 0
}
