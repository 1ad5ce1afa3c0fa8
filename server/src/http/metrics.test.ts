import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRequester, startTestApp, type TestApp } from '../test/app.ts'

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

test('D-80 /readyz tells how each background worker fares', async () => {
  const workers = async () => (await app.request('GET', '/readyz')).body.data.workers
  expect(await workers()).toContainEqual({
    ...{ name: 'forget old receipts', lastSuccess: null, consecutiveFailures: 0, lastError: null },
  })
  await expect.poll(workers, { timeout: 10_000 }).toContainEqual({
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
