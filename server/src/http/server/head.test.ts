import { expect, test } from 'vitest'
import { useApp, useBrain } from '../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)

const send = async (method: string, path: string, headers: Record<string, string>) => {
  const response = await fetch(app.base + path, { method, headers })
  await response.text()
  return response.status
}

test('D-73 HEAD of the stream of a run that is not there is 404, as GET is', async () => {
  const headers = { authorization: `Bearer ${brain.key}` }
  for (const method of ['HEAD', 'GET']) expect(await send(method, '/v1/runs/run_none/stream', headers)).toBe(404)
})

test('HEAD opens no live tail', async () => {
  const headers = { authorization: `Bearer ${brain.key}`, accept: 'text/event-stream' }
  expect(await send('HEAD', `${brain.path}/events`, headers)).toBe(200)
})

test('D-81 SUR-06 the OpenAPI document takes no query, describes itself, and answers HEAD', async () => {
  expect(await send('HEAD', '/v1/openapi.json', {})).toBe(200)
  const refused = await app.request('GET', '/v1/openapi.json?x=1')
  expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining('"x"')])
  const document = (await app.request('GET', '/v1/openapi.json')).body
  expect(document.paths['/v1/openapi.json'].get.security).toEqual([])
  const { post } = document.paths['/v1/brains/{handle}/mcp']
  expect(post.responses['400'].content['application/json'].schema.$ref).toBe('#/components/schemas/RpcAnswer')
  expect(post.description).toContain('GET and DELETE answer 405')
})

test('WHK-01 OWH-01 a type that a webhook names twice is kept once', async () => {
  const types = ['record.accepted', 'record.deleted', 'record.accepted']
  const url = 'http://127.0.0.1:9/'
  expect((await brain.call('POST', '/webhooks', { url, types })).body.data.webhook.types).toEqual(types.slice(0, 2))
  const events = ['run.completed', 'run.completed']
  const made = await app.request('POST', '/v1/webhooks', { key: brain.key, body: { url, events } })
  expect(made.body.data.webhook.events).toEqual(['run.completed'])
})
