import { toOpeningParts, toOutcomePart, toTaskPart } from '../features/agents/parts/run-parts.ts'
import type { Ending, Operation } from '../features/agents/runs/types.ts'
import { createSemaphore } from '../shared/concurrency/semaphore.ts'
import { isExpired } from './ask-person.ts'
import { callModel } from './call-model.ts'
import { type CallOutcome, callTool } from './call-tool.ts'
import { findAnswer, toRepairText, wasRepaired } from './check-answer.ts'
import { isBuiltin } from './models/language-model.ts'
import type { ModelFailure } from './models/model-failure.ts'
import { isAwaited, type Plan, planStep, type Standing } from './plan-step.ts'
import { recordAnswer } from './record-answer.ts'
import type { RunState } from './run-state.ts'
import { inOperation } from './spans/in-operation.ts'
import { type RunTool, ToolGone } from './tools/run-tool.ts'
import type { TurnDeps } from './turn-deps.ts'

// A turn of a run: one thing after the other, each decided from the journal and stored before the next, until the run waits or
// ends, its node stops, or its lease is lost.

/** A turn under way. Each of its steps answers whether the turn goes on. */
type Turn = {
  deps: TurnDeps
  state: RunState
  /** Aborts when the run has ended, or another node may work on it. */
  lost: AbortSignal
  stopping: AbortSignal
  tools(): Promise<readonly RunTool[]>
}

const maxCallsAtOnce = 16
const maxRefusals = 3
const firstWaitMilliseconds = 1_000

const end = async ({ state }: Turn, ending: Ending): Promise<false> => {
  if (ending.state === 'failed' && (ending.category === 'limit' || ending.category === 'timeout'))
    state.note('limit.reached', state.total.steps)
  await state.end(ending)
  return false
}

/** Gives the run back, to be leased again after so many milliseconds. */
const release = async ({ state }: Turn, milliseconds = 0): Promise<false> => {
  await state.settle({ dueAt: new Date(state.now().getTime() + milliseconds) })
  return false
}

/** Signals that end a call: the turn's own, and the end of the run's time. */
const boundCall = ({ lost, stopping, state }: Turn) => {
  const late = AbortSignal.timeout(Math.max(1, Math.ceil(state.millisecondsLeft())))
  return { signal: AbortSignal.any([lost, stopping, late]), late }
}

/** What follows where a call was cut off. */
const afterCut = (turn: Turn, late: AbortSignal): Promise<boolean> | boolean => {
  if (turn.lost.aborted) return false
  return turn.stopping.aborted ? release(turn) : late.aborted
}

/** Asks again later, or fails the run where that does not help or was tried often enough. */
const afterFailure = (turn: Turn, operation: Operation, failure: ModelFailure): Promise<false> => {
  const { message, isRetryable, isPostponed, retryAfterSeconds, category } = failure
  const refusals = operation.refusals + (isPostponed ? 0 : 1)
  if (!isRetryable || refusals >= maxRefusals) {
    turn.state.close(operation, { status: 'failed', error: message, refusals })
    return end(turn, { state: 'failed', category, reason: message })
  }
  turn.state.change(operation, { refusals, error: message })
  const wait = firstWaitMilliseconds * 2 ** (2 * Math.max(0, refusals - 1)) * (1 + Math.random() / 2)
  return release(turn, Math.max(wait, (retryAfterSeconds ?? 0) * 1000))
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

const ask = async (turn: Turn, operationId: string | undefined): Promise<boolean> => {
  const { deps, state } = turn
  const operation = state.operations.find(({ id }) => id === operationId) ?? beginStep(state)
  const tools = await turn.tools()
  if (operationId === undefined && isBuiltin(state.definition.model)) state.settleSoon()
  else if (!(await state.settle())) return false
  const { signal, late } = boundCall(turn)
  const outcome = await inOperation(deps, state.run, operation.id, () =>
    callModel(deps.openModel, { state, operation, tools, signal }),
  )
  switch (outcome.type) {
    case 'cut':
      return afterCut(turn, late)
    case 'failed':
      return afterFailure(turn, operation, outcome.failure)
    case 'missing':
      state.close(operation, { status: 'failed', error: outcome.reason })
      return end(turn, { state: 'failed', category: 'validation', reason: outcome.reason })
    case 'said':
      await recordAnswer(state, { operation, said: outcome.said, tools })
      return true
  }
}

/** Makes calls side by side. What ends while others go on is stored at once. */
const callAll = async (turn: Turn, operations: readonly Operation[], signal: AbortSignal): Promise<CallOutcome[]> => {
  const { deps, state } = turn
  const tools = await turn.tools()
  const places = createSemaphore(maxCallsAtOnce)
  let left = operations.length
  const call = async (operation: Operation): Promise<CallOutcome> => {
    const outcome = await inOperation(deps, state.run, operation.id, () =>
      callTool(deps, { state, operation, tools }, signal),
    )
    left--
    const isStored = outcome.type !== 'called' || left === 0 || (await state.settle())
    return isStored ? outcome : { type: 'cut' }
  }
  const results = await Promise.allSettled(operations.map((operation) => places.run(() => call(operation))))
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

/** Whether calls only read, none of them for the second time. */
const areReads = async ({ tools }: Turn, operations: readonly Operation[]): Promise<boolean> => {
  const known = await tools()
  return operations.every(({ name, attempt }) => attempt === 1 && known.find((tool) => tool.name === name)?.isRead)
}

/**
 * Makes calls, once it is stored that they begin. Reads do not wait for that; and where the model's answer cost nothing either,
 * both are stored with what follows. Undefined where nothing can be stored any more.
 */
const storeAndCall = async (turn: Turn, operations: readonly Operation[], signal: AbortSignal) => {
  const { state } = turn
  const isRead = await areReads(turn, operations)
  if (isRead && isBuiltin(state.definition.model)) {
    state.settleSoon()
    return callAll(turn, operations, signal)
  }
  const stored = state.settle()
  if (!isRead && !(await stored)) return undefined
  const [isStored, outcomes] = await Promise.all([stored, callAll(turn, operations, signal)])
  return isStored ? outcomes : undefined
}

const call = async (turn: Turn, operationIds: readonly string[]): Promise<boolean> => {
  const operations = turn.state.operations.filter(({ id }) => operationIds.includes(id))
  const { signal, late } = boundCall(turn)
  const outcomes = await storeAndCall(turn, operations, signal)
  if (outcomes === undefined) return false
  const ended = outcomes.find((outcome) => outcome.type === 'end')
  if (ended) return end(turn, ended.ending)
  return outcomes.some(({ type }) => type === 'cut') ? afterCut(turn, late) : true
}

/** Streams what became of an operation that somebody else ended. */
const streamAwaited = (state: RunState, { id, taskId, output, error }: Operation): void => {
  if (taskId !== null) {
    const news = isExpired(output) ? ('expired' as const) : ('completed' as const)
    state.stream([toTaskPart({ taskId, operationId: id, state: news })])
  }
  state.stream([toOutcomePart(id, error === null ? { output } : { error })])
}

/** The most that results of one step have together, in characters of JSON: one alone is cut where it was made. */
const maxResultsLength = 2 * 1024 * 1024

const cutResult = (result: unknown, maxLength: number): unknown => {
  const text = JSON.stringify(result) ?? 'null'
  if (text.length <= maxLength) return result
  const note = `This is the beginning of a result of ${text.length} characters, cut here: there are many in this step.`
  return { truncated: true, note, beginning: text.slice(0, Math.floor(maxLength / 2)) }
}

/** Tells the model what its calls came to, in the order of the calls, whenever each ended. */
const report = ({ state }: Turn, operationIds: readonly string[]): true => {
  const operations = state.operations.filter(({ id }) => operationIds.includes(id))
  for (const operation of operations) if (isAwaited(operation)) streamAwaited(state, operation)
  const maxLength = Math.floor(maxResultsLength / operations.length)
  const parts = operations.map(({ id, name, output, error }) => ({
    ...{ type: 'tool-result' as const, toolCallId: id, toolName: name, isError: error !== null },
    output: cutResult(error ?? output, maxLength) as string | null,
  }))
  const last = operations.at(-1)
  if (last) state.say('tool', parts, last.id)
  return true
}

const follow = async (turn: Turn, plan: Plan): Promise<boolean> => {
  const { state } = turn
  switch (plan.type) {
    case 'end':
      return end(turn, plan.ending)
    case 'complete': {
      const answer = findAnswer(state)
      return end(turn, { state: 'completed', output: answer && 'output' in answer ? answer.output : null })
    }
    case 'ask':
      return ask(turn, plan.operationId)
    case 'call':
      return call(turn, plan.operationIds)
    case 'report':
      return report(turn, plan.operationIds)
    case 'repair': {
      const answer = findAnswer(state)
      const text = toRepairText(answer && 'problem' in answer ? answer.problem : '')
      state.say('user', [{ type: 'text', text }], state.messages.at(-1)?.operationId ?? '')
      return true
    }
    case 'wait':
      await state.park()
      return false
  }
}

const findReportedStep = ({ messages, operations }: RunState): number => {
  const last = messages.findLast(({ role, operationId }) => role === 'tool' && operationId !== null)
  return operations.find(({ id }) => id === last?.operationId)?.step ?? 0
}

const toStanding = (state: RunState): Standing => {
  const answer = findAnswer(state)
  return {
    limits: state.definition.limits,
    isArchived: state.isArchived,
    failures: state.run.failures,
    steps: state.total.steps,
    costNanodollars: state.total.costNanodollars,
    activeMilliseconds: state.activeMilliseconds(),
    messagesLength: state.messagesLength,
    operations: state.operations,
    reportedStep: findReportedStep(state),
    answer: answer && { fits: 'output' in answer, wasRepaired: wasRepaired(state) },
  }
}

/** Takes a run as far as it goes now. */
export const runTurn = async (turn: Turn): Promise<void> => {
  try {
    let goesOn = true
    while (goesOn && !turn.lost.aborted)
      goesOn = turn.stopping.aborted ? await release(turn) : await follow(turn, planStep(toStanding(turn.state)))
  } catch (error) {
    if (!(error instanceof ToolGone)) throw error
    await end(turn, { state: 'failed', category: 'tool', reason: error.message })
  } finally {
    turn.state.stop()
  }
}
