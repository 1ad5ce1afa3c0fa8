import { ApiError } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import { canonicalJson } from '../../../shared/text/json.ts'
import { type BrainRow, selectLiveBrain } from '../../kernel/brains/brain-queries.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork } from '../../kernel/leases/leases.ts'
import {
  brainsWithDueEvals,
  type ChangeEvalOutcome,
  type ChangeEvalRow,
  type DueChangeEval,
  endOfDecided,
  lookAtResults,
  selectBrainsWithDueEvals,
  selectDecision,
  selectDueEvals,
  storeBegun,
  storeOutcome,
} from '../../writing/change-evals/change-eval-queries.ts'
import { type PreviewDeps, withPreview } from '../../writing/previews/previews.ts'
import { beginEvalRun } from '../eval-runs/eval-runs.ts'
import { pinGraders } from '../eval-runs/pin.ts'
import { selectEvalRun, selectRunAtState } from '../eval-runs/run-queries.ts'
import type { EvalRunRow } from '../eval-runs/types.ts'
import { type EvalRow, selectEval } from '../evals/eval-queries.ts'
import { selectFlipped } from './queries.ts'

// Runs evals for pending changes: one run of the Brain as it is, which changes at one state share, and one with the change, which is
// compared with it. The ids of both are stored before they begin, so that a node that takes over finds them. The runs themselves are
// the work of `eval-runs`; here their end is awaited.

type Deps = Parameters<typeof beginEvalRun>[0] & PreviewDeps

/** Changes of one turn, after which other Brains have theirs, and those of a Brain whose runs are on their way at once. */
const maxAtOnce = 10
const maxUnderWay = 3

const minWaitSeconds = 1
const maxWaitSeconds = 60
/** An eval that cannot be run is tried again, so many times and with a growing distance: what it needs may be there again. */
const maxRetries = 5
const minRetrySeconds = 60
/** So often an eval begins again because its Brain was written to meanwhile. */
const maxRestarts = 3

type Step = Omit<ChangeEvalOutcome, 'waits' | 'now' | 'dueAt'> & { seconds?: number }

const wait = (row: DueChangeEval, reason: string | null = null): Step => ({
  ...{ state: 'pending', reason },
  seconds: Math.min(maxWaitSeconds, minWaitSeconds * 2 ** Math.min(Math.floor(row.waits / 2), 10)),
})

const restart: Step = { state: 'pending', reason: null, restarts: true, seconds: 0 }

const giveUp = (row: DueChangeEval, reason: string, isFinal = false): Step => ({
  ...{ state: 'unavailable', reason, restarts: true },
  ...(isFinal || row.attempts >= maxRetries ? {} : { seconds: minRetrySeconds * 4 ** row.attempts }),
})

type Working = { deps: Deps; brain: BrainRow; row: DueChangeEval }
type Runs = { evalVersion: number; beforeRun: string; afterRun: string }

/** The runs of a change: those that are stored, or new ones. Undefined if the eval was requested again meanwhile. */
const findRuns = async ({ deps, brain, row }: Working, { version, definition }: EvalRow): Promise<Runs | undefined> => {
  const { beforeRun, afterRun, evalVersion } = row
  if (beforeRun !== null && afterRun !== null && evalVersion !== null) return { beforeRun, afterRun, evalVersion }
  const target = { brain, change: row.changeId }
  const [touched, asOf] = await withPreview(deps, target, async (preview) => [
    preview.touched,
    preview.stateVersion - 1,
  ])
  const { organizationId } = brain
  const graders = await pinGraders({ db: deps.db, organizationId, viewer: undefined }, definition.graders)
  const sought = { organizationId, evalId: row.evalId, evalVersion: version, asOf, ...graders }
  const known = await selectRunAtState(deps.db, sought)
  const now = deps.clock.now()
  const runs = { evalVersion: version, beforeRun: known ?? newId('evr', now), afterRun: newId('evr', now) }
  return (await storeBegun(deps.db, row, { ...runs, touched })) ? runs : undefined
}

/** A run of the eval by its id, which begins now if there is none. No person is behind it: the Brain requires it. */
const findOrBegin = async (
  { deps, brain: { organizationId }, row }: Working,
  id: string,
  given: { change?: string; baseline?: string },
): Promise<EvalRunRow | undefined> => {
  const found = await selectEvalRun(deps.db, { organizationId, id })
  if (found) return found
  const by = { type: 'system', id: row.changeId } as const
  await beginEvalRun(
    deps,
    { organizationId, evalId: row.evalId, by, viewer: undefined },
    { trials: 1, ...given },
    { id },
  )
  return selectEvalRun(deps.db, { organizationId, id })
}

const whyNot = (which: string, { state, failureReason }: EvalRunRow): string =>
  `Its run ${which} the change ${state === 'failed' ? `failed: ${failureReason ?? ''}` : `was ${state}.`}`

/** True if two runs are graded by the same versions of the eval, its rubrics and its judges. */
const isGradedAlike = (one: EvalRunRow, other: EvalRunRow): boolean => {
  const [ofOne, ofOther] = [one, other].map(({ evalVersion, pinned: { rubrics, judges } }) =>
    canonicalJson([evalVersion, rubrics, judges]),
  )
  return ofOne === ofOther
}

const toSide = ({ summary }: EvalRunRow) => ({ passed: summary?.passed ?? 0, score: summary?.score ?? 0 })

/** The result of two completed runs. */
const judge = async (
  { deps, brain, row }: Working,
  { before, after }: { before: EvalRunRow; after: EvalRunRow },
): Promise<Step> => {
  const { organizationId, brainId } = brain
  const { broken, mended } = await selectFlipped(deps.db, { organizationId, id: after.id })
  const state: ChangeEvalRow['state'] = broken.count > 0 ? 'failed' : 'passed'
  const now = await selectLiveBrain(deps.db, brainId)
  // Writes of others meanwhile are not the change's fault, and were not tested with it.
  const isOfOther = state === 'failed' && now?.stateVersion !== before.pinned.reads[0]?.asOf
  if ((row.isMoved || isOfOther) && row.attempts < maxRestarts) return restart
  const result = { cases: after.cases, broken, mended, before: toSide(before), after: toSide(after) }
  return { state, reason: null, result }
}

/** One step for one change; undefined if the eval was requested again meanwhile. */
const work = async (working: Working): Promise<Step | undefined> => {
  const { deps, brain, row } = working
  const { organizationId } = brain
  const tested = await selectEval(deps.db, { organizationId, id: row.evalId })
  if (!tested) return giveUp(row, 'It was deleted.', true)
  if (tested.archivedAt !== null) return giveUp(row, 'It is archived.', true)
  const { target } = tested.definition
  if (!('brainId' in target) || target.brainId !== brain.id) return giveUp(row, 'It does not read this Brain.', true)
  if (row.beforeRun === null && row.others >= maxUnderWay) return wait(row, 'Others of this Brain come first.')
  const runs = await findRuns(working, tested)
  if (!runs) return undefined
  const before = await findOrBegin(working, runs.beforeRun, {})
  if (!before?.completedAt) return wait(row)
  if (before.state !== 'completed') return giveUp(row, whyNot('without', before))
  const after = await findOrBegin(working, runs.afterRun, { change: row.changeId, baseline: before.id })
  if (!after?.completedAt) return wait(row)
  if (after.state !== 'completed') return giveUp(row, whyNot('with', after))
  if (!isGradedAlike(before, after)) return restart
  return judge(working, { before, after })
}

/** Decides after a refusal: a cap is waited for, and for any other reason the eval cannot be run. */
const toStep = (row: DueChangeEval, error: ApiError): Step => {
  const isTransient =
    error.kind === 'rate_limited' || error.kind === 'unavailable' || error.code === 'too_many_eval_runs'
  if (!isTransient) return giveUp(row, error.message)
  return { ...wait(row, error.message), seconds: Math.min(error.retryAfterSeconds ?? maxWaitSeconds, maxWaitSeconds) }
}

/** When a result is looked at for the first time, in case it has become stale. */
const lookSeconds = 60

const toDelay = ({ brain, row }: Working, { state, seconds }: Step): number | undefined =>
  seconds ?? (state !== 'unavailable' && brain.reviewRules.requireEval === row.evalId ? lookSeconds : undefined)

const workOn = async (working: Working): Promise<void> => {
  const { deps, row } = working
  if ((await selectDecision(deps.db, row.brainId, row.changeId)) !== 'pending') {
    await endOfDecided(deps.db, row)
    return
  }
  const step = await work(working).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    return toStep(row, error)
  })
  if (!step) return
  const { seconds: _seconds, ...outcome } = step
  const seconds = toDelay(working, step)
  const now = deps.clock.now()
  const dueAt = seconds === undefined ? null : new Date(now.getTime() + seconds * 1_000)
  await storeOutcome(deps.db, row, { ...outcome, now, dueAt, waits: outcome.state === 'pending' ? row.waits + 1 : 0 })
}

const runOfBrain = async (deps: Deps, brainId: number, turn: BrainTurn): Promise<BrainTurnEnd> => {
  const brain = await selectLiveBrain(deps.db, brainId)
  if (!brain) return 'done'
  const { requireEval: required = null } = brain.reviewRules
  const hasMore = await lookAtResults(deps.db, { brainId, required, now: deps.clock.now() })
  const due = await selectDueEvals(deps.db, brainId, { now: deps.clock.now(), limit: maxAtOnce })
  let underWay = due[0]?.others ?? 0
  for (const row of due) {
    if (turn.stopping.aborted || !(await turn.renew())) return 'unfinished'
    await workOn({ deps, brain, row: { ...row, others: underWay } })
    if (row.beforeRun === null) underWay++
  }
  return hasMore || due.length === maxAtOnce ? 'unfinished' : 'done'
}

/** Evals of pending changes as work on Brains. */
export const createChangeEvalWork = (deps: Deps) =>
  createBrainWork(deps, {
    name: 'run evals of changes',
    ...{ work: 'run evals of changes', maxTurns: 4, leaseSeconds: 30 },
    behind: brainsWithDueEvals,
    dueKeys: selectBrainsWithDueEvals,
    run: (brainId, turn) => runOfBrain(deps, brainId, turn),
  })
