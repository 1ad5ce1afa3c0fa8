import { randomUUID } from 'node:crypto'
import type { AuditAction } from '@noema/contracts/audit.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { createGoal, Goal, GoalAttempt, GoalBudget, GoalState, patchGoal } from '@noema/contracts/goals.ts'
import type { Limits } from '../../../config/config.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { goalsTopic, organizationTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import { nanodollarsPerCent } from '../../../shared/nanodollars.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { archivedAgent, findAgent, unknownAgent } from '../../agents/agents/agents.ts'
import type { OutputChecks } from '../../agents/agents/output-checks.ts'
import { addConversation } from '../../agents/conversations/conversations.ts'
import { expireTaskOfGoal } from '../../agents/runs/goal-task-queries.ts'
import type { RunStore } from '../../agents/runs/run-store.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import { endPage, type List, openPage, type PageQuery } from '../../platform/cursors/cursors.ts'
import { pinGraders } from '../eval-runs/pin.ts'
import { checkGraders, checkPatterns } from '../evals/definitions.ts'
import { findExhausted } from './decide.ts'
import { endAttempts } from './end-attempts.ts'
import { checkValues } from './goal-criteria.ts'
import {
  continueBlocked as continueRow,
  countOpenGoals,
  type GoalChange,
  insertGoal,
  selectAttempts,
  selectGoal,
  selectGoals,
  updateGoal,
} from './goal-queries.ts'
import type { AttemptRow, GoalKey, GoalRow } from './types.ts'

// Goals are made and changed here; `pursue-goals.ts` works on them. A change takes the lease of a node that works on one.

type Deps = {
  db: Db
  keyedDb: Db
  clock: Clock
  limits: Pick<Limits, 'goals' | 'conversations'>
  outputChecks: Pick<OutputChecks, 'checkSchema' | 'checkPattern'>
  topics: Pick<Topics, 'publish'>
  runs: Pick<RunStore, 'end'>
}

/** The caller, and the person from whom some Brains are hidden. */
type Acting = { organizationId: string; by: Actor; viewer: Viewer }
type ActingOn = GoalKey & { by: Actor }

/** The refusal of an id that no goal of the organization has. */
export const noSuchGoal = (id: string) => notFound(`This organization has no goal ${JSON.stringify(id)}.`)

const toCents = (nanodollars: number): number => nanodollars / nanodollarsPerCent

const toState = ({ state, isWaiting }: GoalRow): GoalState => (isWaiting ? 'waiting' : state)

const toView = (row: GoalRow): Goal => {
  const { id, agentId, objective, criteria, budget, conversationId, attempts, bestScore, reason, runId, taskId } = row
  return {
    ...{ id, agentId, objective, criteria, budget, state: toState(row), conversationId, attempts, bestScore },
    ...(reason === null ? {} : { reason }),
    costCents: toCents(row.costNanodollars),
    ...(runId === null ? {} : { runId }),
    ...(taskId === null ? {} : { taskId }),
    createdBy: summarizeActor(row.createdBy),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
  }
}

const find = async (db: Queryable, key: GoalKey, options?: { lock: boolean }): Promise<GoalRow> => {
  const row = await selectGoal(db, key, options)
  if (!row) throw noSuchGoal(key.id)
  return row
}

/** A goal as answers show it. */
export const readGoal = async ({ db }: Pick<Deps, 'db'>, key: GoalKey): Promise<Goal> => toView(await find(db, key))

/** The audit log's entry of an act on a goal: its agent, state and budget, and none of its texts. */
const audit = (
  tx: Tx,
  { organizationId, id, by }: ActingOn,
  action: AuditAction,
  after: Readonly<Record<string, unknown>>,
  at: Date,
) => addAudit(tx, { organizationId, by, action, target: { type: 'goal', id }, after }, at)

const toBudget = ({ runs, costCents, until }: NonNullable<BodyOutput<typeof createGoal>['budget']>): GoalBudget => ({
  runs,
  ...(costCents === undefined ? {} : { costCents }),
  ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
})

const maxTitle = 100

const checkMaximum = async (tx: Tx, { limits }: Pick<Deps, 'limits'>, organizationId: string): Promise<void> => {
  const { max } = limits.goals
  if ((await countOpenGoals(tx, organizationId)) >= max)
    throw conflict(`This organization has ${max} goals that have not ended, which is the maximum. Abandon one.`, {
      code: 'too_many_goals',
    })
}

/** Makes a goal, with the conversation of its attempts. */
export const makeGoal = async (deps: Deps, acting: Acting, given: BodyOutput<typeof createGoal>): Promise<Goal> => {
  const { organizationId, by, viewer } = acting
  const { agentId, objective, criteria } = given
  checkValues(criteria)
  await checkPatterns(deps.outputChecks, organizationId, criteria, 'criteria')
  const goal = await deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, by, { organizationId })
    const agent = await findAgent(tx, organizationId, agentId, { lock: true, viewer })
    if (!agent) throw unknownAgent(['agentId'], agentId)
    if (agent.archivedAt !== null) throw archivedAgent()
    const place = { db: tx, organizationId, viewer }
    await checkGraders(place, criteria, { agentId }, 'criteria')
    const pinned = { seed: randomUUID(), ...(await pinGraders(place, criteria, 'criteria')) }
    await checkMaximum(tx, deps, organizationId)
    const title = `Goal: ${objective.slice(0, maxTitle)}`
    const { id: conversationId } = await addConversation(tx, deps, { organizationId, createdBy: by, agentId, title })
    const createdAt = deps.clock.now()
    const [id, budget] = [newId('gol', createdAt), toBudget(given.budget)]
    const named = { organizationId, id, agentId, conversationId, objective, criteria, budget }
    await insertGoal(tx, { ...named, pinned, createdBy: by, createdAt })
    await audit(tx, { organizationId, id, by }, 'goal.created', { agentId, budget }, createdAt)
    return find(tx, { organizationId, id })
  })
  deps.topics.publish(goalsTopic(organizationId))
  return toView(goal)
}

/** A page of an organization's goals. It ends early where they are long. */
export const listGoalPage = async (
  { db }: Pick<Deps, 'db'>,
  organizationId: string,
  { list, query, filter }: { list: List<string>; query: PageQuery; filter: Parameters<typeof selectGoals>[2] },
) => {
  const page = await openPage(list, query)
  const read = await selectGoals(db, organizationId, filter, { ...query, after: page.after })
  const goals = read.rows.map(toView)
  return { goals, cursor: endPage(page, goals.at(-1)?.id), hasMore: read.found > goals.length }
}

const toAttempt = (row: AttemptRow): GoalAttempt => ({
  ...{
    number: row.number,
    runId: row.runId,
    state: row.state,
    passed: row.passed,
    score: row.score,
    grades: row.grades,
  },
  ...(row.error === null ? {} : { error: row.error }),
  costCents: toCents(row.costNanodollars),
  milliseconds: row.milliseconds,
  createdAt: row.createdAt.toISOString(),
  completedAt: row.completedAt?.toISOString() ?? null,
})

/** A page of the attempts of a goal. It ends early where their grades are long. */
export const listAttemptPage = async (
  { db }: Pick<Deps, 'db'>,
  key: GoalKey,
  { list, query }: { list: List<number>; query: PageQuery },
) => {
  await find(db, key)
  const page = await openPage(list, query)
  const read = await selectAttempts(db, key, { ...query, after: page.after })
  const attempts = read.rows.map(toAttempt)
  return { attempts, cursor: endPage(page, attempts.at(-1)?.number), hasMore: read.found > attempts.length }
}

const endedGoal = (state: string) =>
  conflict(`This goal is ${state}, so it does not go on. Make another one.`, { code: 'goal_ended' })

/** Changes a goal under its lock. `toChange` answers undefined to leave it as it is. */
const change = async (
  deps: Deps,
  acting: ActingOn,
  action: AuditAction,
  toChange: (row: GoalRow, now: Date) => Omit<GoalChange, 'now'> | undefined,
): Promise<Goal> => {
  const { row, isDue } = await deps.db.transaction().execute(async (tx) => {
    const former = await find(tx, acting, { lock: true })
    const now = deps.clock.now()
    const changed = toChange(former, now)
    if (!changed) return { row: former, isDue: false }
    if (former.completedAt !== null && changed.state === 'active') await checkMaximum(tx, deps, acting.organizationId)
    await updateGoal(tx, acting, { ...changed, now })
    const { taskId } = former
    if (taskId !== null && changed.state !== 'blocked')
      await expireTaskOfGoal(tx, { ...acting, taskId, goalId: acting.id }, now)
    const { state, budget } = changed
    await audit(tx, acting, action, { state, ...(budget ? { budget } : {}) }, now)
    return { row: await find(tx, acting), isDue: state === 'active' }
  })
  if (isDue) deps.topics.publish(goalsTopic(acting.organizationId))
  deps.topics.publish(organizationTopic(acting.organizationId))
  return toView(row)
}

type Patch = BodyOutput<typeof patchGoal>['budget']

const patchBudget = (former: GoalBudget, { runs = former.runs, costCents, until }: Patch): GoalBudget =>
  toBudget({
    runs,
    costCents: costCents === null ? undefined : (costCents ?? former.costCents),
    until: until === null ? undefined : (until ?? former.until),
  })

/** Changes the budget of a goal. An exhausted one goes on if that allows it. */
export const changeBudget = (deps: Deps, acting: ActingOn, given: Patch): Promise<Goal> =>
  change(deps, acting, 'goal.changed', (row, now) => {
    if (row.state === 'met' || row.state === 'abandoned') throw endedGoal(row.state)
    const budget = patchBudget(row.budget, given)
    const goesOn = row.state === 'exhausted' && findExhausted({ ...row, budget }, now) === undefined
    return { state: goesOn ? 'active' : row.state, reason: goesOn ? null : row.reason, budget }
  })

/** Pauses a goal; one that is paused stays as it is. */
export const pauseGoal = (deps: Deps, acting: ActingOn): Promise<Goal> =>
  change(deps, acting, 'goal.paused', ({ state, completedAt }) => {
    if (completedAt !== null) throw endedGoal(state)
    return state === 'paused' ? undefined : { state: 'paused' }
  })

/** Lets a goal go on, which may tell the next attempt something. */
export const resumeGoal = (deps: Deps, acting: ActingOn, advice: string | undefined): Promise<Goal> =>
  change(deps, acting, 'goal.resumed', ({ state, completedAt }) => {
    if (completedAt !== null) throw endedGoal(state)
    if (state === 'active' && advice === undefined) return undefined
    return { state: 'active', ...(advice === undefined ? {} : { advice }) }
  })

/** Abandons a goal; one that has ended stays as it is. */
export const abandonGoal = async (deps: Deps, acting: ActingOn): Promise<Goal> => {
  const goal = await change(deps, acting, 'goal.abandoned', ({ completedAt }) =>
    completedAt === null ? { state: 'abandoned' } : undefined,
  )
  // Also after an earlier call that a crash cut off.
  if (goal.state === 'abandoned') await endAttempts(deps, acting)
  return goal
}

/** Lets a goal that is blocked go on with the answer to its task, in the transaction of that answer. */
export const continueBlocked = (tx: Tx, goal: GoalKey & { advice: string }, now: Date): Promise<boolean> =>
  continueRow(tx, goal, now)
