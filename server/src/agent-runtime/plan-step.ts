import type { AgentDefinition } from '@noema/contracts/agents.ts'
import type { Ending, Operation } from '../features/agents/runs/types.ts'
import { nanodollarsPerCent } from '../shared/nanodollars.ts'
import { type Answer, maxCheckMilliseconds } from './check-answer.ts'
import type { RunState } from './run-state.ts'

// Plans the next step of a run from its journal alone: the same journal has the same plan on every node.

/** At most this many leases may expire in one operation without an outcome. */
export const maxFailures = 5

export type PlannedOperation = Pick<Operation, 'id' | 'type' | 'status' | 'step' | 'taskId' | 'childRunId'>

/** The progress of a run. */
export type Standing = {
  limits: AgentDefinition['limits']
  isArchived: boolean
  failures: number
  steps: number
  costNanodollars: number
  activeMilliseconds: number
  /** Characters of JSON that its messages have, which every step sends to the model again. */
  messagesLength: number
  /** In the order of their sequence numbers, which is the order of a step's calls. */
  operations: readonly PlannedOperation[]
  /** The last step whose results are in a message. */
  reportedStep: number
  /** The answer of the last step, if it was one: whether it fits, and whether the model was asked for a correction before. */
  answer: { fits: boolean; wasRepaired: boolean; isUnchecked?: boolean } | undefined
}

const findReportedStep = ({ messages, operations }: RunState): number => {
  const last = messages.findLast(({ role, operationId }) => role === 'tool' && operationId !== null)
  return operations.find(({ id }) => id === last?.operationId)?.step ?? 0
}

export const toStanding = (
  state: RunState,
  { activeMilliseconds, answer }: { activeMilliseconds: number; answer: Answer | undefined },
): Standing => {
  const { definition, isArchived, run, total, messages, messagesLength, operations } = state
  return {
    ...{ limits: definition.limits, isArchived, failures: run.failures, activeMilliseconds },
    ...{ steps: total.steps, costNanodollars: total.costNanodollars, messagesLength, operations },
    reportedStep: findReportedStep(state),
    answer: answer && {
      fits: 'output' in answer,
      isUnchecked: 'isUnchecked' in answer,
      // The only messages of a user that belong to an operation are those that ask for a correction.
      wasRepaired: messages.some(({ role, operationId }) => role === 'user' && operationId !== null),
    },
  }
}

export type Plan =
  | { type: 'end'; ending: Exclude<Ending, { state: 'completed' }> }
  | { type: 'complete' }
  /** Asks the model: in an operation that was begun, or in a new one. */
  | { type: 'ask'; operationId: string | undefined }
  | { type: 'call'; operationIds: readonly string[] }
  /** Puts the results of a step's calls into a message, in the order of the calls. */
  | { type: 'report'; operationIds: readonly string[] }
  /** Asks the model for a correction of its answer. */
  | { type: 'repair' }
  | { type: 'wait' }

const fail = (category: Extract<Ending, { state: 'failed' }>['category'], reason: string): Plan => ({
  type: 'end',
  ending: { state: 'failed', category, reason },
})

/** Checks the limits that stop a run whatever it does next. */
const planStop = ({ isArchived, failures, activeMilliseconds, limits }: Standing): Plan | undefined => {
  if (isArchived) return { type: 'end', ending: { state: 'abandoned', reason: 'The agent was archived.' } }
  if (failures >= maxFailures)
    return fail('internal', `Its node was lost ${failures} times in one operation, so it is not tried again.`)
  if (activeMilliseconds >= limits.timeoutSeconds * 1000)
    return fail('timeout', `It worked for ${limits.timeoutSeconds} seconds, which is the limit of its agent.`)
  return undefined
}

/** The maximum length of a run's messages: more than models accept. */
export const maxMessagesLength = 4 * 1024 * 1024

/** Checks the limits that forbid one more step. */
const planLimit = ({ steps, costNanodollars, messagesLength, limits }: Standing): Plan | undefined => {
  const { maxSteps, maxCostCents } = limits
  if (steps >= maxSteps) return fail('limit', `It took ${steps} steps, which is the limit of its agent.`)
  if (messagesLength >= maxMessagesLength)
    return fail('limit', `Its messages have more than ${maxMessagesLength} characters, which is the most of a run.`)
  if (maxCostCents !== undefined && costNanodollars >= maxCostCents * nanodollarsPerCent)
    return fail('limit', `It cost as much as its agent may spend, which is ${maxCostCents} cents.`)
  return undefined
}

/** True if a person, or the run of another agent, ends an operation. */
export const isAwaited = ({ taskId, childRunId }: PlannedOperation): boolean => taskId !== null || childRunId !== null

const planOpen = (open: readonly PlannedOperation[]): Plan => {
  const asked = open.find(({ type }) => type === 'llm_call')
  if (asked) return { type: 'ask', operationId: asked.id }
  const calls = open.filter((operation) => !isAwaited(operation))
  return calls.length > 0 ? { type: 'call', operationIds: calls.map(({ id }) => id) } : { type: 'wait' }
}

/** Decides what a run does next. */
export const planStep = (standing: Standing): Plan => {
  const { operations, answer, reportedStep } = standing
  const open = operations.filter(({ type, status }) => status === 'running' && type !== 'system_action')
  if (answer?.fits && open.length === 0) return { type: 'complete' }
  const stop = planStop(standing)
  if (stop) return stop
  if (open.length > 0) return planOpen(open)
  const calls = operations.filter(({ type, step }) => type === 'tool_call' && step > reportedStep)
  if (calls.length > 0) return { type: 'report', operationIds: calls.map(({ id }) => id) }
  if (answer?.isUnchecked)
    return fail(
      'validation',
      `Its output could not be checked by the agent's outputSchema within ${maxCheckMilliseconds} milliseconds.`,
    )
  if (answer?.wasRepaired)
    return fail('validation', "Its output does not fit the agent's outputSchema, also when it was asked again.")
  return planLimit(standing) ?? (answer ? { type: 'repair' } : { type: 'ask', operationId: undefined })
}
