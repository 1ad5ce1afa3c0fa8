import type { LeasedWork, Turn } from '../../../shared/concurrency/leased-work.ts'
import { organizationTopic } from '../../../shared/concurrency/topics.ts'
import { ApiError } from '../../../shared/errors.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import { storeWorkOutcomes, type WorkOutcome } from '../../../storage/organization-work-queries.ts'
import { askForGoal } from '../../agents/runs/goal-task-queries.ts'
import { selectRunsAt } from '../../agents/runs/run-queries.ts'
import type { RunStore } from '../../agents/runs/run-store.ts'
import { startRun } from '../../agents/runs/start-run.ts'
import type { RunRow } from '../../agents/runs/types.ts'
import { type AgentDeps, findAgentError, readAgentAnswer } from '../eval-runs/agent-case.ts'
import { finishJudging, type GradeDeps, gradeCase, type Place, toFailed } from '../eval-runs/grade-case.ts'
import { findStarter } from '../eval-runs/starter.ts'
import type { ResultRow } from '../eval-runs/types.ts'
import { listFailures, toAttemptInput } from './attempt-input.ts'
import {
  insertAttempt,
  selectAttempt,
  selectBrainsOfGoal,
  stopGoal,
  storeAttempt,
  storeJudging,
  type Verdict,
} from './attempt-queries.ts'
import { decide, findExhausted } from './decide.ts'
import { endIfAbandoned, findStartedRun, toAttemptKey, toSender } from './end-attempts.ts'
import { reportGoal } from './goal-events.ts'
import { leaseGoals } from './lease-queries.ts'
import type { AttemptRow, HeldGoal, LeasedGoal } from './types.ts'

// Works on goals, one step in each turn: an attempt is begun, or one that has ended is graded and decided on. The run of an attempt has
// the goal and its number as its key, so that a node that takes over finds it; its grades and what follows commit together.

export type GoalDeps = GradeDeps & AgentDeps & { runs: Pick<RunStore, 'end'> }

const leaseSeconds = 60
const minWaitSeconds = 1
const maxWaitSeconds = 60
const maxPauseSeconds = 300

class LostLease extends Error {}

const toKey = ({ organization, id, lease }: LeasedGoal): HeldGoal => ({ organizationId: organization, id, lease })

const toPlace = (deps: GoalDeps, goal: LeasedGoal, number: number): Place => ({
  run: {
    ...{ organization: goal.organization, id: goal.id, startedBy: goal.createdBy, pinned: goal.pinned },
    partOf: toSender(goal.id),
    metadata: { goalId: goal.id },
    findBrains: () => selectBrainsOfGoal(deps.db, toKey(goal)),
  },
  definition: { graders: goal.criteria },
  evalCase: { id: goal.id, input: goal.objective },
  trial: number,
})

const wait = ({ clock }: GoalDeps, { waits }: LeasedGoal): WorkOutcome => {
  const seconds = Math.min(maxWaitSeconds, minWaitSeconds * 2 ** Math.min(waits, 10))
  return { dueAt: new Date(clock.now().getTime() + seconds * 1_000), waits: waits + 1, waiting: null }
}

const startAttempt = async (deps: GoalDeps, goal: LeasedGoal, number: number): Promise<string> => {
  const key = { organizationId: goal.organization, id: goal.id }
  const last = await selectAttempt(deps.db, toKey(goal), number - 1)
  try {
    const { run } = await startRun(deps, {
      ...{ organizationId: goal.organization, actor: goal.createdBy, agentId: goal.agentId, partOf: toSender(goal.id) },
      ...{ conversationId: goal.conversationId, input: toAttemptInput(goal, last) },
      idempotencyKey: toAttemptKey(number),
      metadata: { goalId: goal.id, attempt: number },
    })
    return run.id
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'idempotency_key_reused') throw error
    // The goal was changed after it was started.
    const started = await findStartedRun(deps, key, number)
    if (started === undefined) throw error
    return started
  }
}

const begin = async (deps: GoalDeps, goal: LeasedGoal): Promise<WorkOutcome | undefined> => {
  const now = deps.clock.now()
  const exhausted = findExhausted(goal, now)
  if (exhausted !== undefined) {
    await stop(deps, goal, 'exhausted', exhausted)
    return undefined
  }
  const number = goal.attempts + 1
  const runId = await startAttempt(deps, goal, number)
  if (!(await insertAttempt(deps.db, toKey(goal), { number, runId, now }))) {
    await endIfAbandoned(deps, toKey(goal))
    return undefined
  }
  return wait(deps, { ...goal, waits: 0 })
}

const maxAsked = 4_000

const toQuestion = ({ objective }: LeasedGoal, result: ResultRow): string =>
  [
    'The last three attempts at this goal made no progress. How should the next one go on? It gets your answer.',
    `\nThe goal:\n${objective.slice(0, maxAsked)}`,
    `\nWhat failed:\n${listFailures(result).slice(0, maxAsked)}`,
  ].join('\n')

/** Stores a graded attempt with what follows from it, in one transaction under the lease. */
const settle = async (deps: GoalDeps, goal: LeasedGoal, attempt: AttemptRow, result: ResultRow): Promise<void> => {
  const { number, runId } = attempt
  const { organization: organizationId, id, agentId } = goal
  const decided = decide(goal, result, deps.clock.now())
  await deps.db.transaction().execute(async (tx) => {
    const now = deps.clock.now()
    const asked = { organizationId, goalId: id, runId, agentId, question: toQuestion(goal, result) }
    const taskId = decided.state === 'blocked' ? await askForGoal(tx, asked, now) : null
    const verdict: Verdict = { ...decided, taskId }
    // Nothing is asked and reported if the lease was lost.
    if (!(await storeAttempt(tx, toKey(goal), { number, result, verdict, now }))) throw new LostLease()
    if (verdict.state !== 'active') await reportGoal(tx, { organizationId, id, agentId, runId }, verdict.state, now)
  })
  deps.topics.publish(organizationTopic(organizationId))
}

/** The result of an attempt whose runs have ended; undefined if some go on. */
const collect = async (
  deps: GoalDeps,
  place: Place,
  { attempt, runs }: { attempt: AttemptRow; runs: ReadonlyMap<string, RunRow> },
): Promise<ResultRow | undefined> => {
  const result: ResultRow = { ...attempt, caseId: place.evalCase.id, trial: attempt.number, receipts: null }
  if (attempt.state === 'judging') {
    const isOpen = Object.values(attempt.pending ?? {}).some((id) => runs.get(id)?.completedAt === null)
    return isOpen ? undefined : finishJudging(deps, place, { result, judges: runs })
  }
  const run = runs.get(attempt.runId)
  if (run?.completedAt === null) return undefined
  const { runId } = attempt
  const error = findAgentError(run)
  if (!run || error !== undefined)
    return toFailed(place, error ?? '', { runId, costNanodollars: run?.costNanodollars ?? 0 })
  const { viewer } = await findStarter(deps, place.run)
  const readsItems = place.definition.graders.some(({ type }) => ['found', 'not_found', 'cited'].includes(type))
  const answer = await readAgentAnswer(deps, run, { viewer, readsItems })
  return gradeCase(deps, place, answer, { runId, receipts: null })
}

const goOn = async (deps: GoalDeps, goal: LeasedGoal, attempt: AttemptRow): Promise<WorkOutcome | undefined> => {
  const ids = attempt.state === 'judging' ? Object.values(attempt.pending ?? {}) : [attempt.runId]
  const keys = ids.map((id) => ({ organizationId: goal.organization, id }))
  const found = await selectRunsAt(deps.keyedDb, keys)
  const runs = new Map(found.flatMap((row) => (row ? [[row.id, row] as const] : [])))
  const result = await collect(deps, toPlace(deps, goal, attempt.number), { attempt, runs })
  if (!result) return wait(deps, goal)
  if (result.state === 'judging') {
    if (await storeJudging(deps.db, toKey(goal), { number: attempt.number, result }))
      return wait(deps, { ...goal, waits: 0 })
    await endIfAbandoned(deps, toKey(goal))
    return undefined
  }
  await settle(deps, goal, attempt, result)
  return undefined
}

const stop = async (
  deps: GoalDeps,
  goal: LeasedGoal,
  state: 'paused' | 'exhausted' | 'abandoned',
  reason: string,
): Promise<void> => {
  const now = deps.clock.now()
  const last = await selectAttempt(deps.db, toKey(goal), goal.attempts)
  const { organization: organizationId, id, agentId } = goal
  await deps.db.transaction().execute(async (tx) => {
    const isStopped = await stopGoal(tx, toKey(goal), { state, reason, now })
    if (isStopped && state === 'exhausted')
      await reportGoal(tx, { organizationId, id, agentId, runId: last?.runId ?? '' }, state, now)
  })
  deps.topics.publish(organizationTopic(organizationId))
}

const lostAccess = 'The access of the person or key that created this goal has ended.'

/** Decides what follows from a refusal: the goal waits for a cap and for what is away, and stops for any other reason. */
const toPause = async (deps: GoalDeps, goal: LeasedGoal, error: ApiError): Promise<WorkOutcome | undefined> => {
  if (error.kind !== 'rate_limited' && error.kind !== 'unavailable') {
    if (error.kind === 'forbidden') await stop(deps, goal, 'abandoned', lostAccess)
    else await stop(deps, goal, 'paused', error.message)
    return undefined
  }
  const seconds = Math.min(error.retryAfterSeconds ?? minWaitSeconds * 2 ** Math.min(goal.waits, 10), maxPauseSeconds)
  const dueAt = new Date(deps.clock.now().getTime() + seconds * 1_000)
  return { dueAt, waits: goal.waits + 1, waiting: error.message }
}

const workOnce = async (deps: GoalDeps, goal: LeasedGoal): Promise<WorkOutcome | undefined> => {
  try {
    await findStarter(deps, { organization: goal.organization, startedBy: goal.createdBy })
    const attempt = await selectAttempt(deps.db, toKey(goal), goal.attempts)
    return await (attempt && attempt.state !== 'done' ? goOn(deps, goal, attempt) : begin(deps, goal))
  } catch (error) {
    if (error instanceof LostLease) return undefined
    if (!(error instanceof ApiError)) throw error
    return toPause(deps, goal, error)
  }
}

const workOn = async (deps: GoalDeps, goal: LeasedGoal, turn: Turn<WorkOutcome>): Promise<boolean> => {
  const outcome = await workOnce(deps, goal)
  if (outcome) await turn.storeOutcome(outcome)
  // One that goes on at once is due already.
  return outcome === undefined
}

/** Goals as leased work. */
export const createGoalWork = (deps: GoalDeps): LeasedWork<LeasedGoal, WorkOutcome> => ({
  name: 'pursue goals',
  maxTurns: 4,
  maxTurnsOfOrganization: 1,
  leaseSeconds,
  maxKeys: 200,
  topic: 'goals:',
  isLocal: true,
  lease: (request) => leaseGoals(deps.db, request),
  run: (goal, turn) => workOn(deps, goal, turn),
  storeOutcomes: (settlements) => storeWorkOutcomes(deps.db, 'goals', settlements, 'reason'),
  dueKeys: (page) => selectDueKeys({ table: 'goals', key: 'organization_id' }, page),
})
