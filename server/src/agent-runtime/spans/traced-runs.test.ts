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

const isFlowOver = (spans: readonly CollectedSpan[]) => spans.some(({ name }) => name.startsWith('invoke_workflow'))

/** Runs a flow with a step, a failed step and a question, to its end. */
const runFlow = async (url: string, settings: Record<string, string> = {}) => {
  const { app, member } = await startTraced(url, settings)
  const call = (method: string, path: string, body: object, headers = {}) =>
    app.request(method, path, { key: member.key, headers, body })
  const named = { 'idempotency-key': 'order-17', traceparent: `00-${traceId}-${parentSpanId}-01` }
  const made = await call('POST', '/v1/flows', { name: 'secret-invoice', input: { order: 17 } }, named)
  const { runId } = made.body.data.run
  const put = async (key: string, body: object) =>
    (await call('PUT', `/v1/runs/${runId}/steps/${key}`, body)).body.data.step
  const steps = {
    load: await put('secret-load', { output: { total: 'a secret total' } }),
    send: await put('secret-send', { error: 'Refused.' }),
    confirm: await put('secret-confirm', { ask: { question: 'Really?' } }),
  }
  await call('POST', `/v1/tasks/${steps.confirm.taskId}/complete`, { answer: 'yes' })
  await call('POST', `/v1/runs/${runId}/finish`, { error: 'It was refused.' })
  return { app, runId, steps }
}

test('STP-07 a run without an agent is one trace below its caller, with each step, and no name of a tenant', async () => {
  const collector = await startCollector()
  const settings = { NOEMA_TRACE_CALLERS: '127.0.0.1', NOEMA_ROLES: 'http' }
  const { app, runId, steps } = await runFlow(collector.url, settings)
  await collector.settled(isFlowOver)
  await app.close()
  const ofRun = collector.spans.filter(({ attributes }) => attributes['noema.run.id'] === runId)
  const request = collector.spans.find(({ name }) => name === 'POST /v1/flows')
  expect(request).toMatchObject({ traceId, parentSpanId })
  const root = ofRun.find(({ name }) => name === 'invoke_workflow')
  expect(root).toMatchObject({ traceId, spanId: toSpanId(runId), parentSpanId: request?.spanId, status: { code: 2 } })
  expect(root?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_workflow',
    'noema.run.state': 'failed',
  })
  expect(root?.attributes).not.toHaveProperty('gen_ai.agent.id')
  const byStep = (step: { operationId: string }) => ofRun.find(({ spanId }) => spanId === toSpanId(step.operationId))
  const below = { traceId, parentSpanId: toSpanId(runId) }
  expect(byStep(steps.load)).toMatchObject({ ...below, name: 'execute_tool step', status: { code: 0 } })
  expect(byStep(steps.send)).toMatchObject({ ...below, name: 'execute_tool step', status: { code: 2 } })
  expect(byStep(steps.confirm)).toMatchObject({ ...below, name: 'execute_tool ask_human' })
  expect(new Set(ofRun.map(({ spanId }) => spanId)).size).toBe(4)
  expect(JSON.stringify(collector.spans)).not.toMatch(/secret/)
})

test('STP-07 with contents, the trace of a flow names it and the keys of its steps', async () => {
  const collector = await startCollector()
  const { app } = await runFlow(collector.url, { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' })
  await collector.settled(isFlowOver)
  await app.close()
  expect(collector.spans.map(({ name }) => name)).toContain('invoke_workflow secret-invoice')
  const step = collector.spans.find(({ attributes }) => attributes['noema.step.key'] === 'secret-load')
  expect(step?.attributes['gen_ai.tool.call.result']).toContain('a secret total')
})
