import type { ChangeEval } from '@noema/contracts/change-evals.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import type { DueKey, DuePage } from '../../../shared/concurrency/leased-work.ts'
import type { Queryable } from '../../../storage/database.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import { defineStatement } from '../../../storage/statements.ts'
import type { NarrowBrains } from '../../kernel/leases/lease-queries.ts'
import { contentKinds } from '../../knowledge/content/content.ts'

// The statements on the results of evals for pending changes.

type Override = { by: Actor; reason: string; at: string }

/** The result of both runs. */
type ChangeEvalResult = { [Name in 'cases' | 'broken' | 'mended']: NonNullable<ChangeEval[Name]> } & {
  before: { passed: number; score: number }
  after: { passed: number; score: number }
}

export type ChangeEvalRow = {
  changeId: string
  evalId: string
  state: 'pending' | 'passed' | 'failed' | 'unavailable'
  reason: string | null
  evalVersion: number | null
  beforeRun: string | null
  afterRun: string | null
  result: ChangeEvalResult | null
  override: Override | null
  completedAt: Date | null
  /** True if an item that the change writes has another version than the one that was read. */
  isMoved: boolean
}

/** The newest version of an item of `seen`; null if it has none now. Citus writes no simple `case` of this sort to its servers. */
const currentVersion = (brainId: number): RawBuilder<unknown> =>
  sql`case ${sql.join(
    contentKinds.map(
      ({
        type,
        table,
      }) => sql`when seen.type = ${sql.lit(type)} then (select held.version from ${sql.table(table.name)} as held
      where held.brain_id = ${brainId} and held.id = seen.id and held.to_state is null)`,
    ),
    sql` `,
  )} end`

const isMoved = (brainId: number): RawBuilder<unknown> => sql`exists (
  select 1 from json_to_recordset(made.touched) as seen (type text, id text, version integer)
  where seen.version is distinct from ${currentVersion(brainId)})`

/** The results of an eval for some changes of a Brain. */
export const selectChangeEvals = async (
  db: Queryable,
  { brainId, evalId, changeIds }: { brainId: number; evalId: string; changeIds: readonly string[] },
): Promise<ChangeEvalRow[]> => {
  const { rows } = await sql<ChangeEvalRow>`
    select change_id as "changeId", eval_id as "evalId", state, reason, eval_version as "evalVersion",
      before_run as "beforeRun", after_run as "afterRun", result, override, completed_at as "completedAt",
      state in ('passed', 'failed') and ${isMoved(brainId)} as "isMoved"
    from change_evals as made
    where brain_id = ${brainId} and eval_id = ${evalId} and change_id = any(${[...changeIds]}::text[])`.execute(db)
  return rows
}

/** The values of a row whose eval is to be run, also again. An override was for the former result. */
const again = sql`state = 'pending', revision = held.revision + 1, reason = null, eval_version = null,
  before_run = null, after_run = null, touched = null, result = null, override = null, attempts = 0, waits = 0,
  completed_at = null`

/** The same where somebody asks for it, or the change or the eval is another one. */
const requested = sql`${again}, reruns = 0`

/** Requests an eval for changes, as a part of the commit that stages them or gives them another base. */
export const requestWithCommit = defineStatement<
  { brainId: number; evalId: string; changeIds: readonly string[]; at: string },
  object
>(
  ({ brainId, evalId, changeIds, at }) => sql`
    insert into change_evals as held (brain_id, change_id, eval_id, state, due_at)
    select ${brainId}, staged.id, ${evalId}, 'pending', ${at}::timestamptz from unnest(${changeIds}::text[]) as staged (id)
    on conflict (brain_id, change_id, eval_id) do update set ${requested}, due_at = excluded.due_at`,
)

/** Requests an eval for all pending changes of a Brain that do not have it. */
export const requestForPending = (
  db: Queryable,
  { brainId, evalId, now }: { brainId: number; evalId: string; now: Date },
) =>
  sql`
    insert into change_evals (brain_id, change_id, eval_id, state, due_at)
    select brain_id, id, ${evalId}, 'pending', ${now} from changes
    where brain_id = ${brainId} and application <> 'applied' and decision = 'pending'
    on conflict (brain_id, change_id, eval_id) do nothing`.execute(db)

const isPending = sql`exists (select 1 from changes where changes.brain_id = held.brain_id and changes.id = held.change_id
  and changes.decision = 'pending')`

/** Requests an eval again for all pending changes that have it: it has another version. */
export const requestAgain = (db: Queryable, { brainId, evalId, now }: { brainId: number; evalId: string; now: Date }) =>
  sql`update change_evals as held set ${requested}, due_at = ${now}
    where held.brain_id = ${brainId} and held.eval_id = ${evalId} and ${isPending}`.execute(db)

type Requesting = { brainId: number; changeId: string; evalId: string; max: number; now: Date }

/**
 * Requests an eval for one change, unless its result stands or it is on its way. Answers how many evals the change has, this one
 * included.
 */
export const requestForOne = async (
  db: Queryable,
  { brainId, changeId, evalId, max, now }: Requesting,
): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    with others as materialized (
      select count(*) filter (where made.eval_id <> ${evalId}) as count,
        coalesce(max(case when ${isMoved(brainId)} then made.revision else -1 end) filter (where made.eval_id = ${evalId}), 0)
          as stale_revision
      from change_evals as made where made.brain_id = ${brainId} and made.change_id = ${changeId}),
    requested as (
      insert into change_evals as held (brain_id, change_id, eval_id, revision, state, due_at)
      select ${brainId}, ${changeId}, ${evalId}, stale_revision, 'pending', ${now} from others where count < ${max}
      on conflict (brain_id, change_id, eval_id) do update set ${requested}, due_at = excluded.due_at
        where held.state = 'unavailable' or (held.due_at is null and held.state = 'pending')
          or (held.state <> 'pending' and held.revision = excluded.revision))
    select count + 1 as count from others`.execute(db)
  return rows[0]?.count ?? 1
}

/** Keeps that a person approved a change although its eval had not passed, as a part of the commit of the decision. */
export const storeOverride = defineStatement<
  { brainId: number; changeId: string; evalId: string; override: string },
  object
>(
  ({ brainId, changeId, evalId, override }) => sql`
    insert into change_evals (brain_id, change_id, eval_id, state, override)
    values (${brainId}, ${changeId}, ${evalId}, 'pending', ${override}::json)
    on conflict (brain_id, change_id, eval_id) do update set override = excluded.override`,
)

/** The decision about a change; undefined if the Brain has no such change. */
export const selectDecision = async (db: Queryable, brainId: number, changeId: string): Promise<string | undefined> => {
  const { rows } = await sql<{ decision: string }>`select decision from changes
    where brain_id = ${brainId} and id = ${changeId}`.execute(db)
  return rows[0]?.decision
}

/** Active Brains with an eval of a change that is due, of some. */
export const brainsWithDueEvals = (narrow: NarrowBrains, now: Date): RawBuilder<unknown> => sql`
  select brain.brain_id, next.due_at as due from brains as brain cross join lateral (
    select due_at from change_evals as made where made.brain_id = brain.brain_id and due_at is not null
    order by due_at limit 1) as next
  where brain.deleted_at is null and next.due_at <= ${now} and ${narrow(sql`brain.brain_id`)}`

/** Selects Brains with an eval of a change that is due, by number. */
export const selectBrainsWithDueEvals = (page: DuePage): RawBuilder<DueKey> =>
  selectDueKeys({ table: 'change_evals', key: 'brain_id' }, page)

/** An eval of a change that is due. `others`: how many of the Brain are on their way. */
export type DueChangeEval = Pick<ChangeEvalRow, 'changeId' | 'evalId' | 'evalVersion' | 'beforeRun' | 'afterRun'> & {
  brainId: number
  revision: number
  attempts: number
  waits: number
  isMoved: boolean
  others: number
}

const isUnsettled = sql`state in ('pending', 'unavailable')`

/** The evals of a Brain's changes that are due, those under way first. */
export const selectDueEvals = async (
  db: Queryable,
  brainId: number,
  { now, limit }: { now: Date; limit: number },
): Promise<DueChangeEval[]> => {
  const { rows } = await sql<DueChangeEval>`
    select brain_id as "brainId", change_id as "changeId", eval_id as "evalId", revision, eval_version as "evalVersion",
      before_run as "beforeRun", after_run as "afterRun", attempts, waits, ${isMoved(brainId)} as "isMoved",
      (select count(*) from change_evals as other where other.brain_id = ${brainId} and other.due_at is not null
        and other.before_run is not null and other.state = 'pending') as others
    from (select * from change_evals where brain_id = ${brainId} and due_at <= ${now} and ${isUnsettled}
      order by before_run is null, due_at, change_id limit ${limit}) as made`.execute(db)
  return rows
}

const ofRow = ({ brainId, changeId, evalId, revision }: DueChangeEval): RawBuilder<unknown> =>
  sql`brain_id = ${brainId} and change_id = ${changeId} and eval_id = ${evalId} and revision = ${revision}`

type Begun = { evalVersion: number; beforeRun: string; afterRun: string; touched: ReadonlySet<string> }

/** Stores the ids of the runs that are about to begin, and the versions of what the change writes. False if it was requested again. */
export const storeBegun = async (
  db: Queryable,
  row: DueChangeEval,
  { evalVersion, beforeRun, afterRun, touched }: Begun,
): Promise<boolean> => {
  const names = [...touched].map((name) => ({
    type: name.slice(0, name.indexOf(' ')),
    id: name.slice(name.indexOf(' ') + 1),
  }))
  const { rows } = await sql`
    update change_evals set eval_version = ${evalVersion}, before_run = ${beforeRun}, after_run = ${afterRun}, waits = 0,
      reason = null,
      touched = (select coalesce(json_agg(json_build_object('type', seen.type, 'id', seen.id,
          'version', ${currentVersion(row.brainId)})), '[]')
        from json_to_recordset(${JSON.stringify(names)}::json) as seen (type text, id text))
    where ${ofRow(row)} returning 1`.execute(db)
  return rows.length > 0
}

/** The outcome of a turn. A result without `dueAt` stands until the eval is requested again. */
export type ChangeEvalOutcome = {
  state: ChangeEvalRow['state']
  reason: string | null
  dueAt: Date | null
  result?: ChangeEvalResult
  /** Begins again, with other runs. */
  restarts?: boolean
  waits: number
  now: Date
}

/** Stores the outcome of a turn, unless the eval was requested again meanwhile. */
export const storeOutcome = (db: Queryable, row: DueChangeEval, outcome: ChangeEvalOutcome) => {
  const { state, reason, dueAt, result, restarts = false, waits, now } = outcome
  const kept = (column: string) => (restarts ? sql`null` : sql.ref(column))
  return sql`update change_evals set state = ${state}, reason = ${reason}, due_at = ${dueAt}, waits = ${waits},
      attempts = attempts + ${restarts ? 1 : 0}, before_run = ${kept('before_run')}, after_run = ${kept('after_run')},
      eval_version = ${kept('eval_version')}, touched = ${kept('touched')},
      result = ${result === undefined ? null : JSON.stringify(result)}::json,
      completed_at = ${state === 'pending' ? null : now}
    where ${ofRow(row)}`.execute(db)
}

/** Ends the work for a change that is decided; without a result there is nothing to keep. */
export const endOfDecided = (db: Queryable, row: DueChangeEval) =>
  sql`with ended as (update change_evals set due_at = null where ${ofRow(row)} and override is not null)
    delete from change_evals where ${ofRow(row)} and override is null and result is null`.execute(db)

/** So often a stale result is replaced by itself, and the results of a Brain that one statement looks at. */
const maxReruns = 10
const maxLookedAt = 200

/**
 * Looks at results of a Brain that are due: runs the required eval again where they are stale, and looks at the others later, ever more
 * rarely. Returns true if there may be more.
 */
export const lookAtResults = async (
  db: Queryable,
  { brainId, required, now }: { brainId: number; required: string | null; now: Date },
): Promise<boolean> => {
  const { rows } = await sql`
    with due as materialized (
      select made.change_id, made.eval_id, made.revision, ${isMoved(brainId)} as is_moved,
        ${now}::timestamptz + make_interval(mins => least(10, power(2, least(made.waits, 10) + made.reruns))::integer) as later,
        made.reruns < ${maxReruns} and made.eval_id is not distinct from ${required}::text and exists (select 1 from changes where changes.brain_id = ${brainId}
            and changes.id = made.change_id and changes.decision = 'pending') as is_kept
      from (select * from change_evals where brain_id = ${brainId} and due_at <= ${now} and state in ('passed', 'failed')
        order by due_at limit ${maxLookedAt}) as made),
    repeated as (
      update change_evals as held set ${again}, reruns = held.reruns + 1, due_at = ${now} from due
      where held.brain_id = ${brainId} and held.change_id = due.change_id and held.eval_id = due.eval_id
        and held.revision = due.revision and due.is_kept and due.is_moved),
    left_alone as (
      update change_evals as held set waits = held.waits + 1, due_at = case when due.is_kept then due.later end
      from due
      where held.brain_id = ${brainId} and held.change_id = due.change_id and held.eval_id = due.eval_id
        and held.revision = due.revision and not (due.is_kept and due.is_moved))
    select from due`.execute(db)
  return rows.length === maxLookedAt
}
