import { toOutcomePart } from '../features/agents/parts/run-parts.ts'
import { holdLease } from '../features/agents/runs/lease-queries.ts'
import { startRun } from '../features/agents/runs/start-run.ts'
import type { Ending, Operation } from '../features/agents/runs/types.ts'
import { ApiError, conflict } from '../shared/errors.ts'
import { traceparentUnder } from '../shared/tracing/trace-context.ts'
import { isDatabaseUnavailable } from '../storage/database-errors.ts'
import type { RunState } from './run-state.ts'
import type { RuntimeDeps } from './runtime-deps.ts'
import { isKept } from './spans/spans.ts'
import { findRetrySeconds, maxTries } from './tools/retry-later.ts'
import type { RunTool, ToolOutcome } from './tools/run-tool.ts'

/** The outcome of calling a tool. */
export type CallOutcome =
  /** Its operation ended, or waits for another run. */
  | { type: 'called' }
  /** It is to be made again after so many seconds. */
  | { type: 'postponed'; seconds: number }
  | { type: 'end'; ending: Ending }
  /** The signal was aborted, or the run has lost its lease. */
  | { type: 'cut' }

const unknownOutcome =
  'This call was interrupted and its outcome is unknown: it may have been done. It was not made again. Find out before you repeat it.'

/** Ends an operation with an error that the model sees. */
const failOperation = (state: RunState, operation: Operation, error: string): CallOutcome => {
  state.tick()
  state.close(operation, { status: 'failed', error })
  state.stream([toOutcomePart(operation.id, { error })])
  return { type: 'called' }
}

const toErrorText = (output: unknown): string => (typeof output === 'string' ? output : JSON.stringify(output))

const closeWith = (state: RunState, operation: Operation, outcome: ToolOutcome): CallOutcome => {
  const { output, isError, receipt = null, change = null, brainHandle = null } = outcome
  const knowledgeReadSubject = outcome.subject ?? operation.knowledgeReadSubject
  const toolSourceVersionId = outcome.sourceVersionId ?? operation.toolSourceVersionId
  const reached = { receipt, change, brainHandle, knowledgeReadSubject, toolSourceVersionId }
  if (isError) {
    state.change(operation, reached)
    return failOperation(state, operation, toErrorText(output))
  }
  state.tick()
  state.close(operation, { status: 'succeeded', output: output ?? null, ...reached })
  state.stream([toOutcomePart(operation.id, { output: output ?? null })])
  return { type: 'called' }
}

const callFunction = async (
  deps: RuntimeDeps,
  { state, operation, tool }: { state: RunState; operation: Operation; tool: Extract<RunTool, { kind: 'call' }> },
  signal: AbortSignal,
): Promise<CallOutcome> => {
  if (operation.attempt > 1 && !tool.isRepeatable) return failOperation(state, operation, unknownOutcome)
  const guard = async (tx: Parameters<typeof holdLease>[0]): Promise<void> => {
    if (!(await holdLease(tx, state.held)))
      throw conflict('This run has ended, or another node works on it.', { code: 'run_ended' })
  }
  const isLastTry = operation.refusals + 1 >= maxTries
  try {
    const outcome = await tool.call(operation.input, {
      operationId: operation.id,
      begunAt: new Date(operation.createdAt),
      signal,
      guard,
      isLastTry,
    })
    return signal.aborted ? { type: 'cut' } : closeWith(state, operation, outcome)
  } catch (error) {
    if (signal.aborted) return { type: 'cut' }
    if (isDatabaseUnavailable(error)) throw error
    const seconds = isLastTry || !tool.isRepeatable ? undefined : findRetrySeconds(error)
    if (seconds !== undefined) {
      state.change(operation, { refusals: operation.refusals + 1 })
      return { type: 'postponed', seconds: seconds * 2 ** (operation.refusals - 1) }
    }
    if (error instanceof ApiError) return failOperation(state, operation, error.message)
    deps.log.warn({ run: state.run.id, tool: tool.name, err: error }, 'a tool of a run failed')
    return failOperation(state, operation, 'The tool failed and did not say why. Try another way.')
  }
}

const toQuestion = (input: unknown): string => {
  const given = typeof input === 'object' && input !== null && 'input' in input ? input.input : input
  return typeof given === 'string' ? given : JSON.stringify(given)
}

/** Starts the run of another agent, which ends the operation when it ends itself. */
const callAgent = async (
  deps: RuntimeDeps,
  { state, operation, tool }: { state: RunState; operation: Operation; tool: Extract<RunTool, { kind: 'agent' }> },
): Promise<CallOutcome> => {
  const { organization, id, lease, depth, lineage, startedBy } = state.run
  try {
    const { run } = await startRun(deps, {
      ...{ organizationId: organization, agentId: tool.agentId, input: toQuestion(operation.input), lineage },
      actor: { type: 'run', id, runId: id, ...(startedBy.userId === undefined ? {} : { userId: startedBy.userId }) },
      traceparent: traceparentUnder(state.run, operation.id, !deps.tracer || isKept(deps.tracer, state.run)),
      parent: { runId: id, operationId: operation.id, lease, depth },
    })
    state.change(operation, { childRunId: run.id, toolSourceVersionId: String(run.agentVersion) })
    return { type: 'called' }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'run_ended') return { type: 'cut' }
    const fail = (category: 'limit' | 'tool'): CallOutcome => ({
      type: 'end',
      ending: { state: 'failed', category, reason: error.message },
    })
    if (error.code === 'run_depth') return fail('limit')
    if (error.code === 'agent_archived' || error.kind === 'not_found') return fail('tool')
    return failOperation(state, operation, error.message)
  }
}

/** Makes the call of an operation that is open. */
export const callTool = async (
  deps: RuntimeDeps,
  { state, operation, tools }: { state: RunState; operation: Operation; tools: readonly RunTool[] },
  signal: AbortSignal,
): Promise<CallOutcome> => {
  const tool = tools.find(({ name }) => name === operation.name)
  if (!tool || tool.kind === 'ask_human') {
    const names = tools.map(({ name }) => name).join(', ')
    return failOperation(state, operation, `There is no tool ${JSON.stringify(operation.name)}. There are: ${names}.`)
  }
  return tool.kind === 'agent'
    ? callAgent(deps, { state, operation, tool })
    : callFunction(deps, { state, operation, tool }, signal)
}
