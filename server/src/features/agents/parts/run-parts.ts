import type { RunPart, TaskNews } from '@noema/contracts/run-stream.ts'

// The parts of the stream between the calls of models. The transaction that makes each true stores it.

/**
 * The opening of a step, stored with its model call in the journal: it stays when an attempt dies, so that withdrawing the
 * attempt leaves the step before alone.
 */
export const toOpeningParts = (runId: string, step: number): RunPart[] =>
  step === 1
    ? [{ type: 'start', messageId: runId }, { type: 'start-step' }]
    : [{ type: 'finish-step' }, { type: 'start-step' }]

/** The call of a tool that a model asked for, under the id of its operation. */
export const toToolCallPart = (call: { operationId: string; toolName: string; input: unknown }): RunPart => ({
  type: 'tool-input-available',
  toolCallId: call.operationId,
  toolName: call.toolName,
  input: call.input,
})

/** The outcome of a tool call. */
export const toOutcomePart = (operationId: string, outcome: { output: unknown } | { error: string }): RunPart =>
  'error' in outcome
    ? { type: 'tool-output-error', toolCallId: operationId, errorText: outcome.error }
    : { type: 'tool-output-available', toolCallId: operationId, output: outcome.output }

/** That a task is there, or what became of it. It is one part of the message, which changes. */
export const toTaskPart = (task: TaskNews): RunPart => ({ type: 'data-task', id: task.taskId, data: task })

export type Ending = { state: 'completed' } | { state: 'failed' | 'abandoned'; reason: string }

/** The last parts of a run. `hasSteps`: whether a step was opened. */
export const toEndingParts = (ending: Ending, hasSteps: boolean): RunPart[] => {
  const finished: RunPart[] = hasSteps ? [{ type: 'finish-step' }] : []
  if (ending.state === 'completed') return [...finished, { type: 'finish', finishReason: 'stop' }]
  return ending.state === 'failed'
    ? [...finished, { type: 'error', errorText: ending.reason }]
    : [...finished, { type: 'abort', reason: ending.reason }]
}
