import { expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../test/app.ts'
import { useApp, useBrain } from '../test/harness.ts'

const app = useApp({ NOEMA_MAX_STREAMS: '10/3/2' })
const brain = useBrain(app)

const openStream = async ({ path }: TestBrain, key: string) => {
  const cut = new AbortController()
  const response = await fetch(`${app.base}${path}/events`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    signal: cut.signal,
  })
  return { response, close: () => cut.abort() }
}

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
