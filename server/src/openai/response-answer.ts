import type { OutputMessage, Response } from '@noema/contracts/openai-responses.ts'
import type { RunState } from '@noema/contracts/runs.ts'
import type { AppDeps } from '../api/app-deps.ts'
import type { AnswerDetails } from '../features/agents/messages/answer-queries.ts'
import { readAnswerDetails, readStepTexts, type StepText } from '../features/agents/messages/answers.ts'
import type { RunRow } from '../features/agents/runs/types.ts'
import { toUnixSeconds } from './chat-answer.ts'
import { type SourceBase, toCitations } from './citations.ts'
import type { KeptFacts } from './response-call.ts'

// A run as a response: the text of each step is one message of its output.

const statuses: Record<RunState, Response['status']> = {
  queued: 'queued',
  running: 'in_progress',
  waiting: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  abandoned: 'cancelled',
}

/** The text of a step as an item of the output. */
export const toOutputMessage = (base: SourceBase, step: Omit<StepText, 'reasoning'>): OutputMessage => {
  const annotations = toCitations(base, step).map((citation) => ({ type: 'url_citation' as const, ...citation }))
  const content: OutputMessage['content'] = [{ type: 'output_text', text: step.text, annotations, logprobs: [] }]
  return { type: 'message', id: step.operationId, status: 'completed', role: 'assistant', content }
}

const toUsage = ({ inputTokens, outputTokens }: RunRow, details: AnswerDetails): Response['usage'] => ({
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  input_tokens_details: { cached_tokens: details.cachedTokens },
  output_tokens_details: { reasoning_tokens: details.reasoningTokens },
})

const fixed = {
  incomplete_details: null,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [] as never[],
  temperature: null,
  top_p: null,
  store: true,
} as const

const toMetadata = (metadata: RunRow['metadata']): Response['metadata'] =>
  Object.fromEntries(
    Object.entries(metadata ?? {}).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )

const toError = ({ failureReason, abandonReason }: RunRow): Response['error'] => {
  const message = failureReason ?? abandonReason
  return message === null ? null : { code: 'server_error', message }
}

/** A run with its output so far. */
export const toResponse = (
  run: RunRow,
  { model, output, usage }: { model: string; output: OutputMessage[]; usage: Response['usage'] },
): Response => {
  const kept = (run.metadata?.openai ?? {}) as KeptFacts
  return {
    ...{ id: run.id, object: 'response', created_at: toUnixSeconds(run.createdAt), status: statuses[run.state] },
    background: kept.background === true,
    error: toError(run),
    instructions: kept.instructions ?? null,
    previous_response_id: kept.previousResponseId ?? null,
    conversation: run.conversationId === null ? null : { id: run.conversationId },
    metadata: toMetadata(run.metadata),
    ...fixed,
    ...{ model, output, usage },
  }
}

/** A run as a response, with what it said. */
export const readResponse = async (deps: AppDeps, run: RunRow, model: string): Promise<Response> => {
  const details = await readAnswerDetails(deps, run)
  const base = { publicUrl: deps.publicUrl, brainHandle: details.brainHandle }
  const output = (await readStepTexts(deps, run)).map((step) => toOutputMessage(base, step))
  return toResponse(run, { model, output, usage: run.completedAt === null ? null : toUsage(run, details) })
}
