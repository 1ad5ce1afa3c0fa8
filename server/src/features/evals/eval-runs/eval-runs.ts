import type { BodyOutput, QueryOutput } from '@noema/contracts/endpoint.ts'
import type { EvalResult, EvalRun, listEvalResults, startEvalRun } from '@noema/contracts/eval-runs.ts'
import type { Limits } from '../../../config/config.ts'
import { summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { evalsTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { conflict, notFound, unknownReference } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import { nanodollarsPerCent } from '../../../shared/nanodollars.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { takeRuns } from '../../agents/runs/take-runs.ts'
import { selectStarted } from '../../agents/schedules/started-queries.ts'
import type { ScheduledFor } from '../../agents/schedules/targets.ts'
import { endPage, type List, openPage, type PageRequest } from '../../platform/cursors/cursors.ts'
import { archivedEval } from '../evals/definitions.ts'
import { lockEvals } from '../evals/eval-queries.ts'
import { type Acting, findEval } from '../evals/evals.ts'
import { type EndDeps, endStarted } from './end-started.ts'
import { pinRun } from './pin.ts'
import {
  countOpenRuns,
  endEvalRun,
  insertBrains,
  insertEvalRun,
  type ListedResult,
  selectEvalRun,
  selectEvalRuns,
  selectLastCompleted,
  selectOpenOfEval,
  selectResults,
  toBaseline,
} from './run-queries.ts'
import type { EvalRunKey, EvalRunRow } from './types.ts'

// Runs of evals are started, read and canceled here; `run-evals.ts` works on them.

type Deps = {
  db: Db
  clock: Clock
  limits: Pick<Limits, 'evals' | 'caps'>
  topics: Pick<Topics, 'publish'>
}

/** The refusal of an id that no run of an eval of the organization has. */
export const noSuchEvalRun = (id: string) => notFound(`This organization has no run of an eval ${JSON.stringify(id)}.`)

const toOptional = ({ agentVersion, changeId, waiting, failureReason, summary }: EvalRunRow) => ({
  ...(changeId === null ? {} : { change: changeId }),
  ...(agentVersion === null ? {} : { agentVersion }),
  ...(waiting === null ? {} : { waiting }),
  ...(failureReason === null ? {} : { failureReason }),
  ...(summary === null ? {} : { summary }),
})

const toView = (row: EvalRunRow): EvalRun => {
  const { id, evalId, evalVersion, state, cases, trials, done, passed, baselineId, baseline } = row
  const none = { delta: null, flipped: [], flippedCases: 0 }
  return {
    ...{ id, evalId, evalVersion, state, cases, trials, done, passed },
    ...toOptional(row),
    pinned: row.pinned.reads.map(({ brain, asOf }) => ({ brain, stateVersion: asOf })),
    ...(baselineId === null ? {} : { baseline: { id: baselineId, ...(baseline ?? none) } }),
    startedBy: summarizeActor(row.startedBy),
    createdAt: row.createdAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
  }
}

const findEvalRun = async (db: Queryable, key: EvalRunKey): Promise<EvalRunRow> => {
  const row = await selectEvalRun(db, key)
  if (!row) throw noSuchEvalRun(key.id)
  return row
}

/** A run of an eval as answers show it. */
export const readEvalRun = async ({ db }: Pick<Deps, 'db'>, key: EvalRunKey): Promise<EvalRun> =>
  toView(await findEvalRun(db, key))

/** Reads of one run of the day. */
const readsOfRun = 100

type Starting = Acting & { evalId: string }

/** The run that a new one is compared with. */
const findBaseline = async (
  db: Queryable,
  { organizationId, evalId, viewer }: Starting,
  given: string | undefined,
): Promise<string | null> => {
  if (given === undefined) return (await selectLastCompleted(db, { organizationId, evalId }, viewer)) ?? null
  const row = await selectEvalRun(db, { organizationId, id: given }, viewer)
  if (row?.evalId !== evalId || row.state !== 'completed')
    throw unknownReference(['baseline'], 'This eval has no completed run of this id.')
  return given
}

const checkOpen = async (tx: Tx, organizationId: string, { limits }: Deps): Promise<void> => {
  const { maxRuns } = limits.evals
  if ((await countOpenRuns(tx, organizationId)) >= maxRuns)
    throw conflict(`This organization has ${maxRuns} unfinished runs of evals, which is the maximum. Wait for one.`, {
      code: 'too_many_eval_runs',
    })
}

/**
 * Starts a run of an eval, under an id if it is given. Reads count here, as runs of the day; each case of an agent counts when its run
 * begins. A run that a schedule started for the same instant is found instead.
 */
export const beginEvalRun = async (
  deps: Deps,
  starting: Starting,
  given: BodyOutput<typeof startEvalRun>,
  { id = newId('evr', deps.clock.now()), scheduled }: { id?: string; scheduled?: ScheduledFor } = {},
): Promise<EvalRun> => {
  const { organizationId, evalId, by, viewer } = starting
  const { db, clock } = deps
  const { definition } = await findEval(db, { organizationId, id: evalId })
  const { pinned, agentVersion, changeBrain } = await pinRun({ db, organizationId, viewer }, definition, given)
  const former = await db.transaction().execute(async (tx) => {
    const now = clock.now()
    // The service itself has no access that could end.
    if (by.type !== 'system') await holdAccess(tx, by, { organizationId })
    const row = await findEval(tx, { organizationId, id: evalId }, { lock: 'archiving' })
    if (row.archivedAt !== null) throw archivedEval()
    const hasChanged = JSON.stringify(row.definition) !== JSON.stringify(definition)
    if (hasChanged)
      throw conflict('This eval was changed at this moment. Start the run again.', { code: 'stale_version' })
    await lockEvals(tx, organizationId)
    const started = scheduled && (await selectStarted(tx, 'eval_runs', organizationId, scheduled))
    if (started !== undefined) return started
    await checkOpen(tx, organizationId, deps)
    const { target } = definition
    const reads = 'agentId' in target ? 0 : Math.ceil(row.cases / readsOfRun)
    if (reads > 0) await takeRuns(tx, deps.limits, { organizationId, count: reads, now })
    const baselineId = await findBaseline(tx, starting, given.baseline)
    const { trials } = given
    await insertEvalRun(tx, {
      ...{ organizationId, id, evalId, evalVersion: row.version, target, pinned, agentVersion, trials },
      ...{ cases: row.cases, startedBy: by, baselineId, createdAt: now },
      ...{ changeId: given.change ?? null, changeBrain, scheduled },
    })
    await insertBrains(
      tx,
      { organizationId, id },
      pinned.reads.map(({ brainId }) => brainId),
    )
    return undefined
  })
  deps.topics.publish(evalsTopic(organizationId))
  return readEvalRun(deps, { organizationId, id: former ?? id })
}

/** A page of the runs of an eval. */
export const listEvalRunPage = async (
  { db }: Pick<Deps, 'db'>,
  { organizationId, evalId, viewer }: { organizationId: string; evalId: string; viewer: Viewer },
  page: PageRequest<string>,
): Promise<EvalRun[]> => {
  await findEval(db, { organizationId, id: evalId })
  return (await selectEvalRuns(db, { organizationId, evalId }, viewer, page)).map(toView)
}

const toResult = (row: ListedResult): EvalResult => {
  const { caseId, trial, state, passed, score, grades, milliseconds, isFlipped } = row
  const optional = {
    ...{ input: row.input, output: row.output, error: row.error, runId: row.runId, receipts: row.receipts },
    baseline: toBaseline(row.baselinePassed) ?? null,
  }
  return {
    ...{ caseId, trial, state, passed, score, grades, milliseconds, flipped: isFlipped },
    costCents: row.costNanodollars / nanodollarsPerCent,
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)) as Partial<EvalResult>),
  }
}

/** A page of the results of a run. It ends early where they are long. */
export const listResultPage = async (
  { db }: Pick<Deps, 'db'>,
  key: EvalRunKey,
  { list, query }: { list: List<string>; query: QueryOutput<typeof listEvalResults> },
) => {
  const { evalId, evalVersion } = await findEvalRun(db, key)
  const page = await openPage(list, query)
  const read = await selectResults(db, { ...key, evalId, evalVersion }, query.filter, { ...query, after: page.after })
  const last = read.rows.at(-1)?.place
  return { cases: read.rows.map(toResult), cursor: endPage(page, last), hasMore: read.found > read.rows.length }
}

/** Cancels a run; one that has ended stays as it is. */
export const cancelEvalRun = async (deps: EndDeps, key: EvalRunKey): Promise<EvalRun> => {
  await findEvalRun(deps.db, key)
  await endEvalRun(deps.db, { ...key, state: 'canceled', reason: null, now: deps.clock.now() })
  // Also after an earlier call that a crash cut off.
  if ((await findEvalRun(deps.db, key)).state === 'canceled') await endStarted(deps, key)
  return readEvalRun(deps, key)
}

/** Cancels the runs of an eval that was archived. */
export const cancelRunsOfEval = async (deps: EndDeps, organizationId: string, evalId: string): Promise<void> => {
  for (const id of await selectOpenOfEval(deps.db, organizationId, evalId))
    await cancelEvalRun(deps, { organizationId, id })
}
