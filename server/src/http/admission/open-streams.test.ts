import { expect, test } from 'vitest'
import { insertRun } from '../../features/agents/run-feeds/run.fixture.ts'
import { createBrain, type TestBrain } from '../../test/app.ts'
import { useBrain, useOwnApp } from '../../test/harness.ts'

const app = useOwnApp({ NOEMA_MAX_STREAMS: '10/3/2' })
const brain = useBrain(app)

const open = async (path: string, key: string) => {
  const cut = new AbortController()
  const response = await fetch(app.base + path, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    signal: cut.signal,
  })
  return { response, close: () => cut.abort() }
}
const openStream = ({ path }: TestBrain, key: string) => open(`${path}/events`, key)

test('D-73 SUR-04 streams of runs count as streams of Brains do', async () => {
  const owner = await createBrain(app)
  const run = await insertRun(app, owner.organizationId)
  const streams = [await open(`/v1/runs/${run.id}/stream`, owner.key), await openStream(owner, owner.key)]
  expect(streams.map(({ response }) => response.status)).toEqual([200, 200])
  const { response } = await open(`/v1/runs/${run.id}/stream`, owner.key)
  expect(response.status).toBe(429)
  expect(await response.json()).toMatchObject({ error: { code: 'too_many_streams' } })
  for (const { close } of streams) close()
})

test('SUR-04 a key and an organization have so many streams open at once; one more is 429 with Retry-After', async () => {
  const [first, second] = [await brain.mintKey(['read']), await brain.mintKey(['read'])]
  const streams = [await openStream(brain, first), await openStream(brain, first), await openStream(brain, second)]
  expect(streams.map(({ response }) => response.status)).toEqual([200, 200, 200])
  for (const key of [first, second, brain.key]) {
    const { response } = await openStream(brain, key)
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await response.json()).toMatchObject({ error: { kind: 'rate_limited', code: 'too_many_streams' } })
  }
  const other = await createBrain(app)
  const elsewhere = await openStream(other, other.key)
  expect(elsewhere.response.status).toBe(200)
  expect((await brain.call('GET', '/events')).status).toBe(200)
  for (const { close } of [...streams, elsewhere]) close()
  const reopened = async () => {
    const { response, close } = await openStream(brain, first)
    close()
    return response.status
  }
  await expect.poll(reopened).toBe(200)
})
