import { get } from 'node:http'
import { defineEndpoint } from '@noema/contracts/endpoint.ts'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineBinding } from '../../api/binding.ts'
import { createBrain } from '../../test/app.ts'
import { useApp, useBrain } from '../../test/harness.ts'
import { serveBindings } from '../../test/serve-bindings.ts'

const app = useApp()
const brain = useBrain(app)

const endpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/slow',
  summary: 'Ends when the test says so',
  access: 'management',
  status: [200],
  result: z.object({}),
})

/** An endpoint whose calls end when the test lets them. */
const serveSlow = async (maxWaitMilliseconds: number) => {
  const begun: (() => void)[] = []
  const slow = defineBinding(endpoint, () => new Promise((resolve) => begun.push(() => resolve({ data: {} }))))
  const limits = { maxRequests: { node: 8, organization: 4, key: 4 }, maxWaitMilliseconds }
  const server = await serveBindings(app, [slow], limits)
  const call = (key: string) => server.request('GET', '/v1/slow', { key })
  // Callers that are not known yet are counted by their address.
  const first = async (key: string) => {
    const answer = call(key)
    await expect.poll(() => begun.length).toBe(1)
    begun.shift()?.()
    expect((await answer).status).toBe(200)
  }
  return { ...server, begun, call, first }
}

test('SUR-10 requests beyond a share wait, and are refused with 503 and Retry-After before they wait for long', async () => {
  const { begun, call, first, base, close } = await serveSlow(200)
  await first(brain.key)
  const working = Array.from({ length: 4 }, () => call(brain.key))
  await expect.poll(() => begun.length).toBe(4)
  const refused = await call(brain.key)
  expect(refused).toMatchObject({ status: 503, body: { error: { kind: 'unavailable', code: 'overloaded' } } })
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(begun).toHaveLength(4)
  expect((await fetch(`${base}/livez`)).status).toBe(200)
  const waiting = call(brain.key)
  begun.shift()?.()
  await expect.poll(() => begun.length).toBe(4)
  for (const end of begun.splice(0)) end()
  expect((await Promise.all([...working, waiting])).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  await close()
})

test('an organization with many requests under way leaves room for another, whose request does not wait for theirs', async () => {
  const { begun, call, first, close } = await serveSlow(30_000)
  const other = await createBrain(app)
  await first(brain.key)
  await first(other.key)
  const many = Array.from({ length: 20 }, () => call(brain.key))
  await expect.poll(() => begun.length).toBe(4)
  const one = call(other.key)
  await expect.poll(() => begun.length).toBe(5)
  begun.pop()?.()
  expect((await one).status).toBe(200)
  const endAll = async () => {
    for (const end of begun.splice(0)) end()
    return (await Promise.all(many)).length
  }
  const ending = setInterval(() => void endAll(), 5)
  expect((await Promise.all(many)).map(({ status }) => status)).toEqual(many.map(() => 200))
  clearInterval(ending)
  await close()
})

test('a caller that goes away while waiting frees its slot', async () => {
  const { begun, call, first, base, close } = await serveSlow(30_000)
  await first(brain.key)
  const working = Array.from({ length: 4 }, () => call(brain.key))
  await expect.poll(() => begun.length).toBe(4)
  const gone = get(`${base}/v1/slow`, { agent: false, headers: { authorization: `Bearer ${brain.key}` } })
  gone.on('error', () => undefined)
  await new Promise((resolve) => gone.once('socket', (socket) => socket.once('connect', resolve)))
  gone.destroy()
  for (const end of begun.splice(0)) end()
  await Promise.all(working)
  const again = Array.from({ length: 4 }, () => call(brain.key))
  await expect.poll(() => begun.length).toBeGreaterThanOrEqual(4)
  for (const end of begun.splice(0)) end()
  expect((await Promise.all(again)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  await close()
})
