import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { type StepContent, StepParts } from '../features/agents/parts/step-parts.ts'
import type { Operation } from '../features/agents/runs/types.ts'
import { isDatabaseUnavailable } from '../storage/database-errors.ts'
import { MissingEvidence } from './models/extractive/missing-evidence.ts'
import type { LanguageModel, OpenModel } from './models/language-model.ts'
import { ModelFailure, ModelGone, toModelFailure } from './models/model-failure.ts'
import type { RunState } from './run-state.ts'
import { toPrompt } from './to-prompt.ts'
import type { RunTool } from './tools/run-tool.ts'

/** The bounds of one answer: characters of text, calls of tools, and characters of the arguments of one call and of all. */
const maxTextLength = 1024 * 1024
const maxCalls = 64
const maxInputLength = 256 * 1024
const maxInputsLength = 1024 * 1024

/** A call that a model requested. `problem`: why it cannot be made. */
export type AskedCall = { callId: string; toolName: string; input: unknown; problem?: string }

/** The answer of a model. */
export type Said = {
  content: readonly StepContent[]
  calls: readonly AskedCall[]
  usage: LanguageModelV4Usage | undefined
  finishReason: string
  /** The names that the model reports, for its price. */
  provider: string
  modelId: string
}
export type ModelOutcome =
  | { type: 'said'; said: Said }
  | { type: 'failed'; failure: ModelFailure }
  | { type: 'missing'; reason: string }
  /** The signal was aborted, or the run has lost its lease. */
  | { type: 'cut' }

const toInput = ({ input, toolName, toolCallId }: LanguageModelV4ToolCall): AskedCall => {
  const call = { callId: toolCallId, toolName }
  if (input.length > maxInputLength)
    return { ...call, input: null, problem: `Arguments have at most ${maxInputLength} characters of JSON.` }
  if (input.trim() === '') return { ...call, input: {} }
  try {
    return { ...call, input: JSON.parse(input) }
  } catch {
    return { ...call, input: { value: input }, problem: 'The arguments are not JSON. Call it again with an object.' }
  }
}

const toOptions = (state: RunState, tools: readonly RunTool[], signal: AbortSignal): LanguageModelV4CallOptions => {
  const { instructions, outputSchema } = state.definition
  const texts = [instructions, ...tools.flatMap(({ prompt = '' }) => prompt)].filter((text) => text !== '')
  return {
    prompt: toPrompt(texts.join('\n\n'), state.earlier, state.messages),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            ...{ type: 'function' as const, name, description, inputSchema },
          })),
        }),
    ...(outputSchema === undefined
      ? {}
      : { responseFormat: { type: 'json' as const, name: 'output', schema: outputSchema as JSONSchema7 } }),
    abortSignal: signal,
  }
}

/** Adds a call that the model asked for, within the bounds of one step. */
const addCall = (calls: AskedCall[], part: LanguageModelV4ToolCall, inputsLength: number): void => {
  if (inputsLength > maxInputsLength)
    throw new ModelFailure(`The arguments of one step's calls have more than ${maxInputsLength} characters.`)
  if (calls.length === maxCalls) throw new ModelFailure(`The model asked for more than ${maxCalls} tools in one step.`)
  calls.push(toInput(part))
}

/** Refuses an answer that is not complete. */
const checkFinish = (reason: string): void => {
  if (reason === 'interrupted') throw new ModelFailure('The answer broke off.', { isRetryable: true })
  if (reason === 'content-filter') throw new ModelFailure('The provider withheld the answer by its content filter.')
  if (reason === 'error') throw new ModelFailure('The provider broke off the answer.', { isRetryable: true })
}

/** Reads an answer while it arrives, and streams it. Undefined if the run has lost its lease. */
const readAnswer = async (
  state: RunState,
  operation: Operation,
  model: LanguageModel,
  stream: AsyncIterable<LanguageModelV4StreamPart>,
): Promise<Said | undefined> => {
  const parts = new StepParts(operation.id)
  const calls: AskedCall[] = []
  let usage: LanguageModelV4Usage | undefined
  let inputsLength = 0
  let finishReason = 'interrupted'
  for await (const part of stream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'finish') {
      usage = part.usage
      finishReason = part.finishReason.unified
      continue
    }
    if (part.type === 'tool-call') {
      if (part.providerExecuted) continue
      inputsLength += part.input.length
      addCall(calls, part, inputsLength)
      continue
    }
    const streamed = parts.read(part)
    if (parts.length > maxTextLength)
      throw new ModelFailure(`The model's answer has more than ${maxTextLength} characters.`)
    if (streamed.length > 0 && !(await state.write(operation.id, streamed))) return undefined
  }
  checkFinish(finishReason)
  const rest = parts.close()
  if (rest.length > 0 && !(await state.write(operation.id, rest))) return undefined
  return { content: parts.toContent(), calls, usage, finishReason, provider: model.provider, modelId: model.modelId }
}

/** Asks the model of a run for one step. */
export const callModel = async (
  openModel: OpenModel,
  {
    state,
    operation,
    tools,
    signal,
  }: { state: RunState; operation: Operation; tools: readonly RunTool[]; signal: AbortSignal },
): Promise<ModelOutcome> => {
  try {
    if (operation.attempt > 1 && !(await state.writer.withdraw(operation.id))) return { type: 'cut' }
    const options = toOptions(state, tools, signal)
    const model = await openModel({ organizationId: state.run.organization, model: state.definition.model })
    const { stream } = await model.doStream(options)
    const said = await readAnswer(state, operation, model, stream)
    return said && !signal.aborted ? { type: 'said', said } : { type: 'cut' }
  } catch (error) {
    if (signal.aborted) return { type: 'cut' }
    if (isDatabaseUnavailable(error)) throw error
    if (error instanceof MissingEvidence) return { type: 'missing', reason: error.message }
    if (error instanceof ModelGone) return { type: 'failed', failure: new ModelFailure(error.message) }
    return { type: 'failed', failure: toModelFailure(error) }
  }
}
