import { toOpeningParts, toOutcomePart, toTaskPart } from '../features/agents/parts/run-parts.ts'
import { selectSharedBudgets } from '../features/agents/runs/budget-queries.ts'
import type { Ending, Operation, StoredMessage } from '../features/agents/runs/types.ts'
import { createSemaphore } from '../shared/concurrency/semaphore.ts'
import { nanodollarsPerCent } from '../shared/nanodollars.ts'
import { isExpired } from './ask-person.ts'
import { callModel } from './call-model.ts'
import { type CallOutcome, callTool } from './call-tool.ts'
import { type Answer, createAnswerCheck, toRepairText } from './check-answer.ts'
import { isBuiltin } from './models/language-model.ts'
import type { ModelFailure } from './models/model-failure.ts'
import { isAwaited, type Plan, planStep, toStanding } from './plan-step.ts'
import { recordAnswer } from './record-answer.ts'
import type { RunState } from './run-state.ts'
import type { RuntimeDeps } from './runtime-deps.ts'
import { inOperation } from './spans/in-operation.ts'
import { listRunTools } from './tools/list-run-tools.ts'
import { type RunTool, ToolGone } from './tools/run-tool.ts'

// Work on one run: one thing after the other, each decided from the journal and stored before the next, until the run waits or
// ends, the node stops, or the lease is lost.

/** A run that this node works on. The functions below that return a boolean say whether to go on. */
type ActiveRun = {
  deps: RuntimeDeps
  state: RunState
  /** Aborts when the run has ended, or another node may work on it. */
  lost: AbortSignal
  stopping: AbortSignal
  /** Aborts when the run has been active for as long as it may. */
  late: AbortSignal
  /** Aborts with any of these. */
  signal: AbortSignal
  /** True if its model is built in: asking it again costs nothing. */
  isFree: boolean
  tools?: Promise<readonly RunTool[]>
}

const maxCallsAtOnce = 16
const maxRefusals = 3
const firstWaitMilliseconds = 1_000

const end = async ({ state }: ActiveRun, ending: Ending): Promise<false> => {
  if (ending.state === 'failed' && (ending.category === 'limit' || ending.category === 'timeout'))
    state.note('limit.reached', state.total.steps)
  await state.end(ending)
  return false
}

/** Gives the run back, to be leased again after so many milliseconds. */
const release = async ({ state }: ActiveRun, milliseconds = 0): Promise<false> => {
  state.tick()
  await state.storeOutcome({ dueAt: new Date(state.now.getTime() + milliseconds) })
  return false
}

/** The tools of a run, listed when they are first needed. */
const listTools = (active: ActiveRun): Promise<readonly RunTool[]> => {
  const { run, definition } = active.state
  active.tools ??= listRunTools(active.deps, {
    ...{ id: run.id, organizationId: run.organization, definition },
    isOfSystem: run.startedBy.type === 'system',
  })
  return active.tools
}

/** Decides whether to go on after a call was interrupted. */
const afterCut = (active: ActiveRun): Promise<boolean> | boolean => {
  if (active.lost.aborted) return false
  return active.stopping.aborted ? release(active) : active.late.aborted
}

/** Repeats a call of a model later, or fails the run if that does not help or was tried often enough. */
const afterFailure = (active: ActiveRun, operation: Operation, failure: ModelFailure): Promise<false> => {
  const { message, isRetryable, isPostponed, retryAfterSeconds } = failure
  const refusals = operation.refusals + (isPostponed ? 0 : 1)
  if (!isRetryable || refusals >= maxRefusals) {
    active.state.close(operation, { status: 'failed', error: message, refusals })
    return end(active, { state: 'failed', category: failure.category, reason: message })
  }
  active.state.change(operation, { refusals, error: message })
  const wait = firstWaitMilliseconds * 2 ** (2 * Math.max(0, refusals - 1)) * (1 + Math.random() / 2)
  return release(active, Math.max(wait, (retryAfterSeconds ?? 0) * 1000))
}

const beginStep = (state: RunState): Operation => {
  const step = state.total.steps + 1
  state.use({ steps: 1 })
  state.stream(toOpeningParts(state.run.id, step))
  return state.begin({
    ...{ type: 'llm_call', name: 'chat', step, model: state.definition.model },
    consumedMessageIds: state.messages.map(({ id }) => id),
  })
}

/** The limit of a run above that all of its runs together have reached. The cost of an open run counts. */
const findSpentLimit = async ({ deps, state }: ActiveRun): Promise<number | undefined> => {
  const { organization: organizationId, id, parentRunId } = state.run
  if (parentRunId === null) return undefined
  const budgets = await selectSharedBudgets(deps.keyedDb, { organizationId, id })
  const own = state.total.costNanodollars
  return budgets.find((one) => one.spentNanodollars + own >= one.maxCostCents * nanodollarsPerCent)?.maxCostCents
}

const ask = async (active: ActiveRun, operationId: string | undefined): Promise<boolean> => {
  const { deps, state, signal, isFree } = active
  const spent = await findSpentLimit(active)
  if (spent !== undefined) {
    const reason = `It and the other runs of its tree cost as much as the agent of a run above may spend, which is ${spent} cents.`
    return end(active, { state: 'failed', category: 'limit', reason })
  }
  const operation = state.operations.find(({ id }) => id === operationId) ?? beginStep(state)
  const tools = await listTools(active)
  if (operationId === undefined && isFree) state.storeSoon()
  else if (!(await state.storeOutcome())) return false
  const outcome = await inOperation(deps, state.run, operation.id, () =>
    callModel(deps.openModel, { state, operation, tools, signal }),
  )
  state.tick()
  switch (outcome.type) {
    case 'cut':
      return afterCut(active)
    case 'failed':
      return afterFailure(active, operation, outcome.failure)
    case 'missing':
      state.close(operation, { status: 'failed', error: outcome.reason })
      return end(active, { state: 'failed', category: 'validation', reason: outcome.reason })
    case 'said':
      await recordAnswer(deps.db, state, { operation, said: outcome.said, tools })
      return true
  }
}

/** Makes calls in parallel. The result of each is stored at once while others go on. */
const callAll = async (active: ActiveRun, operations: readonly Operation[]): Promise<CallOutcome[]> => {
  const { deps, state, signal } = active
  const tools = await listTools(active)
  const isFew = operations.length <= maxCallsAtOnce
  const inTurn = isFew ? <Result>(make: () => Result) => make() : createSemaphore(maxCallsAtOnce).run
  let left = operations.length
  const call = async (operation: Operation): Promise<CallOutcome> => {
    const outcome = await inOperation(deps, state.run, operation.id, () =>
      callTool(deps, { state, operation, tools }, signal),
    )
    left--
    const isStored = outcome.type !== 'called' || left === 0 || (await state.storeOutcome())
    return isStored ? outcome : { type: 'cut' }
  }
  const results = await Promise.allSettled(operations.map((operation) => inTurn(() => call(operation))))
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

/** True if calls only read, none of them for the second time. */
const areReads = async (active: ActiveRun, operations: readonly Operation[]): Promise<boolean> => {
  const tools = await listTools(active)
  return operations.every(({ name, attempt }) => attempt === 1 && tools.find((tool) => tool.name === name)?.isRead)
}

/**
 * Makes calls, once their beginning is stored. Reads do not wait for that; if the model's answer cost nothing either, both are
 * stored with the next changes. Undefined if the run has lost its lease.
 */
const storeAndCall = async (active: ActiveRun, operations: readonly Operation[]) => {
  const { state, isFree } = active
  const isRead = await areReads(active, operations)
  if (isRead && isFree) {
    state.storeSoon()
    return callAll(active, operations)
  }
  const stored = state.storeOutcome()
  if (!isRead && !(await stored)) return undefined
  const [isStored, outcomes] = await Promise.all([stored, callAll(active, operations)])
  return isStored ? outcomes : undefined
}

const call = async (active: ActiveRun, operationIds: readonly string[]): Promise<boolean> => {
  const operations = active.state.operations.filter(({ id }) => operationIds.includes(id))
  const outcomes = await storeAndCall(active, operations)
  if (outcomes === undefined) return false
  const ended = outcomes.find((outcome) => outcome.type === 'end')
  if (ended) return end(active, ended.ending)
  if (outcomes.some(({ type }) => type === 'cut')) return afterCut(active)
  const waits = outcomes.flatMap((outcome) => (outcome.type === 'postponed' ? [outcome.seconds] : []))
  return waits.length === 0 || release(active, Math.max(...waits) * 1_000)
}

/** Streams the result of an operation that a person or another run ended. */
const streamAwaited = (state: RunState, { id, taskId, output, error }: Operation): void => {
  if (taskId !== null) {
    const news = isExpired(output) ? ('expired' as const) : ('completed' as const)
    state.stream([toTaskPart({ taskId, operationId: id, state: news })])
  }
  state.stream([toOutcomePart(id, error === null ? { output } : { error })])
}

/** The maximum of all results of one step, in characters of JSON: a single one is cut by its tool. */
const maxResultsLength = 2 * 1024 * 1024

const cutResult = (result: unknown, maxLength: number): unknown => {
  const text = JSON.stringify(result) ?? 'null'
  if (text.length <= maxLength) return result
  const note = `This is the beginning of a result of ${text.length} characters, cut here: there are many in this step.`
  return { truncated: true, note, beginning: text.slice(0, Math.floor(maxLength / 2)) }
}

/** Reports the results of its calls to the model, in the order of the calls. */
const report = ({ state }: ActiveRun, operationIds: readonly string[]): true => {
  const operations = state.operations.filter(({ id }) => operationIds.includes(id))
  for (const operation of operations) if (isAwaited(operation)) streamAwaited(state, operation)
  const maxLength = Math.floor(maxResultsLength / operations.length)
  const parts = operations.map(({ id, name, output, error }) => ({
    ...{ type: 'tool-result' as const, toolCallId: id, toolName: name, isError: error !== null },
    output: cutResult(error ?? output, maxLength) as string | null,
  }))
  const last = operations.at(-1)
  if (!last) return true
  const message = state.say('tool', parts, last.id)
  // Unstored operations take it along; the message's own row names the others that it reports.
  for (const operation of operations) operation.producedMessageIds = [message.id]
  return true
}

const follow = async (active: ActiveRun, plan: Plan, answer: Answer | undefined): Promise<boolean> => {
  const { state } = active
  switch (plan.type) {
    case 'end':
      return end(active, plan.ending)
    case 'complete':
      return end(active, { state: 'completed', output: answer && 'output' in answer ? answer.output : null })
    case 'ask':
      return ask(active, plan.operationId)
    case 'call':
      return call(active, plan.operationIds)
    case 'report':
      return report(active, plan.operationIds)
    case 'repair': {
      const text = toRepairText(answer && 'problem' in answer ? answer.problem : '')
      state.say('user', [{ type: 'text', text }], state.messages.at(-1)?.operationId ?? '')
      return true
    }
    case 'wait':
      await state.park()
      return false
  }
}

/** Takes a run as far as it goes now. */
export const advanceRun = async (given: Pick<ActiveRun, 'deps' | 'state' | 'lost' | 'stopping'>): Promise<void> => {
  const { state, lost, stopping } = given
  const { limits, model } = state.definition
  const late = AbortSignal.timeout(Math.max(1, Math.ceil(limits.timeoutSeconds * 1000 - state.run.activeMilliseconds)))
  const signal = AbortSignal.any([lost, stopping, late])
  const active: ActiveRun = { ...given, late, signal, isFree: isBuiltin(model) }
  let checkAnswer: ReturnType<typeof createAnswerCheck> | undefined
  const findAnswer = (last: StoredMessage | undefined) => {
    if (last?.role !== 'assistant' || last.operationId === null) return undefined
    checkAnswer ??= createAnswerCheck(given.deps.outputChecks, state)
    return checkAnswer(last)
  }
  const step = async (): Promise<boolean> => {
    if (stopping.aborted) return release(active)
    const activeMilliseconds = late.aborted ? Number.POSITIVE_INFINITY : state.activeMilliseconds
    const answer = await findAnswer(state.messages.at(-1))
    return follow(active, planStep(toStanding(state, { activeMilliseconds, answer })), answer)
  }
  try {
    let goesOn = true
    while (goesOn && !lost.aborted) goesOn = await step()
  } catch (error) {
    if (!(error instanceof ToolGone)) throw error
    await end(active, { state: 'failed', category: 'tool', reason: error.message })
  } finally {
    state.stop()
  }
}
