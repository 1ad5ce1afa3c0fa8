import type { MessagePart } from '@noema/contracts/messages.ts'
import { toOutcomePart, toToolCallPart } from '../features/agents/parts/run-parts.ts'
import type { Operation } from '../features/agents/runs/types.ts'
import { storeToolSchemas } from '../features/agents/tool-schemas/tool-schemas.ts'
import type { Db } from '../storage/database.ts'
import { askPerson, badQuestion, readQuestion } from './ask-person.ts'
import type { AskedCall, Said } from './call-model.ts'
import { priceUsage } from './models/prices.ts'
import type { RunState } from './run-state.ts'
import type { RunTool } from './tools/run-tool.ts'
import { toToolColumns } from './tools/tool-columns.ts'

// Puts the answer of a model into the journal: its operation ends, its message is stored, and the calls that it requested begin.

/** Begins the operation of a call. One that cannot be made fails at once, with an error that the model sees. */
const beginCall = (state: RunState, call: AskedCall, tool: RunTool | undefined, step: number): Operation => {
  const { callId, toolName, input } = call
  const streamCall = (operation: Operation) =>
    state.stream([toToolCallPart({ operationId: operation.id, toolName, input })])
  const asked = tool?.kind === 'ask_human' && !call.problem ? readQuestion(input) : undefined
  if (asked) {
    const { operation, part } = askPerson(state, call, { asked, step, tool })
    streamCall(operation)
    state.stream([part])
    return operation
  }
  const error = call.problem ?? (tool?.kind === 'ask_human' ? badQuestion : undefined)
  const operation = state.begin({
    ...{ type: 'tool_call', name: toolName, step, callId, input, ...toToolColumns(tool, toolName) },
    ...(tool?.toSourceId ? { toolSourceId: tool.toSourceId(input) ?? tool.source.id } : {}),
    knowledgeReadSubject: tool?.subject ?? null,
    ...(error === undefined ? {} : { status: 'failed', error }),
  })
  streamCall(operation)
  if (error !== undefined) state.stream([toOutcomePart(operation.id, { error })])
  return operation
}

/** The tools that a step calls, each once. */
const findCalled = (calls: readonly AskedCall[], tools: readonly RunTool[]): RunTool[] =>
  tools.filter(({ name }) => calls.some(({ toolName }) => toolName === name))

/** Ends the operation of a model's call, and begins the calls that the model requested. */
export const recordAnswer = async (
  db: Db,
  state: RunState,
  { operation, said, tools }: { operation: Operation; said: Said; tools: readonly RunTool[] },
): Promise<void> => {
  const { content, usage, provider, modelId } = said
  const cost = usage && (await priceUsage({ provider, model: modelId, usage }))
  const called = findCalled(said.calls, tools)
  if (called.length > 0) await storeToolSchemas(db, { organizationId: state.run.organization, now: state.now }, called)
  const calls = said.calls.map((call) =>
    beginCall(
      state,
      call,
      tools.find(({ name }) => name === call.toolName),
      operation.step,
    ),
  )
  const parts: MessagePart[] = [
    ...content,
    ...calls.map(({ id, name, input }) => ({
      ...{ type: 'tool-call' as const, toolCallId: id, toolName: name },
      input: input as Extract<MessagePart, { type: 'tool-call' }>['input'],
    })),
  ]
  const message = state.say('assistant', parts, operation.id)
  for (const call of calls) call.consumedMessageIds = [message.id]
  const { inputTokens, outputTokens } = usage ?? { inputTokens: undefined, outputTokens: undefined }
  state.use({
    inputTokens: inputTokens?.total ?? 0,
    outputTokens: outputTokens?.total ?? 0,
    costNanodollars: cost ?? 0,
    isCostKnown: cost !== undefined,
  })
  state.close(operation, {
    status: 'succeeded',
    output: { finishReason: said.finishReason, toolCalls: calls.length },
    inputTokens: inputTokens?.total ?? null,
    outputTokens: outputTokens?.total ?? null,
    cacheReadTokens: inputTokens?.cacheRead ?? null,
    cacheWriteTokens: inputTokens?.cacheWrite ?? null,
    reasoningTokens: outputTokens?.reasoning ?? null,
    costNanodollars: cost ?? null,
    producedMessageIds: [message.id],
  })
}
