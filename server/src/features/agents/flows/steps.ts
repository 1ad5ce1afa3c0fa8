import { hash } from 'node:crypto'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import { maxFlowLength, maxFlowSteps, type putStep, type Step } from '@noema/contracts/flows.ts'
import type { Clock } from '../../../shared/clock.ts'
import { flowsTopic, organizationTopic, runTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { conflict, invalidArgument, notFound } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import { readServiceVersion } from '../../../shared/service-version.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { toOutcomePart, toTaskPart, toToolCallPart } from '../parts/run-parts.ts'
import { type NewTask, type Settlement, storeRunOutcomes } from '../runs/outcome-queries.ts'
import type { RunStore } from '../runs/run-store.ts'
import { noSuchRun } from '../runs/runs.ts'
import type { Operation, RunKey } from '../runs/types.ts'
import {
  countStep,
  type EndedWait,
  type FlowRow,
  lockFlow,
  type StepRow,
  scheduleFlow,
  selectAnswered,
  selectStep,
  touchFlow,
} from './flow-queries.ts'

// Steps of the caller's own code, as operations of the journal of a run. The id of the operation comes from the key, so a key has one.

type Deps = { db: Db; clock: Clock; topics: Pick<Topics, 'publish'> }
type StoreDeps = Deps & { runs: Pick<RunStore, 'report'> }
type Given = BodyOutput<typeof putStep>

/** Which step of which run. */
export type StepKey = RunKey & { key: string }

/** The id of the operation of a key. */
const toOperationId = ({ id, key }: StepKey): string => `opr_0${hash('sha256', `${id} ${key}`, 'hex').slice(0, 25)}`

const toView = ({ id, key, status, input, output, error, taskId, createdAt, completedAt }: StepRow): Step => ({
  ...{ key, operationId: id, state: status },
  ...(input === null ? {} : { input }),
  ...(status === 'succeeded' ? { output } : {}),
  ...(error === null ? {} : { error }),
  ...(taskId === null ? {} : { taskId }),
  createdAt: createdAt.toISOString(),
  completedAt: completedAt?.toISOString() ?? null,
})

/** Refuses the run of an agent: the service takes its steps. */
export const refuseAgentRun = ({ flow }: Pick<FlowRow, 'flow'>): void => {
  if (flow === null)
    throw conflict('This is the run of an agent. Start a run of your own code to store its steps.', {
      code: 'not_a_flow',
    })
}

/** A step by its key. Throws where it was not stored yet. */
export const readStep = async ({ db }: Pick<Deps, 'db'>, key: StepKey): Promise<Step> => {
  const found = await selectStep(db, key, toOperationId(key))
  if (!found) throw notFound(`This run has no step ${JSON.stringify(key.key)} yet.`)
  return toView(found)
}

const noUse = { inputTokens: 0, outputTokens: 0, costNanodollars: 0, isCostKnown: true, steps: 0 }

const nothing = { ...{ begun: [], changed: [], messages: [], tasks: [], expiredTasks: [], parts: [] }, used: noUse }

type Stored = Partial<Pick<Settlement, 'begun' | 'tasks' | 'nextSequence'>> & { parts: readonly object[] }

/** Stores operations, tasks and parts of a run whose row is locked, and reports them. */
export const storeInFlow = async (tx: Tx, { organizationId, id }: RunKey, stored: Stored, now: Date): Promise<void> => {
  const parts = stored.parts.map((part) => ({ operationId: null, part: JSON.stringify(part) }))
  const run = { organizationId, id, lease: '' }
  await storeRunOutcomes(tx, [{ ...nothing, nextSequence: 0, ...stored, parts, run, now, isLocked: true }])
}

/** The parts of the stream for operations that people or the clock ended. */
export const toWaitParts = (ended: readonly EndedWait[], news: 'completed' | 'expired'): object[] =>
  ended.flatMap(({ id, output, taskId }) => [
    ...(taskId === null ? [] : [toTaskPart({ taskId, operationId: id, state: news })]),
    toOutcomePart(id, { output }),
  ])

const maxSleepMilliseconds = 365 * 86_400_000

const checkSleep = (until: string, now: Date): string => {
  const time = new Date(until)
  if (time.getTime() > now.getTime() + maxSleepMilliseconds)
    throw invalidArgument(['sleepUntil'], 'A step sleeps at most a year.')
  return time.toISOString()
}

/** When a step began: by the clock of its caller, within the time of the run. */
const toBeginning = ({ startedAt }: Given, { createdAt }: FlowRow, now: Date): Date => {
  const begun = startedAt === undefined ? now.getTime() : Date.parse(startedAt)
  return new Date(Math.min(now.getTime(), Math.max(createdAt.getTime(), begun)))
}

const blank = {
  ...{ attempt: 1, childRunId: null, callId: null, model: null, toolSchemaHash: null, knowledgeReadSubject: null },
  ...{ brainHandle: null, receipt: null, change: null, inputTokens: null, outputTokens: null, cacheReadTokens: null },
  ...{ cacheWriteTokens: null, reasoningTokens: null, costNanodollars: null, refusals: 0, step: 1 },
  ...{ producedMessageIds: [], consumedMessageIds: [], toolSourceKind: 'builtin', toolSourceId: 'noema' },
} satisfies Partial<Operation>

type Made = { operation: Operation; task: NewTask | undefined }

const toOutcome = (given: Given, now: Date): Pick<Operation, 'status' | 'input' | 'output' | 'error' | 'toolName'> => {
  const { input = null, output = null, error = null, ask, sleepUntil } = given
  if (ask) return { status: 'running', input: ask, output: null, error, toolName: 'ask_human' }
  if (sleepUntil !== undefined)
    return { status: 'running', input: { until: checkSleep(sleepUntil, now) }, output, error, toolName: 'sleep' }
  return { status: error === null ? 'succeeded' : 'failed', input, output, error, toolName: 'step' }
}

const toMade = (key: StepKey, given: Given, flow: FlowRow, now: Date): Made => {
  const outcome = toOutcome(given, now)
  const isOpen = outcome.status === 'running'
  const begun = isOpen ? now : toBeginning(given, flow, now)
  const taskId = given.ask ? newId('tsk', now) : null
  const operation: Operation = {
    ...{ ...blank, ...outcome, id: toOperationId(key), sequence: flow.nextSequence, type: 'tool_call', name: key.key },
    ...{ toolSourceVersionId: readServiceVersion(), taskId, createdAt: begun.toISOString() },
    completedAt: isOpen ? null : now.toISOString(),
    latencyMilliseconds: isOpen ? null : now.getTime() - begun.getTime(),
  }
  if (!given.ask || taskId === null) return { operation, task: undefined }
  const { question, options = null, expiresInSeconds } = given.ask
  const expiresAt = expiresInSeconds === undefined ? null : new Date(now.getTime() + expiresInSeconds * 1_000)
  return { operation, task: { id: taskId, operationId: operation.id, question, options, expiresAt } }
}

const toParts = ({ operation, task }: Made): object[] => {
  const { id: operationId, name: toolName, input, output, error, status } = operation
  return [
    toToolCallPart({ operationId, toolName, input }),
    ...(task ? [toTaskPart({ taskId: task.id, operationId, state: 'open' })] : []),
    ...(status === 'running' ? [] : [toOutcomePart(operationId, error === null ? { output } : { error })]),
  ]
}

const checkRoom = ({ steps, length }: FlowRow, added: number): void => {
  if (steps >= maxFlowSteps)
    throw conflict(`This run has ${maxFlowSteps} steps, which is the maximum. Go on in another one.`, {
      code: 'too_many_steps',
    })
  if (length + added > maxFlowLength)
    throw conflict(`The steps of a run have at most ${maxFlowLength} characters of JSON together.`, {
      code: 'too_many_steps',
    })
}

/** Stores a step, unless its key has one: then that one is the answer. The row of the run orders those that try at once. */
export const storeStep = async (
  deps: StoreDeps,
  key: StepKey,
  given: Given,
): Promise<{ step: Step; stored: boolean }> => {
  const { organizationId, id } = key
  const operationId = toOperationId(key)
  const { row, stored } = await deps.db.transaction().execute(async (tx) => {
    const flow = await lockFlow(tx, key)
    if (!flow) throw noSuchRun(id)
    refuseAgentRun(flow)
    const former = await selectStep(tx, key, operationId)
    if (former) return { row: former, stored: false }
    if (!flow.isOpen) throw conflict('This run has ended, so it has no further steps.', { code: 'run_ended' })
    const now = deps.clock.now()
    const made = toMade(key, given, flow, now)
    const length = JSON.stringify(given).length
    checkRoom(flow, length)
    const tasks = made.task ? [made.task] : []
    const nextSequence = flow.nextSequence + 1
    await storeInFlow(tx, key, { begun: [made.operation], tasks, parts: toParts(made), nextSequence }, now)
    await countStep(tx, key, length, now)
    await scheduleFlow(tx, key, now)
    return { row: await selectStep(tx, key, operationId), stored: true }
  })
  if (!row) throw noSuchRun(id)
  if (stored) {
    deps.topics.publish(runTopic(id))
    deps.topics.publish(organizationTopic(organizationId))
    if (row.status === 'running') deps.topics.publish(flowsTopic(organizationId))
    else deps.runs.report({ organizationId, runId: id, operationIds: [operationId], isRunOver: false })
  }
  return { step: toView(row), stored }
}

/** Lets a run go on whose question was answered, in the transaction of the answer. */
export const resumeFlow = async (tx: Tx, run: RunKey, operationId: string, now: Date): Promise<void> => {
  const answered = await selectAnswered(tx, run, operationId)
  if (answered) await storeInFlow(tx, run, { parts: toWaitParts([answered], 'completed') }, now)
  await touchFlow(tx, run, now)
  await scheduleFlow(tx, run, now)
}
