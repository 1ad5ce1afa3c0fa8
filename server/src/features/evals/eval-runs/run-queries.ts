import { maxPageBytes } from '@noema/contracts/common.ts'
import type { EvalResult } from '@noema/contracts/eval-runs.ts'
import { sql } from 'kysely'
import { actorValue } from '../../../storage/actor-columns.ts'
import { hidesEvalRun, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { ScheduledFor } from '../../agents/schedules/targets.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutByLength, inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import type { EvalRunKey, EvalRunRow, PinnedGraders, ResultRow } from './types.ts'

const columns = sql`ran.organization_id as "organizationId", ran.id, ran.eval_id as "evalId",
  ran.eval_version as "evalVersion", ran.state, ran.target, ran.pinned, ran.agent_version as "agentVersion", ran.change_id as "changeId", ran.trials,
  ran.cases, ran.done, ran.passed, ran.started_by as "startedBy", ran.baseline_id as "baselineId", ran.baseline, ran.summary,
  ran.waiting, ran.failure_reason as "failureReason", ran.created_at as "createdAt", ran.completed_at as "completedAt"`

/** The runs of an organization that have not ended. The locked evals keep others from starting one meanwhile. */
export const countOpenRuns = async (tx: Tx, organizationId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from eval_runs
    where organization_id = ${organizationId} and due_at is not null`.execute(tx)
  return rows[0]?.count ?? 0
}

/** The last completed run of an eval, without a pending change, that a viewer may see. */
export const selectLastCompleted = async (
  db: Queryable,
  { organizationId, evalId }: { organizationId: string; evalId: string },
  viewer: Viewer,
): Promise<string | undefined> => {
  const isShown = isVisible(viewer, (userId) => hidesEvalRun(sql`ran.organization_id`, sql`ran.id`, userId))
  const { rows } = await sql<{ id: string }>`select id from eval_runs as ran
    where organization_id = ${organizationId} and eval_id = ${evalId} and state = 'completed' and change_id is null
      and ${isShown}
    order by id desc limit 1`.execute(db)
  return rows[0]?.id
}

type NewRun = Omit<
  EvalRunRow,
  'state' | 'done' | 'passed' | 'baseline' | 'summary' | 'waiting' | 'failureReason' | 'completedAt'
> & { changeBrain: number | null; scheduled?: ScheduledFor | undefined }

/** Inserts a run, unless there is one of this id. */
export const insertEvalRun = async (tx: Tx, run: NewRun): Promise<void> => {
  const { organizationId, id, evalId, evalVersion, target, pinned, agentVersion, trials, cases, baselineId } = run
  await sql`insert into eval_runs (organization_id, id, eval_id, eval_version, state, target, pinned, agent_version, trials,
      cases, started_by, baseline_id, change_id, change_brain, schedule_id, scheduled_for, due_at, created_at)
    values (${organizationId}, ${id}, ${evalId}, ${evalVersion}, 'queued', ${JSON.stringify(target)}::json,
      ${JSON.stringify(pinned)}::json, ${agentVersion}, ${trials}, ${cases}, ${actorValue(run.startedBy)}, ${baselineId},
      ${run.changeId}, ${run.changeBrain}, ${run.scheduled?.scheduleId ?? null},
      ${run.scheduled?.at ?? null}::timestamptz, ${run.createdAt}, ${run.createdAt})
    on conflict (organization_id, id) do nothing`.execute(tx)
}

/** Notes that content of Brains, by their ids, may be in the results of a run. */
export const insertBrains = (db: Queryable, { organizationId, id }: EvalRunKey, brainIds: readonly string[]) =>
  sql`insert into eval_run_brains (brain_id, organization_id, eval_run_id)
    select brain_id, organization_id, ${id} from brain_directory
    where organization_id = ${organizationId} and id = any(${[...brainIds]}::text[]) on conflict do nothing`.execute(db)

/** A run, if a viewer may see it. */
export const selectEvalRun = async (
  db: Queryable,
  { organizationId, id }: EvalRunKey,
  viewer?: Viewer,
): Promise<EvalRunRow | undefined> => {
  const isShown = isVisible(viewer, (userId) => hidesEvalRun(sql`ran.organization_id`, sql`ran.id`, userId))
  const { rows } = await sql<EvalRunRow>`select ${columns} from eval_runs as ran
    where ran.organization_id = ${organizationId} and ran.id = ${id} and ${isShown}`.execute(db)
  return rows[0]
}

type AtState = { organizationId: string; evalId: string; evalVersion: number; asOf: number } & PinnedGraders

/**
 * A run of an eval that reads its Brain at one state without a pending change, is graded by these versions of rubrics and judges, and
 * can be completed.
 */
export const selectRunAtState = async (
  db: Queryable,
  { organizationId, evalId, evalVersion, asOf, rubrics, judges }: AtState,
): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`
    select id from (select id, state, pinned from eval_runs where organization_id = ${organizationId} and eval_id = ${evalId}
        and eval_version = ${evalVersion} and change_id is null order by id desc limit 20) as recent
    where state in ('queued', 'running', 'completed') and pinned->'reads'->0->>'asOf' = ${String(asOf)}
      and (pinned->'rubrics')::jsonb = ${JSON.stringify(rubrics)}::jsonb
      and (pinned->'judges')::jsonb = ${JSON.stringify(judges)}::jsonb
    order by id desc limit 1`.execute(db)
  return rows[0]?.id
}

/** A page of the runs of an eval that a viewer may see. */
export const selectEvalRuns = async (
  db: Queryable,
  { organizationId, evalId }: { organizationId: string; evalId: string },
  viewer: Viewer,
  page: PageRequest<string>,
): Promise<EvalRunRow[]> => {
  const isShown = isVisible(viewer, (userId) => hidesEvalRun(sql`ran.organization_id`, sql`ran.id`, userId))
  const { rows } = await sql<EvalRunRow>`select ${columns} from eval_runs as ran
    where ran.organization_id = ${organizationId} and ran.eval_id = ${evalId} and ${isAfter(sql`ran.id`, page)} and ${isShown}
    ${inOrder(sql`ran.id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** Ends a run that has not ended, with its open tasks; false where it has. A node that works on it loses its lease. */
export const endEvalRun = async (
  db: Queryable,
  {
    organizationId,
    id,
    state,
    reason,
    now,
  }: EvalRunKey & { state: 'failed' | 'canceled'; reason: string | null; now: Date },
  lease?: string,
): Promise<boolean> => {
  const { rows } = await sql`with ended as (
      update eval_runs set state = ${state}, failure_reason = ${reason}, waiting = null, due_at = null, lease = null,
        completed_at = ${now}
      where organization_id = ${organizationId} and id = ${id} and completed_at is null
        ${lease === undefined ? sql`` : sql`and lease = ${lease}`} returning organization_id, id),
    expired as (
      update run_tasks as task set state = 'expired', completed_at = ${now} from ended
      where task.organization_id = ended.organization_id and task.eval_run_id = ended.id and task.state = 'open')
    select id from ended`.execute(db)
  return rows.length > 0
}

/** Makes a run that waits due now. One that a node works on reads the answers itself. */
export const wakeEvalRun = (db: Queryable, { organizationId, id }: EvalRunKey, now: Date) =>
  sql`update eval_runs set due_at = ${now}, waits = 0 where organization_id = ${organizationId} and id = ${id}
    and due_at > ${now} and lease is null`.execute(db)

/** Expires the open tasks of a run. */
export const expireTasks = (db: Queryable, { organizationId, id }: EvalRunKey, now: Date) =>
  sql`update run_tasks set state = 'expired', completed_at = ${now}
    where organization_id = ${organizationId} and eval_run_id = ${id} and state = 'open'`.execute(db)

/** The open runs of an eval. */
export const selectOpenOfEval = async (db: Queryable, organizationId: string, evalId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`select id from eval_runs where organization_id = ${organizationId}
    and eval_id = ${evalId} and completed_at is null order by id limit 100`.execute(db)
  return rows.map(({ id }) => id)
}

export type ListedResult = ResultRow & {
  place: string
  input: string | null
  baselinePassed: boolean | null
  isFlipped: boolean
}

/** The characters of an answer that a result keeps and shows. */
export const maxShown = 8_000

const sizes = {
  size: sql`pg_column_size(grades) + coalesce(pg_column_size(output), 0)`,
  length: sql`octet_length(grades::text) + coalesce(octet_length(output), 0)`,
}

const filters = { failed: sql`and done.state = 'done' and not done.passed`, flipped: sql`and done.is_flipped` }

/** A page of the results of a run, with the inputs of their cases. */
export const selectResults = async (
  db: Queryable,
  { organizationId, id, evalId, evalVersion }: EvalRunKey & { evalId: string; evalVersion: number },
  filter: keyof typeof filters | undefined,
  page: PageRequest<string>,
): Promise<{ rows: ListedResult[]; found: number }> => {
  const place = sql`(done.case_id || ' ' || done.trial)`
  // The page is chosen by narrow columns: the answers and grades of the other results of the run are not read.
  const chosen = sql`
    select done.organization_id, done.eval_run_id, done.case_id, done.trial, ${place} as place from eval_results as done
    where done.organization_id = ${organizationId} and done.eval_run_id = ${id} and ${isAfter(place, page)}
      ${filter === undefined ? sql`` : filters[filter]}
    ${inOrder(place, page)} limit ${page.limit + 1}`
  const rows = sql`
    select chosen.place, done.case_id as "caseId", done.trial, done.state, done.run_id as "runId", done.receipts,
      left(done.output, ${maxShown}) as output, done.error, done.grades, done.pending, done.passed, done.score,
      done.cost_nanodollars as "costNanodollars", done.milliseconds, done.baseline_passed as "baselinePassed",
      done.is_flipped as "isFlipped", given.content->>'input' as input
    from (${chosen}) as chosen join eval_results as done using (organization_id, eval_run_id, case_id, trial)
    left join eval_cases as given on given.organization_id = ${organizationId}
      and given.eval_id = ${evalId} and given.id = done.case_id and given.from_version <= ${evalVersion}
      and (given.to_version is null or given.to_version > ${evalVersion})`
  const cut = cutByLength({ rows, ...sizes }, { ...page, maxBytes: maxPageBytes / 2 })
  const read = await sql<ListedResult & { found: number }>`
    select * from (${cut}) as fitting ${inOrder(sql`place`, page)}`.execute(db)
  return { rows: read.rows, found: read.rows[0]?.found ?? 0 }
}

/** The result of a case in the baseline. */
export const toBaseline = (passed: boolean | null): EvalResult['baseline'] => {
  if (passed === null) return undefined
  return passed ? 'passed' : 'failed'
}
