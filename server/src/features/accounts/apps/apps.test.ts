import { beforeAll, expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import { connectApp } from '../../../test/apps.ts'
import { useApp } from '../../../test/harness.ts'

const app = useApp()
let brain: TestBrain
beforeAll(async () => {
  brain = await createBrain(app, 'brain')
})

const rpc = (token: string, method: string, params: object = {}, path = `${brain.path}/mcp`) =>
  app.request('POST', path, {
    key: token,
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    body: { jsonrpc: '2.0', id: 1, method, params },
  })

test('an app', async () => {
  const connected = await connectApp(app, brain)
  const listed = await rpc(connected.accessToken, 'tools/list')
  expect(listed.status).toBe(200)
  console.log(JSON.stringify((await app.request('GET', '/v1/apps', { key: brain.key })).body, null, 1), connected)
})
