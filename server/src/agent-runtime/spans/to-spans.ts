import type { TracedOperation, TracedRun } from '../../features/agents/runs/trace-queries.ts'
import type { SpanRecord } from '../../shared/tracing/spans.ts'
import { findTrace, parseTraceparent, toSpanId } from '../../shared/tracing/trace-context.ts'

// Spans of a run, by the semantic conventions of OpenTelemetry for generative AI: `invoke_agent` for the run, or `invoke_workflow` for one without an agent, below it `chat` for
// each call of a model and `execute_tool` for each call of a tool. They follow from the journal alone, so the run stays one trace
// after another node takes it over, and a repeated span is the same span.

type SpanAttributes = SpanRecord['attributes']

/** Characters of content that a span carries: collectors refuse large ones. */
const maxContentLength = 16_384

/** The conventions' names of providers that they know by another name than ours. */
const conventionalNames: Record<string, string> = { google: 'gcp.gemini' }

const present = (attributes: Record<string, string | number | null | undefined>): SpanAttributes => {
  const given = Object.entries(attributes).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, value] as const],
  )
  return Object.fromEntries(given)
}

const toModel = (fullName: string | null): SpanAttributes => {
  if (fullName === null) return {}
  const slash = fullName.indexOf('/')
  const provider = fullName.slice(0, slash)
  return {
    'gen_ai.provider.name': conventionalNames[provider] ?? provider,
    'gen_ai.request.model': fullName.slice(slash + 1),
  }
}

type SpanOptions = { hasContent: boolean }

/** An organization may give its agent, its flow and the steps of that any names, so these are in traces only together with contents. */
const shared = (run: TracedRun, operationName: string, { hasContent }: SpanOptions) => ({
  'gen_ai.operation.name': operationName,
  'gen_ai.agent.id': run.flow === null ? run.agentId : undefined,
  'gen_ai.agent.name': hasContent ? (run.flow ?? run.agentName) : undefined,
  'gen_ai.conversation.id': run.conversationId,
  'noema.run.id': run.id,
})

/** The span of a run that ended. */
export const toRunSpan = (run: TracedRun, options: SpanOptions): SpanRecord => {
  const traceId = findTrace(run)
  const parent = parseTraceparent(run.traceparent)
  const operationName = run.flow === null ? 'invoke_agent' : 'invoke_workflow'
  const failure = run.failureCategory ?? (run.state === 'abandoned' ? 'cancelled' : undefined)
  return {
    traceId,
    spanId: toSpanId(run.id),
    parentSpanId: parent?.spanId,
    isParentRemote: parent !== undefined,
    name: options.hasContent ? `${operationName} ${run.flow ?? run.agentName}` : operationName,
    kind: 'internal',
    startedAt: (run.startedAt ?? run.createdAt).getTime(),
    endedAt: (run.completedAt ?? run.createdAt).getTime(),
    error: run.state === 'failed' ? (failure ?? '_OTHER') : undefined,
    attributes: {
      ...present({
        ...shared(run, operationName, options),
        'gen_ai.usage.input_tokens': run.inputTokens,
        'gen_ai.usage.output_tokens': run.outputTokens,
        'noema.run.state': run.state,
        'error.type': failure,
      }),
      ...toModel(run.model),
    },
  }
}

const toContent = (value: unknown): string | undefined =>
  value === null || value === undefined ? undefined : JSON.stringify(value).slice(0, maxContentLength)

/** The input and output of an operation, under the conventions' names. */
const contentAttributes = ({ type, input, output }: TracedOperation): SpanAttributes => {
  const isChat = type === 'llm_call'
  return present({
    [isChat ? 'gen_ai.input.messages' : 'gen_ai.tool.call.arguments']: toContent(input),
    [isChat ? 'gen_ai.output.messages' : 'gen_ai.tool.call.result']: toContent(output),
  })
}

const chatAttributes = (operation: TracedOperation): SpanAttributes => ({
  ...toModel(operation.model),
  ...present({
    'gen_ai.usage.input_tokens': operation.inputTokens,
    'gen_ai.usage.output_tokens': operation.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': operation.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': operation.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': operation.reasoningTokens,
  }),
})

/** The name of a tool. The steps of callers' own code have keys as their names, and are named by their kind: step, ask_human or sleep. */
const toToolName = ({ flow }: TracedRun, { name, toolName }: TracedOperation): string =>
  flow === null ? name : (toolName ?? 'step')

const toolAttributes = (run: TracedRun, operation: TracedOperation, { hasContent }: SpanOptions): SpanAttributes =>
  present({
    'gen_ai.tool.name': toToolName(run, operation),
    'gen_ai.tool.call.id': operation.id,
    'gen_ai.tool.type': operation.toolSourceKind === 'connector' ? 'extension' : 'function',
    'noema.step.key': hasContent && run.flow !== null ? operation.name : undefined,
  })

const failures: Record<string, Record<string, string>> = {
  llm_call: { failed: 'model_error', abandoned: 'cancelled' },
  tool_call: { failed: 'tool_error', abandoned: 'cancelled' },
}

/** The span of an operation that ended; undefined for one that is neither a model's call nor a tool's. */
export const toOperationSpan = (
  run: TracedRun,
  operation: TracedOperation,
  options: SpanOptions,
): SpanRecord | undefined => {
  const { type, status, id, attempt, createdAt, completedAt } = operation
  const failure = failures[type]
  if (!failure) return undefined
  const isChat = type === 'llm_call'
  const specific = isChat ? chatAttributes(operation) : toolAttributes(run, operation, options)
  const named = isChat ? specific['gen_ai.request.model'] : toToolName(run, operation)
  const operationName = isChat ? 'chat' : 'execute_tool'
  return {
    traceId: findTrace(run),
    spanId: toSpanId(id),
    parentSpanId: toSpanId(run.id),
    isParentRemote: false,
    name: named === undefined ? operationName : `${operationName} ${named}`,
    kind: isChat ? 'client' : 'internal',
    startedAt: createdAt.getTime(),
    endedAt: (completedAt ?? run.completedAt ?? createdAt).getTime(),
    error: status === 'failed' ? failure.failed : undefined,
    attributes: {
      ...present({
        ...shared(run, operationName, options),
        'noema.operation.id': id,
        'noema.operation.attempt': attempt,
      }),
      ...specific,
      ...present({ 'error.type': failure[status] }),
      ...(options.hasContent ? contentAttributes(operation) : {}),
    },
  }
}
