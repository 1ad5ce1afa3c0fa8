import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrainDelivery } from '@noema/sdk/webhooks'
import { expect, onTestFinished, test } from 'vitest'
import { addBrain } from '../server/src/test/app.ts'
import { useApp, useMember } from '../server/src/test/harness.ts'
import { createReceiver as createExpress } from './examples/webhooks-express.ts'
import { createReceiver as createFastify } from './examples/webhooks-fastify.ts'
import { createHandler } from './examples/webhooks-gaps.ts'
import { createReceiver as createHono } from './examples/webhooks-hono.ts'

// Runs the examples of docs/webhooks.md against the service: each is a separate file, which the page shows unchanged.

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

const app = useApp()
const member = useMember(app)

const listen = async (handler: RequestListener): Promise<string> => {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

type Handle = (delivery: BrainDelivery) => Promise<unknown>

const frameworks: Record<string, (secret: () => string, handle: Handle) => Promise<string>> = {
  fastify: async (secret, handle) => {
    let ready: ReturnType<typeof createFastify> | undefined
    return listen(async (request, response) => {
      ready ??= createFastify(secret(), handle)
      await ready.ready()
      ready.routing(request, response)
    })
  },
  hono: (secret, handle) =>
    listen(async (request, response) => {
      const body = Buffer.concat(await request.toArray())
      const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const answer = await createHono(secret(), handle).request('/hook', { method: 'POST', headers, body })
      response.writeHead(answer.status).end()
    }),
  express: (secret, handle) => listen((request, response) => createExpress(secret(), handle)(request, response)),
}

test.each(Object.keys(frameworks))('D-65 the %s example takes deliveries and refuses forged ones', async (name) => {
  const brain = await addBrain(app, member, name)
  const taken: BrainDelivery[] = []
  let secret = ''
  let arrived = () => {}
  const both = new Promise<void>((resolve) => {
    arrived = () => taken.length === 2 && resolve()
  })
  const url = await frameworks[name]?.(
    () => secret,
    async (delivery) => {
      taken.push(delivery)
      arrived()
    },
  )
  secret = (await brain.call('POST', '/webhooks', { url })).body.data.secret
  await brain.call('PUT', '/records/a', { kind: 'k' })
  await brain.call('PUT', '/records/b', { kind: 'k' })
  await both
  const { events } = (await brain.call('GET', '/events')).body.data
  expect(taken.map(({ event }) => event)).toEqual(events)
  const forged = {
    'content-type': 'application/json',
    'webhook-id': 'x',
    'webhook-timestamp': '1',
    'webhook-signature': 'v1,eA==',
  }
  expect((await fetch(url ?? '', { method: 'POST', headers: forged, body: '{}' })).status).toBe(400)
  expect(
    (await fetch(url ?? '', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).status,
  ).toBe(400)
})

test('D-65 the example of gaps handles every event once, in order, including skipped ones', async () => {
  const brain = await addBrain(app, member, 'handbook')
  const handled: string[] = []
  const store = { lastCursor: undefined, apply: async ({ cursor }: { cursor: string }) => void handled.push(cursor) }
  const receive = createHandler(app.base, brain.key, store)
  for (const id of ['a', 'b', 'c', 'd']) await brain.call('PUT', `/records/${id}`, { kind: 'k' })
  const { events } = (await brain.call('GET', '/events')).body.data
  const [a, b, , d] = events
  const deliver = (event: typeof a, previousCursor: string | null) =>
    receive({ webhook: 'whk_1', previousCursor, event })
  expect(await deliver(a, null)).toBe(1)
  expect(await deliver(a, null)).toBe(0)
  expect(await deliver(d, 'of the skipped one')).toBe(3)
  expect(await deliver(b, a.cursor)).toBe(0)
  expect(handled).toEqual(events.map(({ cursor }: { cursor: string }) => cursor))
})

test('the page shows the examples as they are', () => {
  const page = read('webhooks.md')
  for (const name of ['fastify', 'hono', 'express', 'gaps'])
    expect(page).toContain(read(`examples/webhooks-${name}.ts`))
})
