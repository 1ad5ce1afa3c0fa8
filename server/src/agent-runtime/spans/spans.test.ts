import { createServer, type Server } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import type { TracedOperation, TracedRun } from '../../features/agents/runs/trace-queries.ts'
import { createLog } from '../../shared/log.ts'
import { createMeasures } from '../../shared/measures.ts'
import { parseTraceparent, toSpanId, traceparentUnder } from '../../shared/tracing/trace-context.ts'
import { openTracer } from '../../shared/tracing/tracer.ts'
import { startCollector } from '../../test/collector.ts'
import { openRunSpans } from './spans.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1, 12, 0, seconds))
const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

const run: TracedRun = {
  ...{ id: 'run_1', agentId: 'agt_1', agentName: 'Librarian', model: 'google/gemini-2.5-pro', conversationId: 'cnv_1' },
  ...{ traceparent, flow: null, state: 'failed', failureCategory: 'limit', inputTokens: 30, outputTokens: 4 },
  ...{ createdAt: at(0), startedAt: at(1), completedAt: at(9) },
}

const tokens = { inputTokens: 30, outputTokens: 4, cacheReadTokens: 20, cacheWriteTokens: 5, reasoningTokens: 1 }
const none = {
  inputTokens: null,
  outputTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
}
const chat: TracedOperation = {
  ...{ id: 'opr_1', type: 'llm_call', name: 'google/gemini-2.5-pro', status: 'succeeded', attempt: 2, ...tokens },
  ...{
    model: 'google/gemini-2.5-pro',
    toolSourceKind: null,
    toolName: null,
    input: { messages: ['a secret question'] },
    output: { text: 'an answer' },
  },
  ...{ createdAt: at(1), completedAt: at(3) },
}
const search: TracedOperation = {
  ...{ id: 'opr_2', type: 'tool_call', name: 'knowledge_search', status: 'failed', attempt: 1, ...none },
  ...{
    model: null,
    toolSourceKind: 'builtin',
    toolName: 'knowledge_search',
    input: { query: 'a secret question' },
    output: null,
  },
  ...{ createdAt: at(3), completedAt: at(4) },
}
const waited: TracedOperation = { ...search, id: 'opr_3', type: 'system_action', name: 'task.waited' }

const open = async (url: string, { hasContent = false, traced = run } = {}) => {
  const lines: string[] = []
  const log = createLog('warn', { write: (line) => void lines.push(line) })
  const read = async () => ({ run: traced, operations: [chat, search, waited] })
  const settings = { url: `${url}/v1/traces`, hasContent, callers: [], perSecond: 100 }
  const queue = { delayMilliseconds: 10, maxSpans: 2_048 }
  const sampler = { name: 'parentbased_always_on', ratio: 1 } as const
  const tracer = await openTracer({ ...settings, sampler, queue }, { log, measures: createMeasures() }, () => false)
  const { note, close } = openRunSpans({ tracer, hasContent, log, read })
  return { spans: { note, close: () => close().then(tracer.close) }, lines }
}

const ended = { organizationId: 'org', runId: 'run_1', operationIds: ['opr_1', 'opr_2', 'opr_3'], isRunOver: true }

test('spans follow the conventions for generative AI, and belong to the trace of the caller', async () => {
  const { url, spans: collected, resources } = await startCollector()
  const { spans } = await open(url)
  spans.note(ended)
  await spans.close()
  const shared = {
    'gen_ai.agent.id': 'agt_1',
    'gen_ai.conversation.id': 'cnv_1',
    'noema.run.id': 'run_1',
  }
  const root = { traceId: 'a'.repeat(32), parentSpanId: toSpanId('run_1') }
  const byName = new Map(collected.map((span) => [span.name, span]))
  expect([...byName.keys()].sort()).toEqual(['chat gemini-2.5-pro', 'execute_tool knowledge_search', 'invoke_agent'])
  expect(byName.get('invoke_agent')).toMatchObject({
    ...{ traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16), spanId: toSpanId('run_1'), status: { code: 2 } },
    startTimeUnixNano: `${at(1).getTime()}000000`,
    endTimeUnixNano: `${at(9).getTime()}000000`,
    attributes: {
      ...shared,
      'gen_ai.operation.name': 'invoke_agent',
      'error.type': 'limit',
      'gen_ai.usage.input_tokens': 30,
    },
  })
  expect(byName.get('chat gemini-2.5-pro')).toMatchObject({ ...root, kind: 3, status: { code: 0 } })
  expect(byName.get('chat gemini-2.5-pro')?.attributes).toEqual({
    ...shared,
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.request.model': 'gemini-2.5-pro',
    'gen_ai.usage.input_tokens': 30,
    'gen_ai.usage.output_tokens': 4,
    'gen_ai.usage.cache_read.input_tokens': 20,
    'gen_ai.usage.cache_creation.input_tokens': 5,
    'gen_ai.usage.reasoning.output_tokens': 1,
    'noema.operation.id': 'opr_1',
    'noema.operation.attempt': 2,
  })
  expect(byName.get('execute_tool knowledge_search')).toMatchObject({ ...root, kind: 1, status: { code: 2 } })
  expect(byName.get('execute_tool knowledge_search')?.attributes).toEqual({
    ...shared,
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'knowledge_search',
    'gen_ai.tool.call.id': 'opr_2',
    'gen_ai.tool.type': 'function',
    'error.type': 'tool_error',
    'noema.operation.id': 'opr_2',
    'noema.operation.attempt': 1,
  })
  expect(resources[0]).toMatchObject({ 'service.name': 'noema' })
})

test('inputs and outputs of models and tools are traced only if the operator wants it', async () => {
  const { url, spans: collected } = await startCollector()
  const plain = await open(url)
  plain.spans.note(ended)
  await plain.spans.close()
  expect(JSON.stringify(collected)).not.toMatch(/secret question|an answer|Librarian/)
  const full = await open(url, { hasContent: true })
  full.spans.note(ended)
  await full.spans.close()
  expect(collected.findLast(({ name }) => name.startsWith('chat'))?.attributes).toMatchObject({
    'gen_ai.input.messages': '{"messages":["a secret question"]}',
    'gen_ai.output.messages': '{"text":"an answer"}',
  })
  const named = collected.findLast(({ name }) => name === 'invoke_agent Librarian')
  expect(named?.attributes).toMatchObject({ 'gen_ai.agent.name': 'Librarian' })
  expect(collected.findLast(({ name }) => name.startsWith('execute_tool'))?.attributes).toMatchObject({
    'gen_ai.tool.call.arguments': '{"query":"a secret question"}',
  })
})

test('a repeated span is the same span, and a trace that its caller does not sample has none', async () => {
  const { url, spans: collected } = await startCollector()
  for (const traced of [run, run, { ...run, traceparent: traceparent.replace(/01$/, '00') }]) {
    const { spans } = await open(url, { traced })
    spans.note(ended)
    await spans.close()
  }
  expect(collected).toHaveLength(6)
  expect(new Set(collected.map(({ spanId }) => spanId)).size).toBe(3)
})

/** A server for as long as the test runs. */
const listen = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

test('a collector that is dead, or never answers, delays no one', async () => {
  const dead = await open('http://127.0.0.1:9')
  const silent = await open(await listen(createServer(() => undefined)))
  for (const { spans } of [dead, silent]) for (let note = 0; note < 3_000; note++) spans.note(ended)
  await Promise.all([dead.spans.close(), silent.spans.close()])
})

test('the log says that a collector refuses spans', async () => {
  const refusing = createServer((_, response) => void response.writeHead(400).end())
  const { spans, lines } = await open(await listen(refusing))
  spans.note(ended)
  await spans.close()
  expect(lines.join()).toContain('the trace collector refuses spans')
})

test.each([
  ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', true],
  ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00', true],
  ['cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more', true],
  ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more', false],
  ['00-00000000000000000000000000000000-b7ad6b7169203331-01', false],
  ['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', false],
  ['ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', false],
  ['00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01', false],
  ['', false],
])('the trace context %j is one: %s', (text, isOne) => {
  expect(parseTraceparent(text) !== undefined).toBe(isOne)
})

test('the effects of an operation are below it, in the same trace', () => {
  expect(traceparentUnder({ id: 'run_1', traceparent }, 'opr_2', true)).toBe(
    `00-${'a'.repeat(32)}-${toSpanId('opr_2')}-01`,
  )
  const own = parseTraceparent(traceparentUnder({ id: 'run_1', traceparent: null }, 'opr_2', true))
  expect(own).toMatchObject({ spanId: toSpanId('opr_2'), isSampled: true })
})
