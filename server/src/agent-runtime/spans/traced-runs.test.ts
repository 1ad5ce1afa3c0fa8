import { expect, test } from 'vitest'
import { toSpanId } from '../../shared/tracing/trace-context.ts'
import { addBrain, createMember, startTestApp } from '../../test/app.ts'
import { type CollectedSpan, startCollector } from '../../test/collector.ts'

// Traces of real runs, as a collector gets them.

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentSpanId = 'b7ad6b7169203331'

const definition = {
  ...{ name: 'Librarian', instructions: 'Answer from the Brain.', model: 'noema/extractive' },
  brains: [{ handle: 'docs', access: 'read_only' }],
}

const isOver = (spans: readonly CollectedSpan[]) => spans.some(({ name }) => name.startsWith('invoke_agent'))

/** A service that reports to this collector, with a Brain and an agent. */
const startTraced = async (url: string, settings: Record<string, string> = {}) => {
  const app = await startTestApp({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '10', ...settings })
  const member = await createMember(app)
  const brain = await addBrain(app, member, 'docs')
  await brain.call('POST', '/documents', { id: 'apollo', title: 'Apollo', text: 'Ada leads Apollo since 2021.' })
  const { body } = await app.request('POST', '/v1/agents', { key: member.key, body: definition })
  const start = async (headers: Record<string, string> = {}) => {
    const request = { agentId: body.data.agent.id, input: 'Who leads Apollo?' }
    const started = await app.request('POST', '/v1/runs', { key: member.key, headers, body: request })
    return started.body.data.run
  }
  return { app, member, start, agentId: body.data.agent.id as string }
}

test('RUN-04 a run is one trace below its caller, with the tokens of its models and nothing of what they read', async () => {
  const collector = await startCollector()
  const { app, start } = await startTraced(collector.url, { NOEMA_TRACE_CALLERS: '127.0.0.1' })
  const { runId } = await start({ traceparent: `00-${traceId}-${parentSpanId}-01`, prefer: 'wait=30' })
  await collector.settled(isOver)
  await app.close()
  const ofRun = collector.spans.filter(({ attributes }) => attributes['noema.run.id'] === runId)
  const names = ofRun.map(({ name }) => name)
  expect(names.filter((name) => name === 'chat extractive').length).toBeGreaterThanOrEqual(2)
  expect(names).toContain('execute_tool knowledge_context')
  expect(new Set(ofRun.map((span) => span.spanId)).size).toBe(names.length)
  const request = collector.spans.find(({ name }) => name === 'POST /v1/runs')
  expect(request).toMatchObject({ traceId, parentSpanId })
  for (const span of ofRun) {
    const isRoot = span.name === 'invoke_agent'
    expect(span).toMatchObject({ traceId, parentSpanId: isRoot ? request?.spanId : toSpanId(runId) })
  }
  // The effects of a tool are below the span of its call.
  const call = ofRun.find(({ name }) => name === 'execute_tool knowledge_context')
  const below = collector.spans.filter((span) => span.traceId === traceId && span.parentSpanId === call?.spanId)
  expect(below.map(({ name }) => name)).toContain('call POST /v1/brains/{handle}/context')
  expect(JSON.stringify(collector.spans)).not.toMatch(/leads/)
})

test('a run that was cancelled before any node worked on it has its span, below the request that started it', async () => {
  const collector = await startCollector()
  const { app, member, start } = await startTraced(collector.url, { NOEMA_ROLES: 'http' })
  const { runId } = await start()
  await app.request('POST', `/v1/runs/${runId}/cancel`, { key: member.key, body: { reason: 'Enough.' } })
  await collector.settled(isOver)
  await app.close()
  const root = collector.spans.find(({ name }) => name === 'invoke_agent')
  const request = collector.spans.find(({ name }) => name === 'POST /v1/runs')
  const attributes = { 'noema.run.state': 'abandoned', 'error.type': 'cancelled' }
  expect(root).toMatchObject({ spanId: toSpanId(runId), parentSpanId: request?.spanId, attributes })
})

test('a service whose collector is away runs its agents as ever, and stops as soon', async () => {
  const { app, start } = await startTraced('http://127.0.0.1:9')
  expect(await start({ prefer: 'wait=30' })).toMatchObject({ state: 'completed' })
  const before = performance.now()
  await app.close()
  expect(performance.now() - before).toBeLessThan(10_000)
})

test('EVL-15 graded cases are events of the trace of their run, without texts', async () => {
  const collector = await startCollector()
  const { app, member, agentId } = await startTraced(collector.url)
  const send = (path: string, body: object) => app.request('POST', path, { key: member.key, body })
  const cases = [{ id: 'lead', input: 'Who leads Apollo?', expected: { contains: ['Ada'] } }]
  const given = { name: 'Leads', target: { agentId }, cases, graders: [{ type: 'contains' }] }
  const { id } = (await send('/v1/evals', given)).body.data.eval
  const { run } = (await send(`/v1/evals/${id}/runs`, {})).body.data
  await collector.settled((spans) => spans.some(({ name }) => name === 'evaluate'))
  await app.close()
  const span = collector.spans.find(({ name }) => name === 'evaluate')
  expect(span?.attributes).toMatchObject({ 'noema.eval.run.id': run.id, 'noema.eval.case.id': 'lead' })
  expect(span?.events).toEqual([
    {
      name: 'gen_ai.evaluation.result',
      attributes: {
        'gen_ai.evaluation.name': 'contains',
        'gen_ai.evaluation.score.value': 1,
        'gen_ai.evaluation.score.label': 'pass',
      },
    },
  ])
  const ofRun = collector.spans.find(({ spanId }) => spanId === span?.parentSpanId)
  expect(ofRun?.name).toBe('invoke_agent')
  expect(ofRun?.traceId).toBe(span?.traceId)
  expect(JSON.stringify(span)).not.toContain('Apollo')
})
