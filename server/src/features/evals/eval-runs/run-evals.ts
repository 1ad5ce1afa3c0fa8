import type { EvalCase, EvalDefinition } from '@noema/contracts/evals.ts'
import type { LeasedWork, Turn } from '../../../shared/concurrency/leased-work.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { Tracer } from '../../../shared/tracing/tracer.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import { renewWork, storeWorkOutcomes, type WorkOutcome } from '../../../storage/organization-work-queries.ts'
import { selectRunsAt } from '../../agents/runs/run-queries.ts'
import { startRun } from '../../agents/runs/start-run.ts'
import type { RunRow } from '../../agents/runs/types.ts'
import { selectCasesAfter, selectCasesByIds, selectDefinition } from '../evals/eval-queries.ts'
import { type AgentDeps, findAgentError, readAgentAnswer } from './agent-case.ts'
import { emitResults } from './emit-results.ts'
import { type EndDeps, endIfCanceled, toSender } from './end-started.ts'
import { finishEvalRun } from './finish.ts'
import { finishJudging, type GradeDeps, type Graded, gradeCase, type Place, toFailed, toRunning } from './grade-case.ts'
import { leaseEvalRuns } from './lease-queries.ts'
import { findTasks, listPersonGraders, listTasks } from './person-tasks.ts'
import { isOfCase, type ReadDeps, readCase } from './read-target.ts'
import { addBrainsOfRun, selectBrainsOfEvalRun, selectOpenResults, storeResults } from './result-queries.ts'
import { endEvalRun } from './run-queries.ts'
import { findStarter } from './starter.ts'
import type { LeasedEvalRun, ResultRow } from './types.ts'

// Works on runs of evals, a bounded piece in each turn: a few cases are loaded, answered, graded and stored before the next ones are
// loaded. A case that is stored is never repeated; one that was begun when a node died is begun again under the same key, so that the
// run of its agent is found. Nothing is held while agents, judges or people take their time.

export type EvalDeps = GradeDeps &
  AgentDeps &
  EndDeps &
  ReadDeps & { log: Log; tracer: Pick<Tracer, 'add' | 'isKept'> | undefined }

/** Cases of one turn, after which others have theirs, and the time after which a turn begins no further one. */
const casesAtOnce = 10
const maxTurnMilliseconds = 4_000

/** Runs of agents and judges that one run of an eval waits for at once. */
const maxOpen = 20

const leaseSeconds = 60
const minWaitSeconds = 1
const maxWaitSeconds = 30
/** People take their time. An answer makes the run due at once. */
const peopleWaitSeconds = 60
/** So many turns without anything to do are counted. */
const maxWaits = 20
const maxPauseSeconds = 300
/** So many failures in a row of what the run needs end it. */
const maxFailures = 50

type Working = { deps: EvalDeps; run: LeasedEvalRun; definition: EvalDefinition; viewer: string | undefined }

const toKey = ({ organization, id, lease }: LeasedEvalRun) => ({ organizationId: organization, id, lease })
const toEval = ({ organization, evalId, evalVersion }: LeasedEvalRun) => ({
  ...{ organizationId: organization, id: evalId, version: evalVersion },
})

const readsItems = ({ graders }: EvalDefinition): boolean =>
  graders.some(({ type }) => type === 'found' || type === 'not_found' || type === 'cited')

/** Stores results and reports them to the collector. False if the lease was lost; a run that was canceled leaves nothing behind. */
const store = async (
  { deps, run, definition }: Working,
  results: readonly ResultRow[],
  nextCase?: string,
): Promise<boolean> => {
  const isStored = await storeResults(deps.db, toKey(run), results, nextCase)
  if (isStored) emitResults(deps, { run, definition }, results)
  else await endIfCanceled(deps, toKey(run))
  return isStored
}

/** The result of a case of a read. An input that cannot be searched for fails its case alone. */
const gradeRead = async ({ deps, run, viewer }: Working, place: Place): Promise<ResultRow> => {
  const { target } = run
  if ('agentId' in target) throw new Error('an agent is not read')
  try {
    const { answer, receipts } = await readCase(deps, run, { target, viewer, evalCase: place.evalCase })
    return await gradeCase(deps, place, answer, { runId: null, receipts })
  } catch (error) {
    if (!isOfCase(error)) throw error
    return toFailed(place, error.message)
  }
}

/** Begins the runs of the agent for a case, one for each trial. */
const beginRuns = async ({ deps, run }: Working, places: readonly Place[]): Promise<ResultRow[]> => {
  const { target, organization: organizationId, id } = run
  if (!('agentId' in target)) throw new Error('only an agent runs')
  const begun: ResultRow[] = []
  for (const place of places) {
    const { evalCase, trial } = place
    const { run: started } = await startRun(deps, {
      ...{ organizationId, actor: run.startedBy, agentId: target.agentId, partOf: toSender(id) },
      ...(run.agentVersion === null ? {} : { agentVersion: run.agentVersion }),
      input: evalCase.input,
      metadata: { evalRunId: id, caseId: evalCase.id, trial },
      idempotencyKey: `case ${evalCase.id} ${trial}`,
    })
    begun.push(toRunning(place, started.id))
  }
  return begun
}

/** A run of an eval, as what is graded. */
const toGraded = ({ deps, run }: Working): Graded => ({
  ...run,
  partOf: toSender(run.id),
  metadata: { evalRunId: run.id },
  findBrains: () => selectBrainsOfEvalRun(deps.db, { organizationId: run.organization, id: run.id }),
})

const toPlaces = (working: Working, evalCase: EvalCase): Place[] => {
  const [run, { definition }] = [toGraded(working), working]
  return Array.from({ length: working.run.trials }, (_, index) => ({ run, definition, evalCase, trial: index + 1 }))
}

/** Finds out how many cases may begin while so many answers wait. Each of several people who grade an answer gets a task. */
const countFree = ({ run: { trials }, definition }: Working, waiting: number): number => {
  const tasks = Math.max(1, listPersonGraders(definition.graders).length)
  const free = Math.floor((maxOpen - waiting * tasks) / (trials * tasks))
  return Math.min(casesAtOnce, waiting === 0 ? Math.max(1, free) : free)
}

/** Begins the next cases, as many as may be open. Answers how many there were, and whether the lease was lost. */
const beginCases = async (working: Working, turn: Turn<WorkOutcome>, waiting: number) => {
  const { deps, run } = working
  const until = performance.now() + maxTurnMilliseconds
  const limit = countFree(working, waiting)
  const cases = limit > 0 ? await selectCasesAfter(deps.db, toEval(run), { after: run.nextCase, limit }) : []
  let begun = 0
  for (const evalCase of cases) {
    if (turn.stopping.aborted || performance.now() > until) break
    const places = toPlaces(working, evalCase)
    const results =
      'agentId' in run.target
        ? await beginRuns(working, places)
        : await Promise.all(places.map((place) => gradeRead(working, place)))
    if (!(await store(working, results, evalCase.id))) return { begun, isLost: true, isEnd: false }
    begun++
  }
  return { begun, isLost: false, isEnd: limit > 0 && cases.length === 0 }
}

type Tasks = Awaited<ReturnType<typeof findTasks>>

/** The result of an open case whose runs have ended and whose tasks are answered; undefined if some go on. */
const collect = async (
  { deps, run, viewer, definition }: Working,
  { place, result, runs, tasks }: { place: Place; result: ResultRow; runs: ReadonlyMap<string, RunRow>; tasks: Tasks },
): Promise<ResultRow | undefined> => {
  const hasEnded = (id: string) => runs.get(id)?.completedAt !== null && tasks.get(id)?.state !== 'open'
  if (result.state === 'judging')
    return Object.values(result.pending ?? {}).every(hasEnded)
      ? finishJudging(deps, place, { result, judges: runs, tasks })
      : undefined
  const runId = result.runId ?? ''
  if (!hasEnded(runId)) return undefined
  const ended = runs.get(runId)
  const error = findAgentError(ended)
  // A failure may quote what the run has read, too.
  await addBrainsOfRun(deps.db, toKey(run), runId)
  if (!ended || error !== undefined)
    return toFailed(place, error ?? '', { runId, costNanodollars: ended?.costNanodollars ?? 0 })
  const answer = await readAgentAnswer(deps, ended, { viewer, readsItems: readsItems(definition) })
  return gradeCase(deps, place, answer, { runId, receipts: null })
}

const listRuns = ({ runId, state, pending }: ResultRow): string[] =>
  state === 'judging' ? Object.values(pending ?? {}) : runId === null ? [] : [runId]

/** Grades the open cases whose runs have ended. Answers how many go on, how many were graded, and whether the lease was lost. */
const collectOpen = async (working: Working, turn: Turn<WorkOutcome>) => {
  const { deps, run, definition } = working
  const organizationId = run.organization
  const open = await selectOpenResults(deps.db, toKey(run), maxOpen)
  const ids = [...new Set(open.flatMap(listRuns))]
  const found = await selectRunsAt(
    deps.keyedDb,
    ids.map((id) => ({ organizationId, id })),
  )
  const runs = new Map(found.flatMap((row) => (row ? [[row.id, row] as const] : [])))
  const tasks = await findTasks(deps, run, listTasks(definition, open))
  const cases = await selectCasesByIds(
    deps.db,
    toEval(run),
    open.map(({ caseId }) => caseId),
  )
  const until = performance.now() + maxTurnMilliseconds
  const of = toGraded(working)
  let [waiting, graded] = [0, 0]
  for (const result of open) {
    const evalCase = cases.get(result.caseId)
    if (!evalCase || turn.stopping.aborted || performance.now() > until) {
      waiting++
      continue
    }
    const next = await collect(working, {
      place: { run: of, definition, evalCase, trial: result.trial },
      result,
      runs,
      tasks,
    })
    if (!next || next.state === 'judging') waiting++
    if (!next) continue
    if (!(await store(working, [next]))) return { waiting, graded, isForPeople: false, isLost: true }
    graded++
  }
  const isAsked = ({ pending }: ResultRow) => Object.values(pending ?? {}).some((id) => tasks.get(id)?.state === 'open')
  const isForPeople = waiting > 0 && waiting === open.filter(isAsked).length
  return { waiting, graded, isForPeople, isLost: false }
}

const toWait = (run: LeasedEvalRun, hasProgress: boolean): number => {
  if (hasProgress) return 0
  return Math.min(maxWaitSeconds, minWaitSeconds * 2 ** Math.min(run.waits, 10))
}

/** One piece of work. Undefined if the run has ended, or its lease was lost. */
const workOnce = async (working: Working, turn: Turn<WorkOutcome>): Promise<WorkOutcome | undefined> => {
  const { deps, run } = working
  const collected = await collectOpen(working, turn)
  if (collected.isLost) return undefined
  const begun = await beginCases(working, turn, collected.waiting)
  if (begun.isLost) return undefined
  if (begun.isEnd && collected.waiting === 0) {
    await finishEvalRun(deps, run)
    return undefined
  }
  const hasProgress = begun.begun + collected.graded > 0 && !('agentId' in run.target && collected.graded === 0)
  const isForPeople = collected.isForPeople && begun.begun === 0 && collected.graded === 0
  const seconds = isForPeople ? peopleWaitSeconds : toWait(run, hasProgress)
  const dueAt = new Date(deps.clock.now().getTime() + seconds * 1_000)
  const waiting = isForPeople ? 'People grade its cases: each is a task.' : null
  return { dueAt, waits: hasProgress ? 0 : Math.min(run.waits + 1, maxWaits), waiting }
}

const fail = async ({ db, clock }: EvalDeps, run: LeasedEvalRun, reason: string): Promise<void> => {
  const { organizationId, id, lease } = toKey(run)
  await endEvalRun(db, { organizationId, id, state: 'failed', reason, now: clock.now() }, lease)
}

/** Decides what follows from a refusal: the run waits for a cap and for what is away, and fails for any other reason. */
const toPause = async (deps: EvalDeps, run: LeasedEvalRun, error: ApiError): Promise<WorkOutcome | undefined> => {
  const isTransient = error.kind === 'rate_limited' || (error.kind === 'unavailable' && run.waits < maxFailures)
  if (!isTransient) {
    await fail(deps, run, error.message)
    return undefined
  }
  const seconds = Math.min(error.retryAfterSeconds ?? toWait(run, false), maxPauseSeconds)
  const dueAt = new Date(deps.clock.now().getTime() + seconds * 1_000)
  return { dueAt, waits: run.waits + 1, waiting: error.message }
}

const runOnce = async (
  deps: EvalDeps,
  run: LeasedEvalRun,
  turn: Turn<WorkOutcome>,
): Promise<WorkOutcome | undefined> => {
  try {
    const until = new Date(deps.clock.now().getTime() + leaseSeconds * 1_000)
    if (!(await renewWork(deps.db, 'eval_runs', toKey(run), until))) return undefined
    const { viewer } = await findStarter(deps, run)
    const definition = await selectDefinition(deps.db, toEval(run), run.evalVersion)
    if (!definition) {
      await fail(deps, run, 'The eval was deleted.')
      return undefined
    }
    return await workOnce({ deps, run, definition, viewer }, turn)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return toPause(deps, run, error)
  }
}

/** Runs of evals as leased work. */
export const createEvalWork = (deps: EvalDeps): LeasedWork<LeasedEvalRun, WorkOutcome> => ({
  name: 'run evals',
  maxTurns: 4,
  maxTurnsOfOrganization: 1,
  leaseSeconds,
  maxKeys: 200,
  topic: 'evals:',
  isLocal: true,
  lease: (request) => leaseEvalRuns(deps.db, request),
  run: async (run, turn) => {
    const outcome = await runOnce(deps, run, turn)
    if (!outcome) return false
    await turn.storeOutcome(outcome)
    return outcome.waits === 0
  },
  storeOutcomes: (settlements) => storeWorkOutcomes(deps.db, 'eval_runs', settlements),
  dueKeys: (page) => selectDueKeys({ table: 'eval_runs', key: 'organization_id' }, page),
})
