import { readFileSync } from 'node:fs'
import { oldBackupSeconds } from '@noema/contracts/backup-age.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, createRequester, startTestApp, type TestApp } from '../../test/app.ts'
import { openCollector } from '../../test/collector.ts'
import { startReceiver } from '../../test/receiver.ts'

const token = 'metrics-token-metrics-token'
let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const readMetrics = async (base: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${base}/metrics`, { headers })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

test('D-80 /readyz shows administrators how each background worker fares, and others that the node is ready', async () => {
  const [administrator, member] = [await createMember(app), await createMember(app)]
  const ready = { status: 200, body: { data: { ready: true, writable: true } } }
  for (const options of [{}, { key: member.key }, { headers: member.session }]) {
    const { status, body } = await app.request('GET', '/readyz', options)
    expect({ status, body }).toEqual(ready)
  }
  expect((await app.request('GET', '/readyz', { key: `${member.key.slice(0, -4)}aaaa` })).status).toBe(401)
  expect((await app.request('GET', '/readyz', { headers: administrator.session })).body.data.workers).not.toEqual([])
  const workers = async () => (await app.request('GET', '/readyz', { key: administrator.key })).body.data.workers
  expect(await workers()).toContainEqual({
    ...{ name: 'forget old receipts', lastSuccess: null, consecutiveFailures: 0, lastError: null },
  })
  await expect.poll(workers).toContainEqual({
    name: 'deliver to webhooks',
    lastSuccess: expect.stringMatching(/^\d{4}-.*Z$/),
    consecutiveFailures: 0,
    lastError: null,
    turns: { running: 0, pending: 0, lagSeconds: 0 },
  })
})

test('D-80 there are no metrics where neither a port nor a token is set', async () => {
  expect((await app.request('GET', '/metrics')).status).toBe(404)
})

test('D-80 by a token, metrics are read on the port of the service', async () => {
  const node = await app.startNode({ NOEMA_METRICS_TOKEN: token })
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: token }])
    expect(await readMetrics(node.base, headers)).toMatchObject({ status: 401 })
  const { status, type, text } = await readMetrics(node.base, { authorization: `Bearer ${token}` })
  expect(status).toBe(200)
  expect(type).toContain('text/plain')
  expect(text).toContain('noema_worker_consecutive_failures{worker="erase deleted Brains"} 0')
  expect(text).toContain('noema_turns_running{worker="deliver to webhooks"} 0')
  expect(text).toMatch(/noema_database_connections\{state="busy"\} \d/)
  expect(text).toMatch(/nodejs_eventloop_lag_seconds [\d.e-]+/)
  expect(text).toMatch(/process_resident_memory_bytes \d+/)
  await node.close()
})

test('D-80 on a port of their own, metrics are read there alone, by the token where one is set', async () => {
  const node = await app.startNode({ NOEMA_METRICS_PORT: '0' })
  expect((await readMetrics(node.base)).status).toBe(404)
  const base = `http://127.0.0.1:${node.metricsPort}`
  expect(await readMetrics(base)).toMatchObject({ status: 200, text: expect.stringContaining('noema_worker') })
  expect((await createRequester(base)('GET', '/v1/whoami')).status).toBe(404)
  await node.close()
  await expect(readMetrics(base)).rejects.toThrow()
  const guarded = await app.startNode({ NOEMA_METRICS_PORT: '0', NOEMA_METRICS_TOKEN: token })
  const guardedBase = `http://127.0.0.1:${guarded.metricsPort}`
  expect((await readMetrics(guardedBase)).status).toBe(401)
  expect((await readMetrics(guardedBase, { authorization: `Bearer ${token}` })).status).toBe(200)
  await guarded.close()
})

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const findNames = (text: string): Set<string> =>
  new Set([...text.matchAll(/\bnoema_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, '')))

/** Checks that the guide names every metric, and that neither it, the dashboard nor the alerts name one that is not. */
const expectDescribed = (metrics: string): void => {
  const reported = new Set([...metrics.matchAll(/^# HELP (noema_\w+) /gm)].map(([, name]) => name))
  expect(findNames(read('docs/observability.md'))).toEqual(reported)
  for (const file of ['grafana-dashboard.json', 'prometheus-rules.yaml'])
    expect([...findNames(read(`deploy/observability/${file}`))].filter((name) => !reported.has(name))).toEqual([])
}

test('ADM-06 a backup counts as old for the alert rule from the age on that the doctor and the console go by', () => {
  const rule = /time\(\) - max\(noema_last_backup_timestamp_seconds\) > (\d+)$/m
  expect(Number(rule.exec(read('deploy/observability/prometheus-rules.yaml'))?.[1])).toBe(oldBackupSeconds)
})

test('D-80 a node measures its work: requests, commits, stages of search, calls of webhooks, runs, lags', async () => {
  const receiver = await startReceiver()
  const node = await startTestApp({ NOEMA_METRICS_TOKEN: token })
  const readNow = async () => (await readMetrics(node.base, { authorization: `Bearer ${token}` })).text
  const waitFor = (line: RegExp) => expect.poll(readNow).toMatch(line)
  try {
    const member = await createMember(node)
    const brain = await addBrain(node, member, 'measured')
    const call = async (method: string, path: string, body?: unknown) => {
      const answer = await brain.call(method, path, body)
      expect([path, answer.status]).toEqual([path, expect.toBeOneOf([200, 201])])
      return answer.body.data
    }
    const { webhook } = await call('POST', '/webhooks', { url: receiver.url })
    await call('POST', '/records', { kind: 'note', fields: { text: 'The audit begins in March.' } })
    // Large enough for the thread of large requests, which measures, too.
    await call('POST', '/documents', { text: 'The audit is long. '.repeat(20_000) })
    await call('GET', '/search?q=audit')
    const agent = { name: 'teller', instructions: '', model: 'noema/extractive' }
    const post = (to: string, body: unknown) => node.request('POST', to, { key: member.key, body })
    const made = await post('/v1/agents', agent)
    expect((await post('/v1/runs', { agentId: made.body.data.agent.id, input: 'When?' })).status).toBe(202)
    await waitFor(/noema_runs_ended_total\{state="completed"\} 1/)
    await waitFor(/noema_webhook_call_seconds_count\{outcome="delivered"\} [1-9]/)
    const path = '/v1/brains/:handle/records'
    const text = await readNow()
    expect(text).toContain(`noema_http_request_seconds_count{method="POST",path="${path}",status="2xx"} 1`)
    expect(text).toMatch(/noema_commit_requests_count ([2-9]|\d\d)/)
    for (const name of ['noema_commit_wait_seconds', 'noema_commit_seconds'])
      expect(text).toMatch(new RegExp(`${name}_sum \\d+\\.\\d+`))
    for (const stage of ['open', 'read', 'receipt'])
      expect(text).toMatch(new RegExp(`noema_search_seconds_count\\{stage="${stage}"\\} [1-9]`))
    expect(text).toMatch(/noema_queue_due\{queue="runs"\} \d/)
    expect(text).toMatch(/noema_behind\{what="index"\} \d/)
    expect(text).toMatch(/noema_nodes\{state="alive"\} 1/)
    expect(text).toMatch(/noema_database_bytes\{database="noema"\} \d{6}/)
    receiver.answers(500)
    await call('POST', '/records', { kind: 'note', fields: {} })
    await waitFor(/noema_webhook_call_seconds_count\{outcome="refused"\} 1/)
    node.clock.advance({ seconds: 6 })
    expectDescribed(await readNow())
    await waitFor(new RegExp(`noema_webhook_behind_events\\{webhook="${webhook.id}"\\} 1`))
  } finally {
    await node.close()
    await receiver.close()
  }
})

test('D-80 a bucket of request times leads to a trace if the scraper asks for OpenMetrics', async () => {
  const collector = await openCollector()
  const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '10' }
  const node = await app.startNode({ ...traces, NOEMA_METRICS_TOKEN: token })
  const readAs = (accept: string) => readMetrics(node.base, { authorization: `Bearer ${token}`, accept })
  const readOpen = () => readAs('application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3')
  try {
    const { key } = await createMember(app)
    const made = await createRequester(node.base)('PUT', '/v1/brains/led', { key, body: {} })
    expect(made.status).toBe(201)
    const [span] = await collector.settled((spans) => spans.some(({ name }) => name.startsWith('PUT ')))
    const series = `noema_http_request_seconds_bucket{le="[^"]+",method="PUT",path="/v1/brains/:handle",status="2xx"}`
    // A request is measured once it is answered.
    await expect
      .poll(async () => (await readOpen()).text)
      .toMatch(new RegExp(`^${series} 1 # \\{trace_id="${span?.traceId}"\\} [\\d.]+ [\\d.]+$`, 'm'))
    const open = await readOpen()
    expect(open.type).toContain('application/openmetrics-text')
    expect(open.text).toMatch(/^# TYPE noema_trace_spans counter$/m)
    expect(open.text).toMatch(/\n# EOF\n$/)
    const readPlain = () => readAs('text/plain, application/openmetrics-text;q=0')
    // Spans are counted once the collector has answered.
    await expect.poll(async () => (await readPlain()).text).toMatch(/^noema_trace_spans_total\{outcome="sent"\} \d+$/m)
    const plain = await readPlain()
    expect(plain.type).toContain('text/plain')
    expect(plain.text).not.toMatch(/trace_id|EOF/)
    expect(plain.text).toMatch(/^# TYPE noema_trace_spans_total counter$/m)
  } finally {
    await node.close()
    await collector.close()
  }
})
